"""Relations as Markdown lists with links, of limited length."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.model.edge import Edge, EdgeKind, Resolution

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from outcrop.model.node import NodeRef

MAX_LINES = 20
# In the order of the list: the verb for outgoing and for incoming edges.
_VERBS = {
    EdgeKind.CALLS: ("calls", "called by"),
    EdgeKind.EXTENDS: ("extends", "extended by"),
    EdgeKind.IMPLEMENTS: ("implements", "implemented by"),
    EdgeKind.OVERRIDES: ("overrides", "overridden by"),
    EdgeKind.IMPORTS: ("imports", "imported by"),
}
_ORDER = list(_VERBS)


def render_relations(
    edges: Sequence[Edge], refs: Mapping[str, NodeRef], *, outward: bool
) -> str | None:
    """Return edges as a list, the certain ones of each kind first.

    Args:
        edges: Edges from a node, or to it.
        refs: The nodes at their other ends, by id.
        outward: Whether the edges lead away from the node.

    Returns:
        Markdown; None where there are none. Links lead to the lines of a
        file; their titles are the ids of the nodes.
    """
    known: dict[tuple[EdgeKind, str], Edge] = {}
    for edge in edges:
        other = edge.dst if outward else edge.src
        if edge.kind in _VERBS and (outward or other in refs):
            known.setdefault((edge.kind, other), edge)
    ranked = sorted(
        known.items(),
        key=lambda item: (
            _ORDER.index(item[0][0]),
            item[1].external,
            -item[1].confidence,
            _name(item[0][1], refs),
        ),
    )
    lines = [_line(other, edge, refs, outward) for (_, other), edge in ranked]
    if len(lines) > MAX_LINES:
        lines[MAX_LINES:] = [f"- … and {len(lines) - MAX_LINES} more"]
    return "\n".join(lines) or None


def _line(other: str, edge: Edge, refs: Mapping[str, NodeRef], outward: bool) -> str:  # noqa: FBT001 - private
    verb = _VERBS[edge.kind][0 if outward else 1]
    doubt = "" if edge.resolution is not Resolution.HEURISTIC else " (probably)"
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
