"""Reports of the indexer and of building a graph."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from outcrop.cli.render.text import escape_controls, write_json
from outcrop.cli.verbosity import is_quiet
from outcrop.presentation.text import count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outcrop.indexing.report import (
        GraphCounts,
        GraphReport,
        IndexReport,
    )

_MAX_NAMES = 3


def write_report(report: IndexReport, *, as_json: bool) -> None:
    """Print what a run did."""
    if as_json:
        write_json(asdict(report), indent=None)
        return
    for problem in report.problems:
        click.echo(escape_controls(f"not indexed: {problem.path}: {problem.reason}"))
    if is_quiet() and not report.dry_run:
        return
    for note in report.notes:
        click.echo(f"note: {escape_controls(note)}")
    if report.dry_run:
        plan = {"+": report.added, "~": report.changed, "-": report.removed}
        for sign, paths in plan.items():
            for path in paths:
                click.echo(f"{sign} {escape_controls(path)}")
    click.echo(_summary(report))
    graph = report.graph
    if graph.nodes:
        mentions = count(graph.mentions, "mention")
        click.echo(f"code graph: {_counts(graph)}, {mentions} changed{_bounds(graph)}")
    if report.skipped:
        reasons = (f"{name} {number:,}" for name, number in report.skipped.items())
        click.echo(f"skipped: {', '.join(sorted(reasons))}")
    _write_names("not followed", report.outside_links, "--follow-links")
    _write_names("may hold secrets", report.secrets, "--include-secrets")


def _write_names(why: str, paths: Sequence[str], option: str) -> None:
    """Print some of the paths that an option would include."""
    if not paths:
        return
    shown = [escape_controls(path) for path in paths[:_MAX_NAMES]]
    more = len(paths) - len(shown)
    others = f" and {more:,} more" if more else ""
    click.echo(f"{why}: {', '.join(shown)}{others}; include them with {option}")


def _counts(graph: GraphCounts) -> str:
    return (
        f"{count(graph.nodes, 'node')} ({graph.nodes_written:,} written, "
        f"{graph.nodes_deleted:,} deleted), {count(graph.edges, 'edge')} "
        f"({graph.edges_written:,} written, {graph.edges_deleted:,} deleted)"
    )


def _bounds(graph: GraphCounts) -> str:
    """Return what was not followed because there was too much of it, in words."""
    found = ""
    if graph.saturated:
        found += f"; {count(graph.saturated, 'value')} too wide to follow"
    if graph.unfollowed:
        found += f"; {count(graph.unfollowed, 'value')} beyond the budget"
    return found


def write_graph_report(report: GraphReport, *, as_json: bool) -> None:
    """Print what building a graph into the index did."""
    if as_json:
        write_json(asdict(report), indent=None)
        return
    for line in report.problems:
        click.echo(escape_controls(line), err=True)
    if is_quiet():
        return
    files = count(report.files, "file")
    application = escape_controls(report.application)
    if report.unchanged:
        click.echo(f"{application}: {files}, nothing has changed")
        return
    click.echo(
        f"{application}: {files}, {_counts(report.graph)}, {report.seconds:.1f} s"
        f"{_bounds(report.graph)}"
    )


def _summary(report: IndexReport) -> str:
    numbers = (
        f"{len(report.added):,} added, {len(report.changed):,} changed, "
        f"{len(report.removed):,} removed, {report.unchanged:,} unchanged"
    )
    if report.dry_run:
        return f"nothing written; {numbers}"
    chunks = report.chunks_inserted + report.chunks_updated
    return (
        f"{numbers}; {count(chunks, 'chunk')} written, {report.embedded:,} embedded, "
        f"{report.seconds:.1f} s"
    )
