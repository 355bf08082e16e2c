"""The progress of the indexer and of a run's stages, while they work."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from outcrop.cli.runs import stage_numbers
from outcrop.cli.verbosity import is_quiet
from outcrop.indexing.report import WAITING
from outcrop.presentation.text import count

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from outcrop.indexing.report import OnProgress, Progress

    Stages = Mapping[str, dict[str, int]]

_SECONDS_BETWEEN_STAGE_LINES = 2.0
_SECONDS_BETWEEN_FILE_LINES = 5.0
_MEGABYTE = 1_000_000


@contextmanager
def show_steps(*, quiet: bool = False) -> Iterator[Callable[[str], None]]:
    """Show the current step on a terminal, and nothing elsewhere.

    Yields:
        A callable that takes the current step.
    """
    if quiet or is_quiet() or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console

    with Console(stderr=True).status("") as status:
        yield status.update


@contextmanager
def show_stages(*, quiet: bool = False) -> Iterator[Callable[[Stages], None]]:
    """Show stages: one bar each on a terminal, a line every few seconds elsewhere.

    Yields:
        A callable that takes the counts of each stage.
    """
    if quiet or is_quiet():
        yield lambda _: None
    elif sys.stderr.isatty():
        with _stage_bars() as update:
            yield update
    else:
        lines = _StageLines()
        yield lines.update
        lines.print_last()


@contextmanager
def _stage_bars() -> Iterator[Callable[[Stages], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[numbers]}"),
        TimeRemainingColumn(),
    )
    tasks: dict[str, Any] = {}
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:

        def update(stages: Stages) -> None:
            for name, numbers in stages.items():
                if name not in tasks:
                    tasks[name] = bar.add_task(name, numbers="")
                bar.update(
                    tasks[name],
                    completed=numbers.get("done", 0) + numbers.get("failed", 0),
                    total=numbers.get("total", 0),
                    numbers=stage_numbers(numbers),
                )

        yield update


class _StageLines:
    """Prints a line every few seconds, and the last state at the end."""

    def __init__(self) -> None:
        self._last = time.monotonic()
        self._line = self._printed = ""

    def update(self, stages: Stages) -> None:
        self._line = "; ".join(
            f"{name} {stage_numbers(numbers)}" for name, numbers in stages.items()
        )
        if time.monotonic() - self._last >= _SECONDS_BETWEEN_STAGE_LINES:
            self.print_last()

    def print_last(self) -> None:
        if self._line and self._line != self._printed:
            click.echo(self._line, err=True)
            self._printed, self._last = self._line, time.monotonic()


@contextmanager
def show_progress() -> Iterator[OnProgress]:
    """Show progress: a bar on a terminal, a line every few seconds elsewhere."""
    if is_quiet():
        yield lambda _: None
    elif sys.stderr.isatty():
        with _file_bar() as on_progress:
            yield on_progress
    else:
        yield _FileLines().update


@contextmanager
def _file_bar() -> Iterator[OnProgress]:
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

        def update(progress: Progress) -> None:
            seconds = max(time.monotonic() - started, 1e-3)
            bar.update(
                task,
                completed=progress.files,
                total=progress.total_files,
                rate=_rate(progress, seconds),
                doing=progress.doing,
                visible=True,
            )

        yield update


class _FileLines:
    """Prints a line every few seconds, and at once when it waits for another run.

    In a long run each step has its line, however soon it follows the one before: what
    comes last, such as building the indexes, reports nothing until it is done.
    """

    def __init__(self) -> None:
        self._started = self._last = time.monotonic()
        self._doing = ""

    def update(self, progress: Progress) -> None:
        now = time.monotonic()
        if progress.doing == WAITING:
            click.echo(progress.doing, err=True)
            return
        is_long = now - self._started >= _SECONDS_BETWEEN_FILE_LINES
        is_step = is_long and progress.doing not in {"", self._doing}
        if not is_step and now - self._last < _SECONDS_BETWEEN_FILE_LINES:
            return
        self._last, self._doing = now, progress.doing
        rate = _rate(progress, now - self._started)
        done = f"{progress.files:,} of {count(progress.total_files, 'file')}"
        doing = f", {progress.doing}" if progress.doing else ""
        chunks = count(progress.chunks, "chunk")
        click.echo(f"{done}, {chunks}, {rate}{doing}", err=True)


def _rate(progress: Progress, seconds: float) -> str:
    files = progress.files / seconds
    return f"{files:,.0f} files/s, {progress.size_bytes / _MEGABYTE / seconds:.1f} MB/s"
