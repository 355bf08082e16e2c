"""Notes on a search: what its index lacks, and the filters that would narrow it."""

from __future__ import annotations

from collections import Counter
from shlex import quote
from typing import TYPE_CHECKING

import click

from outcrop.cli.render.text import escape_controls
from outcrop.cli.verbosity import is_quiet

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from outcrop.indexing.index import Index
    from outcrop.indexing.sharded import AnyIndex
    from outcrop.model.hit import Hit

_MAX_VALUES = 3  # of one filter; more would not be read


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


def offer_filters(
    opened: AnyIndex, hits: Sequence[Hit], *, used: Collection[str]
) -> None:
    """Note on standard error which filters that are not used yet separate the hits."""
    if is_quiet():
        return
    values = {
        "--kind": [hit.source for hit in hits],
        "--lang": _languages(opened, hits),
        "--path": list(_folders([hit.path for hit in hits])),
    }
    offers = [
        ", ".join(f"{option} {escape_controls(quote(value))}" for value in chosen)
        for option, found in values.items()
        if option not in used and (chosen := _choose(found))
    ]
    if offers:
        click.echo(f"narrow it with: {'; '.join(offers)}", err=True)


def _choose(values: Iterable[str]) -> list[str]:
    """Return the most frequent values; nothing if all hits have the same."""
    counts = Counter(filter(None, values))
    return (
        [value for value, _ in counts.most_common(_MAX_VALUES)]
        if len(counts) > 1
        else []
    )


def _languages(opened: AnyIndex, hits: Sequence[Hit]) -> list[str]:
    paths = {hit.path for hit in hits}
    known = {
        document.path: document.lang or ""
        for part in opened.parts
        for document in part.store.get_documents(paths)
    }
    return [known.get(hit.path, "") for hit in hits]


def _folders(paths: Sequence[str]) -> Iterable[str]:
    """Yield the outermost folder of each path; nothing for a file outside of folders.

    Hits of several inner folders are the rule, and no reason for a filter.
    """
    for path in paths:
        folder, slash, _ = path.partition("/")
        yield f"{folder}{slash}" if folder and slash else ""
