"""Looks up chunks, documents, symbols and runs of an index."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.errors import InputError, NotFoundError
from outcrop.indexing.symbols import find_symbols, view_symbol
from outcrop.search.hits import make_hit

if TYPE_CHECKING:
    from outcrop.model.hit import Hit
    from outcrop.model.node import Node
    from outcrop.model.run import Run
    from outcrop.model.stored import Document, StoredChunk
    from outcrop.model.symbol import SymbolView
    from outcrop.store.store import PostgresStore

_MIN_ID_DIGITS = 4
_MAX_NEIGHBOURS = 1_000_000  # more than any document has
_MAX_RUNS = 10_000
_MAX_RUN_ID = 2**63 - 1


class IndexReader:
    """The read-only part of `Index`.

    Attributes:
        store: The store to read.
    """

    def __init__(self, store: PostgresStore) -> None:
        self.store = store

    def get(self, chunk_id: str) -> Hit:
        """Return a chunk by its id or the first digits of it.

        A section with subsections has its whole text.

        Raises:
            NotFoundError: No chunk has this id, or several start with the digits.
        """
        return self._whole(self._find(chunk_id))

    def neighbours(
        self, chunk_id: str, *, before: int = 1, after: int = 1
    ) -> list[Hit]:
        """Return the chunks next to one in its document, in order.

        Raises:
            InputError: A number is negative or not an integer.
            NotFoundError: The chunk does not exist.
        """
        for name, number in (("before", before), ("after", after)):
            if not isinstance(number, int) or number < 0:
                raise InputError(f"{name} is {number!r}, but it must be at least 0")
        chunk = self._find(chunk_id)
        around = self.store.neighbours(
            chunk.id,
            before=min(before, _MAX_NEIGHBOURS),
            after=min(after, _MAX_NEIGHBOURS),
        )
        return [make_hit([leaf], chunk_id=leaf.id) for leaf in around]

    def documents(self, *, after: str = "", limit: int | None = None) -> list[Document]:
        """Return documents in the byte order of their paths; all by default.

        Args:
            after: Return documents after this path, the last one of the page before.
            limit: Maximum number of results.

        Raises:
            InputError: The limit is not positive, or the path contains a NUL.
        """
        if limit is not None:
            _check_limit(limit)
        if "\0" in after:
            raise InputError(f"after is {after!r}, but a path cannot contain a NUL")
        return self.store.documents(after=after, limit=limit)

    def symbols(self, query: str, limit: int = 10) -> list[Node]:
        """Return the symbols of the code graph that a text may mean, best first.

        Args:
            query: A qualified name, the end of one, a name, or the start of one.
            limit: Maximum number of results.
        """
        return find_symbols(self.store, query, limit)

    def symbol(self, name_or_id: str) -> SymbolView:
        """Return a symbol with its callers, callees, parents and other relations.

        Of several with the name, it is the one with the shortest qualified name.

        Args:
            name_or_id: The node's id, its qualified name, the end of it, or its name.

        Raises:
            NotFoundError: It does not exist.
        """
        found = self.store.find_nodes(name_or_id, limit=1)
        if not found:
            raise NotFoundError(
                f"nothing in the code graph of the index is called {name_or_id!r}; "
                "give a qualified name or the end of one"
            )
        return view_symbol(self.store, found[0])

    def runs(self, limit: int = 20) -> list[Run]:
        """Return the latest runs, newest first.

        Raises:
            InputError: The limit is not a positive integer.
        """
        _check_limit(limit)
        return self.store.runs(min(limit, _MAX_RUNS))

    def run(self, run_id: int) -> Run:
        """Return one run.

        Raises:
            NotFoundError: It does not exist.
        """
        if not isinstance(run_id, int) or not 0 < run_id <= _MAX_RUN_ID:
            raise NotFoundError(f"there is no run {run_id!r} in the index")
        return self.store.get_run(run_id)

    def _find(self, chunk_id: str) -> StoredChunk:
        if len(chunk_id) < _MIN_ID_DIGITS:
            raise NotFoundError(
                f"{chunk_id!r} is not the id of a chunk: give at least {_MIN_ID_DIGITS} digits"
            )
        found = self.store.find_chunks(chunk_id, limit=2)
        if not found:
            raise NotFoundError(f"there is no chunk {chunk_id!r} in the index")
        if len(found) > 1:
            raise NotFoundError(f"several chunks start with {chunk_id!r}: give more")
        return found[0]

    def _whole(self, chunk: StoredChunk) -> Hit:
        if chunk.is_leaf or chunk.start_offset is None or chunk.end_offset is None:
            return make_hit([chunk], chunk_id=chunk.id)
        leaves = [
            leaf
            for leaf in self.store.chunks_of(chunk.path)
            if leaf.is_leaf
            and leaf.start_offset is not None
            and chunk.start_offset <= leaf.start_offset < chunk.end_offset
        ]
        headers = tuple(chunk.section_path)
        return make_hit(leaves or [chunk], chunk_id=chunk.id, headers=headers)


def _check_limit(limit: int) -> None:
    if not isinstance(limit, int) or limit < 1:
        raise InputError(f"limit is {limit!r}, but it must be at least 1")
