"""Relations between the symbols of a project, one language family after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from outcrop.codegraph.graph import FlowReport, Skipped
from outcrop.codegraph.languages import language
from outcrop.codegraph.names import MAX_NAME_CHARS, bounded_name
from outcrop.errors import describe_failure
from outcrop.model.edge import Edge, EdgeKind, Resolution

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

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

    def add_container(self, src: int, dst: int) -> None:
        """Add the edge from a definition to one inside it, once."""
        self._found[src, EdgeKind.CONTAINS, dst] = Resolution.EXACT

    def add_calls(self, calls: Mapping[tuple[int, int | str], bool]) -> None:
        """Add the calls of a language: (caller, callee) -> whether it is certain."""
        found, kind = self._found, EdgeKind.CALLS
        exact, flow = Resolution.EXACT, Resolution.FLOW
        for (caller, callee), certain in calls.items():
            if isinstance(callee, str) and len(callee) > MAX_NAME_CHARS:
                self.add(caller, kind, callee, exact if certain else flow)
            else:
                found[caller, kind, callee] = exact if certain else flow

    def edges(self, table: SymbolTable) -> list[Edge]:
        """Return the edges."""
        ids, confidence = table.ids, CONFIDENCE
        # As `_make` does, without its checks.
        new: Callable[[type[Edge], tuple[object, ...]], Edge] = tuple.__new__
        return [
            new(Edge, (ids[src], dst, kind, how, confidence[how], True))
            if isinstance(dst, str)
            else new(Edge, (ids[src], ids[dst], kind, how, confidence[how], False))
            for (src, kind, dst), how in self._found.items()
        ]

    def keys(self) -> list[tuple[int, EdgeKind, int | str]]:
        """Return the ends and kinds of all edges."""
        return list(self._found)


ResolutionLevel = Literal["local", "flow"]


def resolve(
    table: SymbolTable, root: Path, level: ResolutionLevel
) -> tuple[EdgeSet, FlowReport]:
    """Return all relations, and how far values were followed."""
    edges = EdgeSet()
    for number, parent in table.containers():
        edges.add_container(parent, number)
    families: dict[str, list[int]] = {}
    for index, facts in enumerate(table.files):
        spec = language(facts.lang)
        if spec.level != "structural":
            families.setdefault(spec.family or spec.name, []).append(index)
    followed = FlowReport()
    unresolved: list[Skipped] = []
    for _, indexes in sorted(families.items()):
        spec = language(table.files[indexes[0]].lang)
        try:
            if spec.level == "flow":
                from outcrop.codegraph.flow.relate_flow import relate_flow

                across = level == "flow"
                followed = relate_flow(table, indexes, edges, across_calls=across)
            else:
                from outcrop.codegraph.typed.relate_typed import relate_typed

                relate_typed(table, indexes, edges, root)
        except Exception as error:  # noqa: BLE001 - one language must not cost the run
            reason = f"some relations are missing: {describe_failure(error)}"
            names = sorted({table.files[index].lang for index in indexes})
            unresolved.append(Skipped(path=", ".join(names), reason=reason))
    followed.fallbacks.extend(unresolved)
    return edges, followed
