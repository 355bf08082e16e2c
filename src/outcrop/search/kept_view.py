"""One view of an index for two readers, one after the other.

Opening a view costs as much as some searches. Whoever checks the spelling of a question
and then searches for it reads the same words of the same state.
"""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from outcrop.search.source import CandidateSource, SourceOpener


class KeptView:
    """Keeps a view open until it is used again; for one thread."""

    def __init__(self, open_source: SourceOpener, opened: ExitStack) -> None:
        """Open views of an index.

        Args:
            open_source: Opens the index.
            opened: Closes a view that is not used again.
        """
        self._open_source = open_source
        self._opened = opened
        self._kept: CandidateSource | None = None

    @contextmanager
    def keep(self, *, terms: Collection[str] = ()) -> Iterator[CandidateSource]:
        """Open a view that stays open; see `SourceOpener`."""
        if self._kept is None:
            self._kept = self._opened.enter_context(self._open_source(terms=terms))
        yield self._kept

    @contextmanager
    def take(self, *, terms: Collection[str] = ()) -> Iterator[CandidateSource]:
        """Open the kept view, or another one, and close it at the end."""
        with self._opened:
            kept, self._kept = self._kept, None
            yield kept or self._opened.enter_context(self._open_source(terms=terms))
