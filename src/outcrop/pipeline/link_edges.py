"""Stage `link-edges`: what a chunk uses and where it is used, as text and as data.

Chunks of code get the relations of their node. Chunks of documents get MENTIONS edges
to the symbols they name.
"""

from __future__ import annotations

import re
from heapq import nsmallest
from typing import TYPE_CHECKING, Any

from outcrop.model.edge import Edge, EdgeKind, Resolution
from outcrop.model.stored import ChunkValues, StageOutcome
from outcrop.pipeline.mentions import find_mentions
from outcrop.pipeline.summarize import has_word, last_word

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from outcrop.model.node import NodeRef
    from outcrop.model.stored import StoredChunk
    from outcrop.pipeline.stage import StageContext

    Edges = Mapping[str, Sequence[Edge]]
    NodeRefs = Mapping[str, NodeRef]

NAME = "link-edges"
# Where a link leads to, as `_link` writes it.
_LINE = re.compile(r'#L\d+ "(?P<id>[0-9a-f]+)"\)')

MAX_LINES = 20
# In the order of the list: the verb for outgoing and for incoming edges.
_VERBS = {
    EdgeKind.CALLS: ("calls", "called by"),
    EdgeKind.EXTENDS: ("extends", "extended by"),
    EdgeKind.IMPLEMENTS: ("implements", "implemented by"),
    EdgeKind.OVERRIDES: ("overrides", "overridden by"),
    EdgeKind.IMPORTS: ("imports", "imported by"),
}
_RANKS = {kind: rank for rank, kind in enumerate(_VERBS)}
# Looking up a member of an enumeration takes longer than comparing it.
_CALLS, _MENTIONS = EdgeKind.CALLS, EdgeKind.MENTIONS
_NOT_LISTED = (EdgeKind.CONTAINS, _MENTIONS)
_HEURISTIC = Resolution.HEURISTIC

_NAME = r"""[`"\[]?([A-Za-z_][\w$]*(?:[`"\]]?\.[`"\[]?[A-Za-z_][\w$]*)*)[`"\]]?"""
# A keyword alone is an English word: SQL has the rest of the statement.
_STATEMENT = re.compile(
    r"\b(?:INSERT\s+INTO|DELETE\s+FROM|MERGE\s+INTO"
    r"|CREATE\s+TABLE|ALTER\s+TABLE|DROP\s+TABLE|TRUNCATE)\b",
    re.IGNORECASE,
)
# Its first and second word: two searches, because a pattern of both would look for the
# second after every first.
_PAIRS = tuple(
    (
        re.compile(rf"\b{first}\b", re.IGNORECASE),
        re.compile(rf"\b{second}\b", re.IGNORECASE),
    )
    for first, second in (("SELECT", "FROM"), ("UPDATE", "SET"))
)
# Each statement has both words of one of these pairs.
_STATEMENT_WORDS = (
    ("select", "from"), ("insert", "into"), ("update", "set"), ("delete", "from"),
    ("merge", "into"), ("create", "table"), ("alter", "table"), ("drop", "table"),
    ("truncate", "truncate"),
)  # fmt: skip
_READ = re.compile(rf"\b(?:FROM|JOIN)\s+(?:ONLY\s+)?{_NAME}", re.IGNORECASE)
_WRITE = re.compile(
    rf"""\b(?:INSERT\s+INTO|MERGE\s+INTO|DELETE\s+FROM|UPDATE|TRUNCATE(?:\s+TABLE)?
    |(?:CREATE|ALTER|DROP)\s+TABLE(?:\s+IF\s+(?:NOT\s+)?EXISTS)?)\s+(?:ONLY\s+)?{_NAME}""",
    re.IGNORECASE | re.VERBOSE,
)
_MAPPED = re.compile(
    r"""(?:__tablename__|table_name|tableName|db_table)\s*[:=]\s*["'](\w+)["']
    |@Table\s*\(\s*(?:name\s*=\s*)?"(\w+)"
    |\[Table\("(\w+)"\)\]""",
    re.VERBOSE,
)
_STRING = re.compile(
    r"\"\"\"(.*?)\"\"\"|'''(.*?)'''|`([^`]*)`"
    r"|\"((?:[^\"\\\n]|\\.)*)\"|'((?:[^'\\\n]|\\.)*)'",
    re.DOTALL,
)
_NO_TABLES = frozenset(
    {"select", "set", "where", "values", "lateral", "unnest", "dual"}
)


class LinkEdges:
    """Fills `uses_md`, `used_by_md`, `relations`, `used_objects` and mentions."""

    name = NAME

    def run(
        self, batch: Sequence[StoredChunk], context: StageContext
    ) -> list[StageOutcome]:
        """Link chunks with the graph; see `Stage`."""
        documents = {
            chunk.id: chunk.content
            for chunk in batch
            if chunk.node_id is None and chunk.source == "doc"
        }
        mentions = find_mentions(documents, context)
        owners = {chunk.id: node_ids(chunk) for chunk in batch}
        ids = {node_id for owned in owners.values() for node_id in owned}
        outgoing, incoming = context.edges_from(ids), context.edges_to(ids)
        refs = context.node_refs(_ends(outgoing, incoming))
        # The parts of a node are used by the same others.
        used_by: dict[tuple[str, ...], str | None] = {}
        outcomes = []
        for chunk in batch:
            if chunk.id in mentions:
                outcomes.append(
                    StageOutcome(chunk_id=chunk.id, mentions=mentions[chunk.id])
                )
                continue
            owned = owners[chunk.id]
            uses = _in_text(chunk, _edges(outgoing, owned), refs)
            if owned not in used_by:
                others = [e for e in _edges(incoming, owned) if e.src not in owned]
                used_by[owned] = render_relations(others, refs, outward=False)
            outcomes.append(
                StageOutcome(
                    chunk_id=chunk.id,
                    values=ChunkValues(
                        uses_md=render_relations(uses, refs, outward=True),
                        used_by_md=used_by[owned],
                        relations=_relations(uses),
                        used_objects=used_objects(chunk, uses, refs),
                    ),
                )
            )
        return outcomes


def node_ids(chunk: StoredChunk) -> tuple[str, ...]:
    """Return the nodes whose relations a chunk has: its own and the folded ones."""
    folded = [each["id"] for each in chunk.metadata.get("folded", ())]
    return (*([chunk.node_id] if chunk.node_id is not None else []), *folded)


def used_objects(
    chunk: StoredChunk, uses: Iterable[Edge], refs: NodeRefs
) -> list[dict[str, Any]]:
    """Return the symbols and tables that a chunk uses, as JSON values."""
    found: list[dict[str, Any]] = []
    for edge in uses:
        ref = refs.get(edge.dst)
        symbol: dict[str, Any] = {
            "type": "symbol",
            "name": ref.fqn if ref is not None else edge.dst,
            "kind": str(edge.kind),
            "external": edge.external,
        }
        if ref is not None:
            symbol["node_id"] = ref.id
        found.append(symbol)
    tables = find_tables(chunk.content) if chunk.source == "code" else {}
    found += [
        {"type": "table", "name": name, "access": access}
        for name, access in tables.items()
    ]
    return found


def _relations(edges: Iterable[Edge]) -> list[dict[str, Any]]:
    return [
        {
            "kind": str(edge.kind),
            "dst_node_id": edge.dst,
            "confidence": edge.confidence,
            "resolution": str(edge.resolution),
        }
        for edge in edges
        if edge.kind == _CALLS
    ]


def _edges(edges: Edges, owned: Sequence[str]) -> list[Edge]:
    return [
        edge
        for node_id in owned
        for edge in edges.get(node_id, ())
        if edge.kind not in _NOT_LISTED
    ]


def _ends(outgoing: Edges, incoming: Edges) -> set[str]:
    ends = {e.dst for found in outgoing.values() for e in found if not e.external}
    ends.update(
        e.src for found in incoming.values() for e in found if e.kind is not _MENTIONS
    )
    return ends


def _in_text(
    chunk: StoredChunk, edges: Sequence[Edge], refs: NodeRefs
) -> Sequence[Edge]:
    """Return the edges of a part of a node: those whose target its text names."""
    if "part" not in chunk.metadata:
        return edges
    return [edge for edge in edges if has_word(chunk.content, _last_name(edge, refs))]


def _last_name(edge: Edge, refs: NodeRefs) -> str:
    ref = refs.get(edge.dst)
    return ref.name if ref is not None else last_word(edge.dst)


def render_relations(
    edges: Sequence[Edge], refs: Mapping[str, NodeRef], *, outward: bool
) -> str | None:
    """Return edges as a Markdown list, the certain ones of each kind first; None if empty.

    Links lead to the lines of a file; their titles are the ids of the nodes. `outward`
    edges lead away from the node, the others to it.
    """
    known: dict[tuple[int, str], Edge] = {}
    for edge in edges:
        other = edge.dst if outward else edge.src
        rank = _RANKS.get(edge.kind)
        if rank is not None and (outward or other in refs):
            known.setdefault((rank, other), edge)
    # Popular functions have thousands of callers, of which few are listed.
    listed = nsmallest(
        MAX_LINES,
        known.items(),
        key=lambda item: (
            item[0][0],
            item[1].external,
            -item[1].confidence,
            _name(item[0][1], refs),
        ),
    )
    lines = [_line(other, edge, refs, outward) for (_, other), edge in listed]
    if len(known) > MAX_LINES:
        lines.append(f"- … and {len(known) - MAX_LINES} more")
    return "\n".join(lines) or None


def _line(other: str, edge: Edge, refs: Mapping[str, NodeRef], outward: bool) -> str:  # noqa: FBT001 - private
    verb = _VERBS[edge.kind][0 if outward else 1]
    doubt = "" if edge.resolution is not _HEURISTIC else " (probably)"
    return f"- {verb} {_link(other, refs)}{doubt}"


def _name(other: str, refs: Mapping[str, NodeRef]) -> str:
    return refs[other].fqn if other in refs else other


def _link(other: str, refs: Mapping[str, NodeRef]) -> str:
    name = f"`{_name(other, refs).replace('`', '')}`"
    ref = refs.get(other)
    if ref is None:
        return name
    target = ref.path or ""
    if ref.path and ref.line is not None:
        target = f"{ref.path}#L{ref.line}"
    if not target:
        return f'[{name}](# "{ref.id}")'
    target = target.replace(" ", "%20").replace("(", "%28").replace(")", "%29")
    return f'[{name}]({target} "{ref.id}")'


def move_links(markdown: str, lines: Mapping[str, int]) -> str:
    """Return a list of relations with the new lines of nodes, by their ids."""

    def move(link: re.Match[str]) -> str:
        line = lines.get(link["id"])
        return link[0] if line is None else f'#L{line} "{link["id"]}")'

    return _LINE.sub(move, markdown)


def find_tables(code: str) -> dict[str, str]:
    """Return the tables that code names, each with `read`, `write` or `map`.

    A table that is read and written counts as written.
    """
    found: dict[str, str] = {}
    # Most code names no table, and this shows it without a pattern. Outside ASCII,
    # letters have more than two cases.
    lower = code.lower() if code.isascii() else None
    if lower is None or any(a in lower and b in lower for a, b in _STATEMENT_WORDS):
        found = _tables_in_statements(code)
    if lower is None or "table" in lower:
        for match in _MAPPED.finditer(code):
            name = next(filter(None, match.groups()))
            found.setdefault(name, "map")
    return found


def _tables_in_statements(code: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for statement in _statements(code):
        for name in _names(_READ, statement):
            found.setdefault(name, "read")
        for name in _names(_WRITE, statement):
            found[name] = "write"
    return found


def _statements(code: str) -> Iterator[str]:
    """Yield the strings in code that hold a statement."""
    # This shows that there is no SQL without splitting strings.
    if not _has_statement(code):
        return
    for match in _STRING.finditer(code):
        text = next((group for group in match.groups() if group), "")
        if _has_statement(text):
            yield text


def _has_statement(text: str) -> bool:
    if _STATEMENT.search(text):
        return True
    return any(
        (opening := first.search(text)) and second.search(text, opening.end() + 1)
        for first, second in _PAIRS
    )


def _names(pattern: re.Pattern[str], statement: str) -> Iterator[str]:
    for match in pattern.finditer(statement):
        name = re.sub(r"[`\"\[\]]", "", match.group(1))
        if name.lower() not in _NO_TABLES:
            yield name
