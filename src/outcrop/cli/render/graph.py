"""Symbols of the code graph, and what building it did, as text."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from outcrop.cli.render.index import bounds
from outcrop.cli.render.plain import escape_controls
from outcrop.cli.render.text import count, write_utf8
from outcrop.model.edge import EdgeKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outcrop.indexing.report import GraphReport
    from outcrop.model.symbol import Link, SymbolView


def write_symbol(view: SymbolView) -> None:
    """Print a symbol and what is around it."""
    node = view.node
    place = f" ({node.file_path}:{node.line_start})" if node.file_path else ""
    click.echo(escape_controls(f"{node.kind} {node.fqn}{place}"))
    if node.signature:
        click.echo(escape_controls(f"  {' '.join(node.signature.split())}"))
    if node.doc_comment:
        click.echo(escape_controls(f"  {node.doc_comment.splitlines()[0]}"))
    for title, links in _lists(view):
        if links:
            click.echo(f"  {title}:")
        for link in links:
            external = ", external" if link.external else ""
            name = escape_controls(link.name)
            click.echo(f"    {name}  [{link.resolution}{external}]")


def _lists(view: SymbolView) -> list[tuple[str, Sequence[Link]]]:
    def only(links: Sequence[Link], kind: EdgeKind) -> list[Link]:
        return [link for link in links if link.kind == kind]

    return [
        ("contained in", view.parents),
        ("extends", only(view.bases, EdgeKind.EXTENDS)),
        ("implements", only(view.bases, EdgeKind.IMPLEMENTS)),
        ("extended by", only(view.derived, EdgeKind.EXTENDS)),
        ("implemented by", only(view.derived, EdgeKind.IMPLEMENTS)),
        ("overrides", view.overrides),
        ("overridden by", view.overridden_by),
        ("called by", view.callers),
        ("calls", view.callees),
        ("imports", view.imports),
        ("imported by", view.imported_by),
        ("mentioned in", view.mentions),
    ]


def write_graph_report(report: GraphReport, *, as_json: bool) -> None:
    """Print what building a graph into the index did."""
    if as_json:
        write_utf8(json.dumps(asdict(report), ensure_ascii=False) + "\n")
        return
    for line in report.problems:
        click.echo(escape_controls(line), err=True)
    files = count(report.files, "file")
    application = escape_controls(report.application)
    if report.unchanged:
        click.echo(f"{application}: {files}, nothing has changed")
        return
    graph = report.graph
    click.echo(
        f"{application}: {files}, {count(graph.nodes, 'node')} "
        f"({graph.nodes_written:,} written, {graph.nodes_deleted:,} deleted), "
        f"{count(graph.edges, 'edge')} ({graph.edges_written:,} written, "
        f"{graph.edges_deleted:,} deleted), {report.seconds:.1f} s{bounds(graph)}"
    )
