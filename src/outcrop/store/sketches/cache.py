"""The sketches that this process has read, kept from search to search."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

from outcrop.store.sketches.table import read_view

if TYPE_CHECKING:
    from outcrop.store.database import Connection
    from outcrop.store.sketches.view import SketchView


class SketchCache:
    """The latest view of the sketches of one index; safe to use from several threads."""

    def __init__(self) -> None:
        """Begin without any."""
        self._lock = Lock()
        self._view: SketchView | None = None

    def view(
        self, connection: Connection, keys: frozenset[str], dimension: int
    ) -> SketchView:
        """Return the sketches of some blocks; only new blocks are read.

        Args:
            connection: In a transaction that sees the blocks.
            keys: The blocks.
            dimension: That of the embeddings.
        """
        view = self._view
        if view is not None and view.holds(keys, dimension):
            return view
        with self._lock:
            view = self._view
            if view is None or not view.holds(keys, dimension):
                view = read_view(connection, keys, dimension, view)
                self._view = view
            return view
