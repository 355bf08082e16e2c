"""`outcrop chunk`: cut Markdown files and show where and why."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from outcrop.chunking.config import OVERSIZE_MODES, STRATEGY_NAMES, ChunkConfig
from outcrop.cli.files import read_document
from outcrop.cli.main import EXIT_CODES, report
from outcrop.errors import ChunkConfigError, InputError
from outcrop.presentation.chunked_document import ChunkedDocument

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from outcrop.chunking.chunker import MarkdownChunker

    Cut = Callable[[str, str], ChunkedDocument]
    Write = Callable[[Iterable[ChunkedDocument]], None]

FRAMEWORKS = ("langchain", "llamaindex", "haystack")
FORMATS = ("table", "json", "jsonl", "html", *FRAMEWORKS)

# Field of the configuration -> the option that sets it.
_OPTIONS = {
    "max_chunk_size": "--max-size",
    "min_chunk_size": "--min-size",
    "overlap_size": "--overlap",
    "oversize_blocks": "--oversize",
    "strategy": "--strategy",
}


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--max-size",
    type=int,
    default=4096,
    show_default=True,
    metavar="N",
    help="Maximum characters per chunk.",
)
@click.option(
    "--min-size",
    type=int,
    metavar="N",
    help="Merge smaller chunks with a neighbour if they belong together.  "
    "[default: an eighth of the maximum, at most 512]",
)
@click.option(
    "--overlap",
    type=int,
    metavar="N",
    help="Characters of each neighbour to quote in the metadata, 0 for none.  "
    "[default: a twentieth of the maximum, at most 200]",
)
@click.option(
    "--strategy",
    type=click.Choice(STRATEGY_NAMES),
    help="The strategy.  [default: chosen by the document's content]",
)
@click.option(
    "--oversize",
    type=click.Choice(OVERSIZE_MODES),
    default="keep",
    show_default=True,
    help="Keep a code block or table over the limit whole, or split it at lines or "
    "rows and repeat its fence or header row.",
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
def chunk(  # noqa: PLR0913, PLR0917 - one parameter per option
    files: tuple[str, ...],
    max_size: int,
    min_size: int | None,
    overlap: int | None,
    strategy: str | None,
    oversize: str,
    output_format: str,
    as_tree: bool,  # noqa: FBT001 - click passes it by name
) -> None:
    """Cut Markdown files into chunks, and show where and why.

    FILE is a Markdown file, or - for standard input. A file that cannot be read is
    reported, and the others are still processed; the exit code is then 1.
    """
    from outcrop.chunking.chunker import MarkdownChunker

    if as_tree:
        _check_tree_options(min_size, strategy)
    config = _configure(
        max_chunk_size=max_size,
        min_chunk_size=min_size,
        overlap_size=overlap,
        strategy=strategy,
        oversize_blocks=oversize,
    )
    unread: list[str] = []
    cut = partial(_cut, chunker=MarkdownChunker(config), as_tree=as_tree)
    _writer(output_format, as_tree=as_tree)(_chunk_files(files, cut, unread))
    if unread:
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


def _configure(**settings: object) -> ChunkConfig:
    """Build the configuration; errors name the options."""
    try:
        return ChunkConfig(**settings)  # type: ignore[arg-type]  # checked by ChunkConfig
    except ChunkConfigError as error:
        rule = error.rule
        for field, option in _OPTIONS.items():
            rule = rule.replace(field, option)
        message = f"{error.value!r}: {rule}"
        hint = f"'{_OPTIONS.get(error.field, error.field)}'"
        raise click.BadParameter(message, param_hint=hint) from error


def _chunk_files(
    files: Iterable[str], cut: Cut, unread: list[str]
) -> Iterator[ChunkedDocument]:
    """Chunk one file after the other; those that cannot be read go into `unread`."""
    for path in files:
        try:
            text = read_document(path)
        except InputError as error:
            report(error)
            unread.append(path)
            continue
        yield cut(path, text)


def _cut(
    path: str, text: str, *, chunker: MarkdownChunker, as_tree: bool
) -> ChunkedDocument:
    tree = chunker.chunk_hierarchical(text) if as_tree else None
    return ChunkedDocument(
        path=path,
        text=text,
        chunks=chunker.chunk(text) if tree is None else tree.get_flat_chunks(),
        limit=chunker.config.limit,
        tree=tree,
    )


def _writer(output_format: str, *, as_tree: bool) -> Write:
    """Return the function that prints a format; only its module is loaded."""
    if output_format == "html":
        return _write_page
    if output_format in FRAMEWORKS:
        from outcrop.cli.render.json import writer

        return writer(output_format)
    if output_format == "table" and as_tree:
        from outcrop.cli.render.table import write_tree

        return write_tree
    if output_format == "table":
        from outcrop.cli.render.table import write_table

        return write_table
    from outcrop.cli.render.json import write_json, write_jsonl

    return write_json if output_format == "json" else write_jsonl


def _write_page(documents: Iterable[ChunkedDocument]) -> None:
    from outcrop.cli.render.text import write_utf8
    from outcrop.presentation.document_page import build_page

    write_utf8(build_page(list(documents)))
