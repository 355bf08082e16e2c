"""Reading the code graph: nodes by page, by id and by name, and the edges at them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from outcrop.model.application import Application
from outcrop.model.node import NodeRef
from outcrop.store._graph_rows import (
    EDGE_COLUMNS,
    NODE_COLUMNS,
    unpack_edge,
    unpack_node,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from outcrop.model.edge import Edge, EdgeKind
    from outcrop.model.node import Node, NodeKind
    from outcrop.store.database import Connection

_APPLICATIONS = """
SELECT a.id, a.name, a.metadata,
    (SELECT count(*) FROM nodes n WHERE n.application_id = a.id), a.created_at
FROM applications a ORDER BY a.id
"""
_PAGE = f"""
SELECT {NODE_COLUMNS} FROM nodes n
WHERE n.application_id = %(application)s AND n.id > %(after)s
    AND (%(kinds)s::text[] IS NULL OR n.kind = ANY(%(kinds)s))
ORDER BY n.id LIMIT %(limit)s
"""  # noqa: S608 - names of columns
_GET = f"SELECT {NODE_COLUMNS} FROM nodes n WHERE n.id = ANY(%s)"  # noqa: S608 - as above
# Overloads end in their parameters: `a.B.f(int)` is found as `B.f` too.
_FIND = f"""
SELECT {NODE_COLUMNS} FROM nodes n,
LATERAL (SELECT split_part(n.fqn, '(', 1) AS base) b,
LATERAL (SELECT CASE
    WHEN n.id = %(symbol)s THEN 0
    WHEN n.fqn = %(symbol)s THEN 1
    WHEN b.base = %(symbol)s THEN 2
    WHEN right(n.fqn, length(%(symbol)s)) = %(symbol)s
        AND right(n.fqn, length(%(symbol)s) + 1) ~ '^[.:/#]' THEN 3
    WHEN right(b.base, length(%(symbol)s)) = %(symbol)s
        AND right(b.base, length(%(symbol)s) + 1) ~ '^[.:/#]' THEN 3
    WHEN n.name = %(symbol)s THEN 4
    ELSE 9 END AS rank) r
WHERE (n.id = %(symbol)s OR n.fqn = %(symbol)s OR n.name = ANY(%(names)s))
    AND r.rank < 9
ORDER BY r.rank, length(n.fqn), n.fqn, n.application_id, n.id LIMIT %(limit)s
"""  # noqa: S608 - as above
_RESEMBLING = f"""
SELECT {NODE_COLUMNS} FROM nodes n
WHERE lower(n.name) LIKE %(pattern)s OR lower(n.fqn) LIKE %(anywhere)s
ORDER BY lower(n.name) = %(lower)s DESC, lower(n.name) LIKE %(pattern)s DESC,
    length(n.fqn), n.fqn, n.id LIMIT %(limit)s
"""  # noqa: S608 - as above
_NAMED = """
SELECT id, fqn, name, kind, file_path, line_start FROM nodes
WHERE name = ANY(%(names)s) OR fqn = ANY(%(names)s) ORDER BY id
"""
_DOCUMENT_CHUNKS = """
SELECT c.id, d.path, c.chunk_id, c.content
FROM chunks c JOIN documents d ON d.id = c.document_id
WHERE c.source = 'doc' AND c.node_id IS NULL AND c.indexable AND c.id > %(after)s
    AND (%(documents)s::text[] IS NULL OR c.document_id = ANY(%(documents)s))
ORDER BY c.id LIMIT %(limit)s
"""
_FROM = f"""
SELECT {EDGE_COLUMNS} FROM edges e
WHERE e.src = ANY(%(ids)s) AND (%(kinds)s::text[] IS NULL OR e.kind = ANY(%(kinds)s))
ORDER BY e.src, e.kind, e.dst
"""  # noqa: S608 - as above
_TO = _FROM.replace("e.src = ANY", "e.dst = ANY")
_PENDING = "SELECT value FROM index_settings WHERE key = 'mentions_pending'"
_PARTS = re.compile(r"[.:/#]+")


def read_applications(connection: Connection) -> list[Application]:
    """Return all applications by id."""
    return [
        Application(id=key, name=name, metadata=metadata, nodes=nodes, created_at=made)
        for key, name, metadata, nodes, made in connection.execute(_APPLICATIONS)
    ]


def read_nodes_page(
    connection: Connection,
    application: str,
    after: str,
    limit: int,
    kinds: Collection[NodeKind] | None,
) -> list[Node]:
    """Return nodes by id, from beyond an id on."""
    parameters = {
        "application": application,
        "after": after,
        "limit": limit,
        "kinds": None if kinds is None else [str(kind) for kind in kinds],
    }
    return list(map(unpack_node, connection.execute(_PAGE, parameters)))


def read_nodes(connection: Connection, ids: Sequence[str]) -> list[Node]:
    """Return nodes in the order of their ids as given, leaving out unknown ones."""
    rows = connection.execute(_GET, (list(ids),))
    found = {node.id: node for node in map(unpack_node, rows)}
    return [found[node_id] for node_id in ids if node_id in found]


def find_nodes(connection: Connection, symbol: str, limit: int) -> list[Node]:
    """Return the nodes a name may mean, best first."""
    parameters = {"symbol": symbol, "names": _last_names(symbol), "limit": limit}
    return list(map(unpack_node, connection.execute(_FIND, parameters)))


def find_resembling(connection: Connection, text: str, limit: int) -> list[Node]:
    """Return nodes whose name starts so, or whose qualified name holds it."""
    lower = text.lower()
    literal = re.sub(r"([\\%_])", r"\\\1", lower)
    parameters = {
        "lower": lower,
        "pattern": f"{literal}%",
        "anywhere": f"%{literal}%",
        "limit": limit,
    }
    return list(map(unpack_node, connection.execute(_RESEMBLING, parameters)))


def read_mentions_pending(connection: Connection) -> bool:
    """Return whether edges of documents may be out of date."""
    row = connection.execute(_PENDING).fetchone()
    return row is not None and row[0] is True


def read_named(connection: Connection, names: Collection[str]) -> list[NodeRef]:
    """Return the nodes of some own or qualified names, by id."""
    rows = connection.execute(_NAMED, {"names": list(names)})
    return [NodeRef(*row) for row in rows]


class DocumentChunk(NamedTuple):
    """A chunk of a document, and its text."""

    id: str
    path: str
    chunk_id: str
    content: str


def read_document_chunks(
    connection: Connection, after: str, limit: int, documents: Sequence[str] | None
) -> list[DocumentChunk]:
    """Return a page of the chunks that may mention nodes, by id."""
    parameters = {"after": after, "limit": limit, "documents": documents}
    rows = connection.execute(_DOCUMENT_CHUNKS, parameters)
    return [DocumentChunk(*row) for row in rows]


def read_edges_from(
    connection: Connection, ids: Sequence[str], kinds: Collection[EdgeKind] | None
) -> list[Edge]:
    """Return the edges from some nodes or chunks."""
    return list(map(unpack_edge, connection.execute(_FROM, _ends(ids, kinds))))


def read_edges_to(
    connection: Connection, ids: Sequence[str], kinds: Collection[EdgeKind] | None
) -> list[Edge]:
    """Return the edges to some nodes, or to names of what is external."""
    return list(map(unpack_edge, connection.execute(_TO, _ends(ids, kinds))))


def _ends(
    ids: Sequence[str], kinds: Collection[EdgeKind] | None
) -> dict[str, list[str] | None]:
    named = None if kinds is None else [str(kind) for kind in kinds]
    return {"ids": list(ids), "kinds": named}


def _last_names(symbol: str) -> list[str]:
    """Return what the name of a node can be that a symbol means."""
    base = symbol.partition("(")[0]
    return list({symbol, base, _PARTS.split(base)[-1], _PARTS.split(symbol)[-1]})
