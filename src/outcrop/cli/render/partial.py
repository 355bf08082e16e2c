"""Says that an index does not hold all documents yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from outcrop.cli.verbosity import is_quiet

if TYPE_CHECKING:
    from outcrop.indexing.index import Index

_LATEST_RUNS = 5  # builds and runs of workers may be among them


def why_partial(opened: Index) -> str | None:
    """Return why the index may lack documents, and what to do; None if it does not."""
    from outcrop.model.run import RunState

    runs = [run for run in opened.runs(_LATEST_RUNS) if run.kind == "index"]
    if not runs or runs[0].state == RunState.DONE:
        return None
    if runs[0].state == RunState.RUNNING:
        return "an index run is not finished; see: outcrop runs"
    return "the last index run did not finish; complete it with: outcrop index"


def note_partial(opened: Index) -> None:
    """Note on standard error that results may be incomplete, if so."""
    if not is_quiet() and (partial := why_partial(opened)) is not None:
        click.echo(f"note: results may be incomplete: {partial}", err=True)
