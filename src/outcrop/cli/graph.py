"""`outcrop graph`: the code graph of a folder, written out or looked up."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from outcrop.model.edge import EdgeKind

if TYPE_CHECKING:
    from outcrop.codegraph import Graph
    from outcrop.model.node import Node

_FORMATS = ("json", "jsonl", "graphml", "dot", "html")
_KINDS = tuple(str(kind) for kind in EdgeKind if kind != EdgeKind.MENTIONS)
_LISTED = (
    ("contained in", EdgeKind.CONTAINS, "in"),
    ("extends", EdgeKind.EXTENDS, "out"),
    ("implements", EdgeKind.IMPLEMENTS, "out"),
    ("extended by", EdgeKind.EXTENDS, "in"),
    ("implemented by", EdgeKind.IMPLEMENTS, "in"),
    ("overrides", EdgeKind.OVERRIDES, "out"),
    ("overridden by", EdgeKind.OVERRIDES, "in"),
    ("called by", EdgeKind.CALLS, "in"),
    ("calls", EdgeKind.CALLS, "out"),
    ("imports", EdgeKind.IMPORTS, "out"),
    ("imported by", EdgeKind.IMPORTS, "in"),
)

_level = click.option(
    "--level",
    type=click.Choice(["local", "flow"]),
    default="flow",
    show_default=True,
    help="How far values are followed: within a function, or across calls.",
)


@click.group()
def graph() -> None:
    """Build the code graph of a project: definitions, calls, inheritance, routes."""


@graph.command()
@click.argument("path", type=click.Path(path_type=Path))
@click.option(
    "--format",
    "format_",
    type=click.Choice(_FORMATS),
    default="json",
    show_default=True,
    help="What to write; html is one page to pan and zoom.",
)
@click.option(
    "--kind",
    "kinds",
    type=click.Choice(_KINDS, case_sensitive=False),
    multiple=True,
    help="Only edges of this kind; may be given more than once.",
)
@_level
@click.option("--app", "application", help="Name of the application.")
@click.option(
    "--output",
    "-o",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write to a file instead of the standard output.",
)
def export(
    path: Path,
    format_: str,
    kinds: tuple[str, ...],
    level: Literal["local", "flow"],
    application: str | None,
    output: Path | None,
) -> None:
    """Write the graph of PATH. Nothing is stored; problems go to standard error."""
    from outcrop.codegraph import build
    from outcrop.codegraph.export import FORMATS

    found = build(path, application, level=level)
    if kinds:
        wanted = {kind.upper() for kind in kinds}
        kept = tuple(edge for edge in found.edges if edge.kind in wanted)
        found = dataclasses.replace(found, edges=kept)
    for line in found.report.lines():
        click.echo(line, err=True)
    pieces = FORMATS[format_](found)
    if output is None:
        # Names may hold what a terminal's encoding cannot; files are always UTF-8.
        stream = sys.stdout.buffer
        for piece in pieces:
            stream.write(piece.encode("utf-8", "backslashreplace"))
        stream.flush()
        return
    with output.open("w", encoding="utf-8", errors="backslashreplace") as file:
        file.writelines(pieces)


@graph.command()
@click.argument("symbol")
@click.argument("path", type=click.Path(path_type=Path), default=Path())
@_level
def show(symbol: str, path: Path, level: Literal["local", "flow"]) -> None:
    """Show what SYMBOL in PATH is, who calls it, and what it calls.

    SYMBOL is a qualified name, the end of one, or a bare name.
    """
    from outcrop.codegraph import build
    from outcrop.errors import InputError

    found = build(path, level=level)
    nodes = found.find(symbol)
    if not nodes:
        raise InputError(
            f"nothing in {str(path)!r} is called {symbol!r}; "
            "give a qualified name or the end of one"
        )
    for position, node in enumerate(nodes):
        if position:
            click.echo()
        _show_node(found, node)


def _show_node(graph_: Graph, node: Node) -> None:
    place = f" ({node.file_path}:{node.line_start})" if node.file_path else ""
    click.echo(f"{node.kind} {node.fqn}{place}")
    if node.signature:
        click.echo(f"  {' '.join(node.signature.split())}")
    if node.doc_comment:
        click.echo(f"  {node.doc_comment.splitlines()[0]}")
    for title, kind, direction in _LISTED:
        incoming = direction == "in"
        edges = (graph_.incoming if incoming else graph_.outgoing)(node.id, kind)
        lines = sorted(
            f"    {graph_.name_of(edge.src if incoming else edge.dst)}"
            f"  [{edge.resolution}{', external' if edge.external else ''}]"
            for edge in edges
        )
        if lines:
            click.echo(f"  {title}:")
            click.echo("\n".join(lines))
