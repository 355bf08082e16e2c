"""The progress and the report of the indexer."""

from __future__ import annotations

import json
import sys
import time
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from outcrop.cli.render.plain import escape_controls
from outcrop.cli.render.text import count, write_utf8
from outcrop.indexing.report import WAITING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from outcrop.indexing.report import (
        GraphCounts,
        IndexReport,
        OnProgress,
        Progress,
    )

_SECONDS_BETWEEN_LINES = 5.0
_MEGABYTE = 1_000_000
_MAX_NAMES = 3


@contextmanager
def show_progress() -> Iterator[OnProgress]:
    """Show progress: a bar on a terminal, a line every few seconds elsewhere."""
    if sys.stderr.isatty():
        with _bar() as on_progress:
            yield on_progress
    else:
        yield _Lines().tell


@contextmanager
def _bar() -> Iterator[OnProgress]:
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.completed:,.0f} of {task.total:,.0f} files"),
        TextColumn("{task.fields[doing]}"),
        BarColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    started = time.monotonic()
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("index", total=None, visible=False, rate="", doing="")

        def tell(progress: Progress) -> None:
            seconds = max(time.monotonic() - started, 1e-3)
            bar.update(
                task,
                completed=progress.files,
                total=progress.total_files,
                rate=_rate(progress, seconds),
                doing=progress.doing,
                visible=True,
            )

        yield tell


class _Lines:
    """Prints a line every few seconds, and immediately that it waits for a run."""

    def __init__(self) -> None:
        self._started = self._last = time.monotonic()

    def tell(self, progress: Progress) -> None:
        now = time.monotonic()
        if progress.doing == WAITING:
            click.echo(progress.doing, err=True)
            return
        if now - self._last < _SECONDS_BETWEEN_LINES:
            return
        self._last = now
        rate = _rate(progress, now - self._started)
        done = f"{progress.files:,} of {count(progress.total_files, 'file')}"
        doing = f", {progress.doing}" if progress.doing else ""
        chunks = count(progress.chunks, "chunk")
        click.echo(f"{done}, {chunks}, {rate}{doing}", err=True)


def _rate(progress: Progress, seconds: float) -> str:
    files = progress.files / seconds
    return f"{files:,.0f} files/s, {progress.size_bytes / _MEGABYTE / seconds:.1f} MB/s"


def write_report(report: IndexReport, *, as_json: bool) -> None:
    """Print what a run did."""
    if as_json:
        write_utf8(json.dumps(asdict(report), ensure_ascii=False) + "\n")
        return
    for problem in report.problems:
        click.echo(escape_controls(f"not indexed: {problem.path}: {problem.reason}"))
    for note in report.notes:
        click.echo(f"note: {escape_controls(note)}")
    if report.dry_run:
        _write_plan(report)
    click.echo(_summary(report))
    if report.graph.nodes:
        click.echo(_graph(report.graph))
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


def _write_plan(report: IndexReport) -> None:
    for sign, paths in (
        ("+", report.added),
        ("~", report.changed),
        ("-", report.removed),
    ):
        for path in paths:
            click.echo(f"{sign} {escape_controls(path)}")


def _graph(graph: GraphCounts) -> str:
    return (
        f"code graph: {count(graph.nodes, 'node')} ({graph.nodes_written:,} written, "
        f"{graph.nodes_deleted:,} deleted), {count(graph.edges, 'edge')} "
        f"({graph.edges_written:,} written, {graph.edges_deleted:,} deleted), "
        f"{count(graph.mentions, 'mention')} changed{bounds(graph)}"
    )


def bounds(graph: GraphCounts) -> str:
    """Return what was not followed because there was too much of it, in words."""
    found = ""
    if graph.saturated:
        found += f"; {count(graph.saturated, 'value')} too wide to follow"
    if graph.unfollowed:
        found += f"; {count(graph.unfollowed, 'value')} beyond the budget"
    return found


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
