"""Reads an index: chunks, documents, symbols, runs and its status."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import TYPE_CHECKING

from outcrop.errors import InputError, NotFoundError
from outcrop.indexing.hierarchy import (
    HierarchyReader,
    check_limit,
    chunk_hits,
    find_item,
)
from outcrop.model.edge import EdgeKind
from outcrop.model.graph import SymbolView, make_view
from outcrop.model.stored import StoredChunk
from outcrop.store.projects.identity import is_same_folder, still_holds
from outcrop.store.server.disk import disk_usage

if TYPE_CHECKING:
    from collections.abc import Iterable

    from outcrop.model.edge import Edge
    from outcrop.model.hit import Hit
    from outcrop.model.node import Node
    from outcrop.model.run import Run
    from outcrop.model.stored import Document
    from outcrop.store.database import ServerInfo
    from outcrop.store.projects.choose import Space
    from outcrop.store.sharded_store import AnyStore
    from outcrop.store.store import PostgresStore, StoreStatus

# A name that is not known resembles those which share this much of their letters.
_MIN_RESEMBLANCE = 0.7
_MAX_SIMILAR = 3
_MAX_RESEMBLING = 50
_MIN_NAME_CHARS = 2
_MAX_NAME_CHARS = 200
_NAME_PARTS = re.compile(r"[.:/#]+")
_MAX_NEIGHBOURS = 1_000_000  # more than any document has
_MAX_RUNS = 10_000
_MAX_RUN_ID = 2**63 - 1


class IndexReader(HierarchyReader):
    """The read-only part of `Index`."""

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
        item = find_item(self.store, chunk_id)
        if not isinstance(item, StoredChunk):
            raise NotFoundError(
                f"{chunk_id!r} is not a chunk; only chunks have neighbours"
            )
        around = self.store.neighbours(
            item.id,
            before=min(before, _MAX_NEIGHBOURS),
            after=min(after, _MAX_NEIGHBOURS),
        )
        return chunk_hits(self.store, around)

    def documents(self, *, after: str = "", limit: int | None = None) -> list[Document]:
        """Return documents in the byte order of their paths; all by default.

        Args:
            after: Return documents after this path, the last one of the page before.
            limit: Maximum number of results.

        Raises:
            InputError: The limit is not positive, or the path is not a str or contains a
                NUL.
        """
        if limit is not None:
            check_limit(limit)
        if not isinstance(after, str):
            raise InputError(
                f"after is {after!r}, but it must be the path of a document"
            )
        if "\0" in after:
            raise InputError(f"after is {after!r}, but a path cannot contain a NUL")
        return self.store.documents(after=after, limit=limit)

    def symbols(self, query: str, limit: int = 10) -> list[Node]:
        """Return the symbols of the code graph that a text may mean, best first.

        Args:
            query: A qualified name, the end of one, a name, or the start of one.
            limit: Maximum number of results.

        Raises:
            InputError: The query is not a str, or the limit is not positive.
        """
        _check_name(query)
        check_limit(limit)
        return find_symbols(self.store, query, limit)

    def symbol(self, name_or_id: str) -> SymbolView:
        """Return a symbol with its callers, callees, parents and other relations.

        Of several with the name, it is the one with the shortest qualified name.

        Args:
            name_or_id: The node's id, its qualified name, the end of it, or its name.

        Raises:
            InputError: The name is not a str.
            NotFoundError: It does not exist.
        """
        _check_name(name_or_id)
        found = self.store.find_nodes(name_or_id, limit=1)
        if not found:
            raise NotFoundError(
                f"nothing in the code graph of the index is called {name_or_id!r}; "
                "give a qualified name or the end of one"
                f"{name_similar(self.store, name_or_id)}"
            )
        return view_symbol(self.store, found[0])

    def runs(self, limit: int = 20) -> list[Run]:
        """Return the latest runs, newest first.

        Raises:
            InputError: The limit is not a positive integer.
        """
        check_limit(limit)
        return self.store.runs(min(limit, _MAX_RUNS))

    def run(self, run_id: int) -> Run:
        """Return one run.

        Raises:
            NotFoundError: It does not exist.
        """
        if not isinstance(run_id, int) or not 0 < run_id <= _MAX_RUN_ID:
            raise NotFoundError(f"there is no run {run_id!r} in the index")
        return self.store.get_run(run_id)


def _check_name(name: str) -> None:
    if not isinstance(name, str):
        raise InputError(
            f"the name of a symbol must be a str, not {type(name).__name__}"
        )


def find_symbols(store: AnyStore, query: str, limit: int) -> list[Node]:
    """Return the nodes with a name; if there are none, those with similar names."""
    text = query.strip()
    if not text:
        return []
    found = store.find_nodes(text, limit=limit)
    return found or store.resembling_nodes(text, limit=limit)


def similar_symbols(store: AnyStore, name: str) -> list[str]:
    """Return the qualified names that a misspelt one most resembles, best first."""
    text = name.strip()[:_MAX_NAME_CHARS]
    last = _NAME_PARTS.split(text)[-1]
    owner = text.removesuffix(last)
    found: dict[str, float] = {}
    for start in dict.fromkeys([text, last, last[: (len(last) + 1) // 2], owner]):
        if len(start) < _MIN_NAME_CHARS:
            break
        for node in store.resembling_nodes(start, limit=_MAX_RESEMBLING):
            end = node.fqn.lower()[-len(text) :]
            found[node.fqn] = SequenceMatcher(None, text.lower(), end).ratio()
    best = sorted(found, key=lambda fqn: (-found[fqn], len(fqn), fqn))
    return [fqn for fqn in best if found[fqn] >= _MIN_RESEMBLANCE][:_MAX_SIMILAR]


def name_similar(store: AnyStore, name: str) -> str:
    """Return the end of a message about an unknown name: the similar ones, if any."""
    similar = similar_symbols(store, name)
    return f"; similar: {', '.join(similar)}" if similar else ""


def view_symbol(store: AnyStore, node: Node) -> SymbolView:
    """Return a node of the stored graph with its relations."""
    outgoing = store.edges_from([node.id])
    incoming = store.edges_to([node.id])
    ends = {e.dst for e in outgoing if not e.external} | {e.src for e in incoming}
    nodes = {each.id: each for each in store.get_nodes(sorted(ends))}
    return make_view(node, outgoing, incoming, nodes, _chunk_names(store, incoming))


def _chunk_names(store: AnyStore, edges: Iterable[Edge]) -> dict[str, str]:
    """Return display names of the chunks that mention a node: path and headings."""
    ids = [edge.src for edge in edges if edge.kind == EdgeKind.MENTIONS]
    return {
        chunk.id: " > ".join([chunk.path, *chunk.section_path])
        for chunk in store.get_chunks(ids)
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexStatus:
    """The status of an index.

    Attributes:
        project: The folder that paths are relative to.
        name: The project's name in a shared database.
        schema: The PostgreSQL schema that holds it.
        root: The folder recorded in the database for the project.
        notice: A remark for the user if the folders differ.
        server: The PostgreSQL server that holds it.
        contents: Counts of what is stored.
        embedder: Name of the configured embedder.
        disk_bytes: Size of the embedded server's folder on disk; None for a server.
    """

    project: str
    server: ServerInfo
    contents: StoreStatus
    embedder: str
    name: str | None
    schema: str
    root: str | None
    notice: str | None
    disk_bytes: int | None = None


def read_status(
    space: Space, store: PostgresStore, project: Path, embedder: str
) -> IndexStatus:
    """Return the status of an open index."""
    return IndexStatus(
        project=str(project),
        name=space.name,
        schema=space.schema,
        root=None if space.root is None else str(space.root),
        notice=describe_mismatch(space, project),
        server=store.server,
        contents=store.status(),
        embedder=embedder,
        disk_bytes=_disk_bytes(store.server),
    )


def _disk_bytes(server: ServerInfo) -> int | None:
    if not server.embedded:
        return None
    return disk_usage(Path(server.location))


def describe_mismatch(space: Space, folder: Path) -> str | None:
    """Return a notice if the folder in use is not the recorded one."""
    if space.root is None or is_same_folder(space.root, folder):
        return space.notice
    if still_holds(space.root, space.id):
        return f"the project is the index of {space.root}, not of {folder}"
    return (
        f"the project was indexed in {space.root}, which no longer exists or is another"
        f" project; the next run of outcrop index notes {folder}"
    )
