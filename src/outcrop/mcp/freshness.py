"""Notes on answers: whether the index lags behind the files of the project."""

from __future__ import annotations

import time
from threading import Lock
from typing import TYPE_CHECKING

from outcrop.text.marks import on_one_line

if TYPE_CHECKING:
    from collections.abc import Collection

    from outcrop.indexing.freshness import ChangedFiles
    from outcrop.indexing.sharded import AnyIndex
    from outcrop.mcp.source import IndexSource

# Comparing walks the project, which takes a third of a second for 5,000 files.
_SECONDS_BETWEEN_COMPARISONS = 10.0
_MAX_NAMES = 5


class FreshnessNotes:
    """Describes what the index of a source lacks.

    A watched index lacks what its run has not reached yet, and says so. Otherwise the
    files are compared, at most every few seconds.
    """

    def __init__(self, source: IndexSource) -> None:
        self._source = source
        self._comparing = Lock()
        self._compared: ChangedFiles | None = None
        self._compared_at = -_SECONDS_BETWEEN_COMPARISONS

    def describe(self, paths: Collection[str] = ()) -> str | None:
        """Return what an answer with some documents may lack; None if nothing."""
        index = self._source.opened
        if index is None:
            return None
        notes = [
            index.note,
            self._describe_index(index),
            _describe_documents(index, paths),
        ]
        return "; ".join(note for note in notes if note) or None

    def _describe_index(self, index: AnyIndex) -> str | None:
        if (running := index.running()) is not None:
            return f"the index is being brought up to date: {running}"
        if (problem := self._source.problem) is not None:
            return f"the index cannot be brought up to date: {problem}"
        if self._source.is_refreshed:
            return None
        changed = self._compare(index)
        if changed is None or not changed.total:
            return None
        return f"{count_changes(changed)}; bring it up to date with: outcrop index"

    def _compare(self, index: AnyIndex) -> ChangedFiles | None:
        with self._comparing:
            if time.monotonic() - self._compared_at > _SECONDS_BETWEEN_COMPARISONS:
                self._compared = index.compare()
                self._compared_at = time.monotonic()
            return self._compared


def count_changes(changed: ChangedFiles) -> str:
    """Return how many files differ from the index, in words."""
    return (
        f"files that differ from the index: {len(changed.new):,} new,"
        f" {len(changed.changed):,} changed, {len(changed.gone):,} gone"
    )


def _describe_documents(index: AnyIndex, paths: Collection[str]) -> str | None:
    changed = index.changed_documents(paths)
    if not changed:
        return None
    names = ", ".join(map(on_one_line, changed[:_MAX_NAMES]))
    more = f" and {len(changed) - _MAX_NAMES:,} more" if changed[_MAX_NAMES:] else ""
    return f"changed since they were indexed: {names}{more}"
