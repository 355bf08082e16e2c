"""`outcrop chunk`: cut Markdown files and show where and why, or check the chunks."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from outcrop.cli.chunk_options import chunk_options, configure
from outcrop.cli.files import is_large_text, note_other_format, read_document
from outcrop.cli.main import EXIT_CODES, report
from outcrop.cli.render.text import escape_controls, write_utf8
from outcrop.errors import ConfigError, InputError, InvariantError
from outcrop.model.chunk import Chunk
from outcrop.presentation.document import ChunkedDocument
from outcrop.presentation.text import count

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from outcrop.chunking.chunker import MarkdownChunker
    from outcrop.chunking.config import ChunkConfig

    Cut = Callable[[str, str], ChunkedDocument]
    Stream = Callable[[str], Iterator[Chunk] | None]

FORMATS = ("table", "json", "jsonl", "html", "langchain", "llamaindex", "haystack")
READINGS = ("auto", "markdown")
_FIRST_LINE_CHARS = 1_000
# Interpreter that a script names in its first line -> its language.
_INTERPRETERS = {
    "bash": "bash",
    "lua": "lua",
    "node": "javascript",
    "perl": "perl",
    "php": "php",
    "python": "python",
    "ruby": "ruby",
    "sh": "bash",
}


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@chunk_options
@click.option(
    "--as",
    "reading",
    type=click.Choice(READINGS),
    default="auto",
    show_default=True,
    help="Cut code as code, judged by its name and first line, or everything as "
    "Markdown.",
)
@click.option(
    "--format",
    "output_format",
    type=click.Choice(FORMATS),
    default="table",
    show_default=True,
    help="A table, every field as JSON, a web page that shows the document and its "
    "boundaries, or lines of JSON for a framework.",
)
@click.option(
    "--tree",
    "as_tree",
    is_flag=True,
    help="Cut at every section, and show the sections as a tree with the chunks as its "
    "leaves.",
)
@click.option(
    "--check",
    is_flag=True,
    help="Check the chunks against every promise instead of showing them; the exit "
    "code is 1 if one is broken.",
)
@click.option(
    "--chunks",
    "chunks_file",
    metavar="FILE",
    help="With --check: check the chunks in this file, as --format json or jsonl "
    "prints them; offsets may be missing.",
)
def chunk(
    *,
    files: tuple[str, ...],
    reading: str,
    output_format: str,
    as_tree: bool,
    check: bool,
    chunks_file: str | None,
    **settings: Any,
) -> None:
    """Cut Markdown files into chunks, and show where and why.

    FILE is a Markdown file, or - for standard input. Code is cut into its definitions;
    of the settings, only sizes apply to it. A file that cannot be read is reported, and
    the others are still processed; the exit code is then 1.

    With --format jsonl, a Markdown file of 20 MB or more is cut a part at a time and
    may be larger than memory.
    """
    from outcrop.chunking.chunker import MarkdownChunker

    if as_tree:
        _check_tree_options(settings["min_chunk_size"], settings["strategy"])
    if chunks_file is not None and not check:
        raise click.UsageError("--chunks needs --check: it names the chunks to check")
    config = configure(**settings)
    options: Any = {
        "chunker": MarkdownChunker(config),
        "as_tree": as_tree,
        "is_markdown": reading == "markdown",
    }
    cut = partial(_cut, **options)
    unread: list[str] = []
    documents: Iterable[ChunkedDocument] = _chunk_files(files, cut, unread)
    is_valid = True
    if check:
        if chunks_file is not None:
            given = read_chunks(chunks_file)
            documents = [replace(d, chunks=given.get(d.path, [])) for d in documents]
        is_valid = check_documents(documents, config)
    elif output_format == "jsonl":
        from outcrop.cli.render.chunk_json import write_jsonl

        write_jsonl(_chunks_by_file(files, cut, partial(_stream, **options), unread))
    else:
        _write(documents, output_format, as_tree=as_tree)
    if unread or not is_valid:
        click.get_current_context().exit(EXIT_CODES[InputError])


def _check_tree_options(min_size: int | None, strategy: str | None) -> None:
    """Reject options that would have no effect."""
    if min_size is not None:
        raise click.UsageError(
            "--min-size has no effect with --tree: a tree does not join small sections"
        )
    if strategy == "fallback":
        raise click.UsageError(
            "--strategy fallback has no sections, which --tree needs; omit one of the two"
        )


def _chunk_files(
    files: Iterable[str], cut: Cut, unread: list[str]
) -> Iterator[ChunkedDocument]:
    """Chunk one file after the other; those that cannot be read go into `unread`."""
    for path in files:
        try:
            document = cut(path, read_document(path))
        except InputError as error:
            report(error)
            unread.append(path)
            continue
        yield document


def _chunks_by_file(
    files: Iterable[str], cut: Cut, stream: Stream, unread: list[str]
) -> Iterator[tuple[str, Iterable[Chunk]]]:
    """Chunk one file after the other, large ones while their chunks are taken.

    The chunks of a tree are all its nodes.
    """
    for path in files:
        if (streamed := stream(path)) is not None:
            yield path, streamed
            continue
        for document in _chunk_files([path], cut, unread):
            yield path, document.tree.chunks if document.tree else document.chunks


def _stream(
    path: str, *, chunker: MarkdownChunker, as_tree: bool, is_markdown: bool
) -> Iterator[Chunk] | None:
    """Return the chunks of a large Markdown file, cut one after the other."""
    if as_tree or not is_large_text(path):
        return None
    with Path(path).open(encoding="utf-8", newline="") as file:
        start = file.read(_FIRST_LINE_CHARS)
    if not is_markdown and _language(path, start) is not None:
        return None
    return _chunks_of(path, chunker)


def _chunks_of(path: str, chunker: MarkdownChunker) -> Iterator[Chunk]:
    with Path(path).open(encoding="utf-8", newline="") as file:
        yield from chunker.chunk_stream(file)


def _cut(
    path: str, text: str, *, chunker: MarkdownChunker, as_tree: bool, is_markdown: bool
) -> ChunkedDocument:
    config = chunker.config
    lang = None if is_markdown else _language(path, text)
    tree = None
    if lang is None:
        if not is_markdown:
            note_other_format(path)
        tree = chunker.chunk_hierarchical(text) if as_tree else None
        chunks = chunker.chunk(text) if tree is None else tree.get_flat_chunks()
    else:
        chunks = _cut_code(path, text, lang, config, as_tree=as_tree)
    return ChunkedDocument(
        path=path,
        text=text,
        chunks=chunks,
        limit=config.max_chunk_size,
        tree=tree,
        lang=lang,
        length=config.length,
    )


def _cut_code(
    path: str, text: str, lang: str, config: ChunkConfig, *, as_tree: bool
) -> list[Chunk]:
    from outcrop.planning.source_file import chunk_source

    if as_tree:
        raise InputError(
            f"{path}: {lang} code has no tree of sections; omit --tree, or pass"
            " --as markdown"
        )
    try:
        limit = config.max_chunk_size
        return chunk_source(path, text, lang, limit=limit, length=config.length or len)
    except ConfigError as error:
        rule = str(error).replace("max_tokens", "--max-size")
        raise InputError(f"{path}: {lang} code: {rule}") from error


def _language(path: str, text: str) -> str | None:
    """Return the language of code by name or first line; None for a document."""
    from outcrop.indexing.files.kinds import CODE, kind_of

    kind = kind_of(Path(path).name)
    if kind is not None:
        return kind.lang if kind.kind == CODE else None
    if not text.startswith("#!"):
        return None
    words = text[2:].split("\n", 1)[0].split()
    names = [Path(word).name for word in words if not word.startswith("-")]
    if names and names[0] == "env":
        del names[0]
    return _INTERPRETERS.get(names[0].rstrip("0123456789.")) if names else None


def _write(
    documents: Iterable[ChunkedDocument], output_format: str, *, as_tree: bool
) -> None:
    """Print documents in a format; only its module is loaded."""
    if output_format == "html":
        from outcrop.presentation.document_page import build_page

        write_utf8(build_page(list(documents)))
    elif output_format == "table":
        from outcrop.cli.render.chunk_table import write_table, write_tree

        (write_tree if as_tree else write_table)(documents)
    else:
        from outcrop.cli.render.chunk_json import WRITERS

        WRITERS[output_format](documents)


_FIELDS = {field.name for field in fields(Chunk)}
_REQUIRED = ("content", "start_line", "end_line")


def check_documents(documents: Iterable[ChunkedDocument], config: ChunkConfig) -> bool:
    """Print whether the chunks of each document keep every promise.

    Returns:
        Whether all do.
    """
    is_valid = True
    for document in documents:
        errors, coverage = _check(document, config)
        is_valid = is_valid and not errors
        verdict = "invalid" if errors else "valid"
        click.echo(
            f"{escape_controls(document.path)}: {verdict},"
            f" {count(len(document.chunks), 'chunk')}, coverage {coverage:.1%}"
        )
        for error in errors:
            click.echo(f"  {escape_controls(error)}")
    return is_valid


def _check(document: ChunkedDocument, config: ChunkConfig) -> tuple[list[str], float]:
    from outcrop.chunking.invariants import InvariantValidator, check_spans

    if document.lang is None:
        result = InvariantValidator(config, strict=True).validate(
            document.chunks, document.text
        )
        return result.errors, result.coverage
    try:
        check_spans(document.chunks, document.text)
    except InvariantError as error:
        return [str(error)], 0.0
    return [], 1.0


def read_chunks(path: str) -> dict[str, list[Chunk]]:
    """Read chunks as `--format json` and `--format jsonl` print them, by document.

    Raises:
        InputError: The file cannot be read, or holds something else.
    """
    text = read_document(path)
    found: dict[str, list[Chunk]] = {}
    try:
        for document, values in _entries(text):
            found.setdefault(document, []).append(_chunk(values))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(
            f"{path}: not chunks as --format json or jsonl prints them: {error!r}"
        ) from error
    return found


def _entries(text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    if text.lstrip().startswith("["):
        for document in json.loads(text):
            for values in document["chunks"]:
                yield document["path"], values
        return
    for line in text.split("\n"):
        if line.strip():
            values = json.loads(line)
            yield values["path"], values


def _chunk(values: dict[str, Any]) -> Chunk:
    for name in _REQUIRED:
        if name not in values:
            raise KeyError(name)
    given = {name: value for name, value in values.items() if name in _FIELDS}
    return Chunk(**{"metadata": {}, **given})
