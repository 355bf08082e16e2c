"""`outcrop sections`: cut Markdown files at their headings."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import click

from outcrop.cli.files import note_other_format, read_document
from outcrop.cli.main import EXIT_CODES, report
from outcrop.cli.opening import json_option
from outcrop.cli.render.text import escape_controls, field_values, write_json
from outcrop.errors import InputError
from outcrop.presentation.text import count
from outcrop.sections.splitter import ContentScope, IndexingConfig

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from outcrop.model.section import Section

_DEFAULTS = IndexingConfig()


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitDocument:
    """A document and its sections."""

    path: str
    text: str
    sections: list[Section]


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--out",
    metavar="PATH",
    help="Write the sections to a .parquet or .arrow file or a .lance table, "
    "replacing those of the same files.",
)
@click.option(
    "--overwrite",
    is_flag=True,
    help="With --out, replace the sections of all files, not of the given ones only.",
)
@click.option(
    "--scope",
    type=click.Choice([scope.value for scope in ContentScope]),
    default=ContentScope.OWN.value,
    show_default=True,
    help="Cut into disjoint sections, or include the text of subsections.",
)
@click.option(
    "--max-tokens",
    type=click.IntRange(min=1),
    default=_DEFAULTS.max_tokens_per_section,
    show_default=True,
    metavar="N",
    help="Report sections with more tokens; they are never split.",
)
@click.option(
    "--embed",
    metavar="NAME",
    help="Embed every section with: local, or openai:MODEL.",
)
@click.option(
    "--summaries",
    metavar="NAME",
    help="Summarize sections and documents with: extractive, or openai:MODEL.",
)
@json_option
def sections(  # noqa: PLR0913 - one argument per option
    files: tuple[str, ...],
    *,
    out: str | None,
    overwrite: bool,
    scope: str,
    max_tokens: int,
    embed: str | None,
    summaries: str | None,
    as_json: bool,
) -> None:
    """Cut Markdown files at their H1 to H3 into sections for document search.

    FILE is a Markdown file, or - for standard input. A file that cannot be read is
    reported and the others are still shown; the exit code is then 1, and nothing is
    written.
    """
    if out is not None:
        from outcrop.sections.files import check_target

        check_target(out)
    config = IndexingConfig(max_tokens, content_scope=scope)
    documents, is_complete = _split_files(files, config)
    if summaries is not None:
        documents = _summarize(documents, summaries)
    dimension = None
    if embed is not None:
        documents, dimension = _embed(documents, embed)
    if out is not None and is_complete:
        _store(documents, out, dimension, overwrite=overwrite)
    if as_json:
        values = [
            {"path": each.path, "sections": list(map(field_values, each.sections))}
            for each in documents
        ]
        write_json(values)
    elif out is None:
        _write_table(documents, max_tokens)
    if not is_complete:
        if out is not None:
            report(InputError(f"nothing was written to {out}"))
        click.get_current_context().exit(EXIT_CODES[InputError])


def _split_files(
    files: Iterable[str], config: IndexingConfig
) -> tuple[list[SplitDocument], bool]:
    """Split the readable files; return them, and whether all were readable."""
    from outcrop.sections.splitter import MarkdownSplitter

    splitter = MarkdownSplitter(config)
    documents: list[SplitDocument] = []
    is_complete = True
    for file in files:
        try:
            text = read_document(file)
        except InputError as error:
            report(error)
            is_complete = False
            continue
        note_other_format(file)
        path = Path(file).as_posix()
        fingerprint = sha256(text.encode()).hexdigest()
        found = splitter.split(text, path, fingerprint)
        documents.append(SplitDocument(path=path, text=text, sections=found))
    return documents, is_complete


def _summarize(documents: Iterable[SplitDocument], name: str) -> list[SplitDocument]:
    from outcrop.providers import open_summarizer
    from outcrop.sections.summaries import SummaryGenerator

    generator = SummaryGenerator(open_summarizer(name))

    async def summarize_all() -> list[SplitDocument]:
        return [
            replace(
                document,
                sections=await generator.add_summaries(
                    document.sections, document.text
                ),
            )
            for document in documents
        ]

    return asyncio.run(summarize_all())


def _embed(
    documents: Iterable[SplitDocument], name: str
) -> tuple[list[SplitDocument], int]:
    from outcrop.providers import open_embedder
    from outcrop.sections.vectors import embed_sections

    embedder = open_embedder(name)
    embedded = [
        replace(document, sections=embed_sections(document.sections, embedder))
        for document in documents
    ]
    return embedded, embedder.dimension


def _store(
    documents: Sequence[SplitDocument],
    out: str,
    dimension: int | None,
    *,
    overwrite: bool,
) -> None:
    from outcrop.sections.files import write_sections

    found = [section for document in documents for section in document.sections]
    write_sections(
        found,
        out,
        vector_dimension=dimension,
        stored_at=datetime.now(UTC),
        documents=[document.path for document in documents],
        overwrite=overwrite,
    )
    written = f"{len(found):,} sections written to {escape_controls(out)}"
    click.echo(written, err=True)


def _write_table(documents: Iterable[SplitDocument], max_tokens: int) -> None:
    """Print the outline of every document: tokens, lines and heading."""
    for index, document in enumerate(documents):
        gap = "\n" if index else ""
        found = count(len(document.sections), "section")
        click.echo(f"{gap}{escape_controls(document.path)}: {found}")
        for section in document.sections:
            lines = f"{section.start_line}-{section.end_line}"
            tokens = f"{section.token_count:,}"
            indent = "  " * max(section.depth - 1, 0)
            row = (
                f"{lines:>11}  {tokens:>7}  {indent}{escape_controls(section.heading)}"
            )
            note = f"  (over {max_tokens:,} tokens)" if section.is_over_limit else ""
            click.echo(row + note)
            if section.summary:
                click.echo(f"{'':22}{indent}{escape_controls(section.summary)}")
