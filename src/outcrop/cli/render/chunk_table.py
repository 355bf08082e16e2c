"""Chunks as a table and as a tree, on a terminal or in a pipe."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from outcrop.cli.render.text import align, escape_controls
from outcrop.presentation.document import node_size, node_title
from outcrop.presentation.reasons import boundary_reason, oversize_reason
from outcrop.presentation.text import count

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from outcrop.chunking.hierarchy import HierarchicalChunkingResult
    from outcrop.model.chunk import Chunk
    from outcrop.presentation.document import ChunkedDocument

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
    console.print(title.append(f": {document.summary}", style="not bold"))
    if not document.chunks:
        return
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("#", justify="right", no_wrap=True)
    table.add_column("lines", justify="right", no_wrap=True)
    table.add_column("size", justify="right", no_wrap=True)
    table.add_column("path", overflow="fold")
    table.add_column("why it starts here", overflow="fold")
    for number, chunk in enumerate(document.chunks, start=1):
        table.add_row(*_cells(number, chunk, document))
    console.print(table)


def _cells(number: int, chunk: Chunk, document: ChunkedDocument) -> list[Text]:
    size, limit = document.measure(chunk), document.limit
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


_HEAD = ("lines", "size", "children", "title")
_NUMBERS = range(3)


def write_tree(documents: Iterable[ChunkedDocument]) -> None:
    """Print title, lines, size and number of children of every node."""
    console = Console(highlight=False)
    for index, document in enumerate(documents):
        if index:
            click.echo()
        path = escape_controls(document.path)
        if console.is_terminal:
            title = Text(path, style="bold")
            console.print(title.append(f": {document.summary}", style="not bold"))
            if document.tree and document.tree.root_id:
                console.print(_drawn(document.tree, document.tree.root_id, None))
        else:
            click.echo(f"{path}: {document.summary}")
            for line in _indented(document.tree):
                click.echo(line)


def _drawn(tree: HierarchicalChunkingResult, chunk_id: str, above: Tree | None) -> Tree:
    """Return a node with everything below it; a tree is at most eight levels deep."""
    node = tree.get_chunk(chunk_id)
    assert node is not None  # noqa: S101 - ids of a tree name its nodes
    label = _label(tree, node)
    drawn = Tree(label, guide_style="dim") if above is None else above.add(label)
    for child in node.metadata["children_ids"]:
        _drawn(tree, child, drawn)
    return drawn


def _label(tree: HierarchicalChunkingResult, node: Chunk) -> Text:
    style = "cyan" if node.metadata["is_leaf"] else "bold"
    label = Text(escape_controls(node_title(tree, node)), style=style)
    size = count(node_size(node), "character")
    below = len(node.metadata["children_ids"])
    children = f", {below} {'child' if below == 1 else 'children'}" if below else ""
    place = f"  lines {node.start_line}-{node.end_line}, {size}{children}"
    return label.append(place, style="not bold dim default")


def _indented(tree: HierarchicalChunkingResult | None) -> Iterator[str]:
    """The nodes as rows, the numbers in columns and the titles indented."""
    if tree is None or not tree.chunks:
        return
    rows = [_HEAD, *(_row(tree, node) for node in tree.chunks)]
    yield from align(rows, numbers=_NUMBERS)


def _row(tree: HierarchicalChunkingResult, node: Chunk) -> tuple[str, str, str, str]:
    indent = "  " * len(tree.get_ancestors(node.chunk_id))
    below = len(node.metadata["children_ids"])
    return (
        f"{node.start_line}-{node.end_line}",
        f"{node_size(node):,}",
        str(below) if below else "-",
        indent + escape_controls(node_title(tree, node)),
    )
