"""Nodes of the code graph: their rows, and reading them by page, id, name and file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from outcrop.model.node import Node, NodeKind, NodeRef
from outcrop.model.stored import document_id
from outcrop.store.connected import ConnectedStore
from outcrop.store.packing import clean_row, clean_text, hash_row, pack_texts

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from outcrop.store.database import Connection

# Types are those of binary COPY; arrays are packed as PostgreSQL would send them.
COPY_NODES = {
    "id": "text",
    "row_hash": "int8",
    "document_id": "text",
    "application_id": "text",
    "kind": "text",
    "lang": "text",
    "name": "text",
    "package_name": "text",
    "fqn": "text",
    "signature": "text",
    "doc_comment": "text",
    "source_code": "text",
    "file_path": "text",
    "line_start": "int4",
    "line_end": "int4",
    "start_offset": "int8",
    "end_offset": "int8",
    "annotations": "bytea",
    "visibility": "text",
    "http_method": "text",
    "http_path": "text",
}
_FIELDS = [name for name in COPY_NODES if name not in ("row_hash", "document_id")]
_COLUMNS = ", ".join(f"n.{name}" for name in _FIELDS)

_PAGE = f"""
SELECT {_COLUMNS} FROM nodes n
WHERE n.application_id = %(application)s AND n.id > %(after)s
    AND (%(kinds)s::text[] IS NULL OR n.kind = ANY(%(kinds)s))
ORDER BY n.id LIMIT %(limit)s
"""  # noqa: S608 - names of columns
_GET = f"SELECT {_COLUMNS} FROM nodes n WHERE n.id = ANY(%s)"  # noqa: S608 - as above
# Overloads end in their parameters: `a.B.f(int)` is found as `B.f` too.
_FIND = f"""
SELECT {_COLUMNS} FROM nodes n,
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
SELECT {_COLUMNS} FROM nodes n
WHERE lower(n.name) LIKE %(pattern)s OR lower(n.fqn) LIKE %(anywhere)s
ORDER BY lower(n.name) = %(lower)s DESC, lower(n.name) LIKE %(pattern)s DESC,
    length(n.fqn), n.fqn, n.id LIMIT %(limit)s
"""  # noqa: S608 - as above
_READ_REFS = "SELECT id, fqn, name, kind, file_path, line_start FROM nodes"
_NAMED = f"{_READ_REFS} WHERE name = ANY(%(names)s) OR fqn = ANY(%(names)s) ORDER BY id"
_REFS = f"{_READ_REFS} WHERE id = ANY(%s) ORDER BY id"
_IN_FILES = f"""
SELECT {_COLUMNS} FROM nodes n
WHERE n.document_id = ANY(%s) AND n.application_id = %s
"""  # noqa: S608 - as above
_COUNTS = """
SELECT file_path, count(*) FROM nodes
WHERE application_id = %s AND file_path IS NOT NULL GROUP BY file_path ORDER BY file_path
"""
_MOST_CALLED = """
SELECT e.dst, count(*) FROM edges e
WHERE e.kind = 'CALLS' AND NOT e.external AND e.resolution <> 'heuristic'
GROUP BY e.dst ORDER BY count(*) DESC, e.dst LIMIT %s
"""
# The node of a file holds its text.
_FILE_TEXT = """
SELECT source_code FROM nodes
WHERE document_id = %s AND start_offset = 0 AND source_code IS NOT NULL
ORDER BY end_offset DESC LIMIT 1
"""
_PARTS = re.compile(r"[.:/#]+")


class Nodes(ConnectedStore):
    """The nodes of all applications."""

    def nodes_page(
        self,
        application_id: str,
        *,
        after: str = "",
        limit: int = 200,
        kinds: Collection[NodeKind] | None = None,
    ) -> list[Node]:
        """Return a page of an application's nodes, by id, after one of them."""
        parameters = {
            "application": application_id,
            "after": after,
            "limit": limit,
            "kinds": None if kinds is None else [str(kind) for kind in kinds],
        }
        return list(map(_unpack, self._fetch(_PAGE, parameters)))

    def get_nodes(self, ids: Sequence[str]) -> list[Node]:
        """Return nodes in the order of the ids; unknown ones are left out."""
        if not ids:
            return []
        nodes = {
            node.id: node for node in map(_unpack, self._fetch(_GET, (list(ids),)))
        }
        return [nodes[node_id] for node_id in ids if node_id in nodes]

    def find_nodes(self, symbol: str, *, limit: int = 20) -> list[Node]:
        """Return the nodes that a symbol may refer to, best first.

        A symbol is an id, a qualified name, the end of one, or a name.
        """
        return self._read(lambda connection: match_nodes(connection, symbol, limit))

    def resembling_nodes(self, text: str, *, limit: int = 20) -> list[Node]:
        """Return nodes whose name starts with a text, or whose qualified name has it."""
        lower = clean_text(text).lower()
        literal = re.sub(r"([\\%_])", r"\\\1", lower)
        parameters = {
            "lower": lower,
            "pattern": f"{literal}%",
            "anywhere": f"%{literal}%",
            "limit": limit,
        }
        return list(map(_unpack, self._fetch(_RESEMBLING, parameters)))

    def named_nodes(self, names: Collection[str]) -> list[NodeRef]:
        """Return the nodes with one of these names, qualified or not, by id."""
        if not names:
            return []
        rows = self._fetch(_NAMED, {"names": list(names)})
        return [NodeRef(*row) for row in rows]

    def node_refs(self, ids: Collection[str]) -> list[NodeRef]:
        """Return references to nodes, by id; unknown ones are left out."""
        rows = self._fetch(_REFS, (list(ids),)) if ids else []
        return [NodeRef(*row) for row in rows]

    def nodes_in(self, application_id: str, paths: Sequence[str]) -> list[Node]:
        """Return an application's nodes in some files."""
        documents = [document_id(path) for path in paths]
        return list(map(_unpack, self._fetch(_IN_FILES, (documents, application_id))))

    def file_text(self, path: str) -> str | None:
        """Return the text of a file; None if no node holds it."""
        rows = self._fetch(_FILE_TEXT, (document_id(path),))
        return str(rows[0][0]) if rows else None

    def node_counts(self, application_id: str) -> list[tuple[str, int]]:
        """Return the files of an application and the number of nodes in each, by path."""
        return [
            (path, count) for path, count in self._fetch(_COUNTS, (application_id,))
        ]

    def most_called(self, limit: int = 12) -> list[tuple[Node, int]]:
        """Return the symbols with the most callers, and the number of these.

        Calls that were found by the name alone do not count.
        """
        counts = dict(self._fetch(_MOST_CALLED, (limit,)))
        return [(node, counts[node.id]) for node in self.get_nodes(list(counts))]


def match_nodes(connection: Connection, symbol: str, limit: int) -> list[Node]:
    """Return the nodes that a symbol may refer to; see `Nodes.find_nodes`."""
    symbol = clean_text(symbol)
    parameters = {"symbol": symbol, "names": _last_names(symbol), "limit": limit}
    return list(map(_unpack, connection.execute(_FIND, parameters)))


def pack_node(node: Node) -> tuple[Any, ...]:
    """Return a node's row for COPY, in the order of `COPY_NODES`."""
    values = (
        None if node.file_path is None else document_id(node.file_path),
        node.application_id,
        str(node.kind),
        node.lang,
        node.name,
        node.package_name or "",
        node.fqn,
        node.signature,
        node.doc_comment,
        node.source_code,
        node.file_path,
        node.line_start,
        node.line_end,
        node.start_offset,
        node.end_offset,
        pack_texts(node.annotations),
        node.visibility,
        node.http_method,
        node.http_path,
    )
    return clean_row((node.id, hash_row(values), *values))


def _unpack(row: Sequence[Any]) -> Node:
    values = dict(zip(_FIELDS, row, strict=True))
    values["kind"] = NodeKind(values["kind"])
    values["annotations"] = tuple(values["annotations"])
    return Node(**values)


def _last_names(symbol: str) -> list[str]:
    """Return the names that a node may have which a symbol refers to."""
    base = symbol.partition("(")[0]
    return list({symbol, base, _PARTS.split(base)[-1], _PARTS.split(symbol)[-1]})
