"""The progress of a run's stages, while it runs."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from outcrop.cli.render.runs import stage_numbers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    Stages = Mapping[str, dict[str, int]]

_SECONDS_BETWEEN_LINES = 2.0


@contextmanager
def show_steps(*, quiet: bool = False) -> Iterator[Callable[[str], None]]:
    """Show the current step on a terminal, and nothing elsewhere.

    Yields:
        A callable that takes the current step.
    """
    if quiet or not sys.stderr.isatty():
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
    if quiet:
        yield lambda _: None
    elif sys.stderr.isatty():
        with _bars() as tell:
            yield tell
    else:
        lines = _Lines()
        yield lines.tell
        lines.tell_last()


@contextmanager
def _bars() -> Iterator[Callable[[Stages], None]]:
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

        def tell(stages: Stages) -> None:
            for name, numbers in stages.items():
                if name not in tasks:
                    tasks[name] = bar.add_task(name, numbers="")
                bar.update(
                    tasks[name],
                    completed=numbers.get("done", 0) + numbers.get("failed", 0),
                    total=numbers.get("total", 0),
                    numbers=stage_numbers(numbers),
                )

        yield tell


class _Lines:
    """Prints a line every few seconds, and the last state at the end."""

    def __init__(self) -> None:
        self._last = time.monotonic()
        self._line = self._printed = ""

    def tell(self, stages: Stages) -> None:
        self._line = "; ".join(
            f"{name} {stage_numbers(numbers)}" for name, numbers in stages.items()
        )
        if time.monotonic() - self._last >= _SECONDS_BETWEEN_LINES:
            self.tell_last()

    def tell_last(self) -> None:
        if self._line and self._line != self._printed:
            click.echo(self._line, err=True)
            self._printed, self._last = self._line, time.monotonic()
