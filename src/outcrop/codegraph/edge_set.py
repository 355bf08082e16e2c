"""The edges of a graph while they are being found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.codegraph.names import bounded_name
from outcrop.model.edge import Edge, EdgeKind, Resolution

if TYPE_CHECKING:
    from outcrop.codegraph.symbols import SymbolTable

CONFIDENCE = {
    Resolution.EXACT: 1.0,
    Resolution.FLOW: 0.8,
    Resolution.HEURISTIC: 0.4,
}
_RANK = {Resolution.EXACT: 2, Resolution.FLOW: 1, Resolution.HEURISTIC: 0}


class EdgeSet:
    """Edges by their ends; of two ways to the same edge the surer one is kept."""

    def __init__(self) -> None:
        self._found: dict[tuple[int, EdgeKind, int | str], Resolution] = {}

    def add(
        self, src: int, kind: EdgeKind, dst: int | str,
        resolution: Resolution = Resolution.EXACT,
    ) -> None:  # fmt: skip
        """Add an edge; a target that is a string lies outside the project."""
        key = (src, kind, bounded_name(dst) if isinstance(dst, str) else dst)
        old = self._found.get(key)
        if old is None or _RANK[resolution] > _RANK[old]:
            self._found[key] = resolution

    def edges(self, table: SymbolTable) -> list[Edge]:
        """Return the edges, ordered by their ends."""
        ids = table.ids
        edges = []
        for (src, kind, dst), resolution in self._found.items():
            external = isinstance(dst, str)
            edges.append(
                Edge(
                    src=ids[src],
                    dst=dst if isinstance(dst, str) else ids[dst],
                    kind=kind,
                    resolution=resolution,
                    confidence=CONFIDENCE[resolution],
                    external=external,
                )
            )
        return edges

    def keys(self) -> list[tuple[int, EdgeKind, int | str]]:
        """Return the ends and kinds of all edges."""
        return list(self._found)
