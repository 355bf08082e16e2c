"""The index of the tools, opened when the first of them needs it.

A client starts the server long before its first call, often in a folder without an
index. So starting opens nothing; an index that cannot be opened is an error of the call
that needs it, and the next call tries again.
"""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

from outcrop.errors import NotFoundError

if TYPE_CHECKING:
    from collections.abc import Callable

    from outcrop.indexing.index import Index


class IndexSource:
    """An index that is opened on first use, by whichever thread comes first.

    Args:
        open_index: Opens it, or raises an `OutcropError`.
        owned: Whether `close` closes the index, or leaves that to its opener.
    """

    def __init__(self, open_index: Callable[[], Index], *, owned: bool = True) -> None:
        self._open_index = open_index
        self._owned = owned
        self._opening = Lock()
        self._index: Index | None = None

    def get(self) -> Index:
        """Return the index.

        Raises:
            OutcropError: It cannot be opened; the message says what to do.
        """
        with self._opening:
            if self._index is None:
                self._index = self._open_index()
            return self._index

    def close(self) -> None:
        """Close the index, if it was opened."""
        with self._opening:
            index, self._index = self._index, None
        if index is not None and self._owned:
            index.close()


def refuse_empty(index: Index) -> None:
    """Reject an empty index, with the command that fills it.

    Raises:
        NotFoundError: The index holds no document.
    """
    if not index.documents(limit=1):
        raise NotFoundError("the index is empty; fill it with: outcrop index PATH")
