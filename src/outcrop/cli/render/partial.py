"""Says that an index does not hold all documents yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from outcrop.cli.verbosity import is_quiet

if TYPE_CHECKING:
    from outcrop.indexing.index import Index
    from outcrop.indexing.sharded import AnyIndex


def why_partial(opened: AnyIndex) -> str | None:
    """Return why the index may lack documents, and what to do; None if it does not."""
    if missing := opened.missing:
        return f"no answer from {', '.join(missing)}; --require-all makes it an error"
    reasons = map(_why_unfinished, opened.parts)
    return next((reason for reason in reasons if reason is not None), None)


def _why_unfinished(opened: Index) -> str | None:
    from outcrop.indexing.freshness import latest_run
    from outcrop.model.run import RunState

    run = latest_run(opened.store)
    if run is None or run.state == RunState.DONE:
        return None
    if (running := opened.running()) is not None:
        return f"an index run is not finished: {running}"
    return "the last index run did not finish; complete it with: outcrop index"


def note_partial(opened: AnyIndex) -> None:
    """Note on standard error that results may be incomplete, if so."""
    if not is_quiet() and (partial := why_partial(opened)) is not None:
        click.echo(f"note: results may be incomplete: {partial}", err=True)
