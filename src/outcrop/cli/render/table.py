"""Chunks as text: one table per document, on a terminal or in a pipe."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from outcrop.cli.render.plain import escape_controls
from outcrop.cli.render.text import summary
from outcrop.presentation.reasons import boundary_reason, oversize_reason

if TYPE_CHECKING:
    from collections.abc import Iterable

    from outcrop.model.chunk import Chunk
    from outcrop.presentation.chunked_document import ChunkedDocument

# Wide enough for any row: output into a pipe is never folded.
_PIPE_WIDTH = 100_000


def write_table(documents: Iterable[ChunkedDocument]) -> None:
    """Print number, lines, size, path and reason of every chunk."""
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=_PIPE_WIDTH)
    for index, document in enumerate(documents):
        with console.capture() as capture:
            _print_document(console, document)
        if index:
            click.echo()
        for line in capture.get().splitlines():
            click.echo(line.rstrip(), color=True)


def _print_document(console: Console, document: ChunkedDocument) -> None:
    title = Text(escape_controls(document.path), style="bold")
    console.print(title.append(f": {summary(document)}", style="not bold"))
    if not document.chunks:
        return
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("#", justify="right", no_wrap=True)
    table.add_column("lines", justify="right", no_wrap=True)
    table.add_column("size", justify="right", no_wrap=True)
    table.add_column("path", overflow="fold")
    table.add_column("why it starts here", overflow="fold")
    for number, chunk in enumerate(document.chunks, start=1):
        table.add_row(*_cells(number, chunk, document.limit))
    console.print(table)


def _cells(number: int, chunk: Chunk, limit: int) -> list[Text]:
    size = len(chunk.content)
    reason = Text(boundary_reason(chunk))
    if excuse := oversize_reason(chunk):
        reason.append(f" ({excuse}, over {limit:,})", style="yellow")
    return [
        Text(str(number), style="dim"),
        Text(f"{chunk.start_line}-{chunk.end_line}"),
        Text(f"{size:,}", style="yellow" if size > limit else ""),
        Text(escape_controls(str(chunk.metadata["header_path"])), style="cyan"),
        reason,
    ]
