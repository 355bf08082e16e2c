"""Relations between the symbols of a project, language family by family."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from outcrop.codegraph.edge_set import EdgeSet
from outcrop.codegraph.languages import language
from outcrop.codegraph.report import Followed
from outcrop.model.edge import EdgeKind

if TYPE_CHECKING:
    from pathlib import Path

    from outcrop.codegraph.symbols import SymbolTable

ResolutionLevel = Literal["local", "flow"]


def resolve(
    table: SymbolTable, root: Path, level: ResolutionLevel
) -> tuple[EdgeSet, Followed]:
    """Return all relations, and how far values were followed."""
    edges = EdgeSet()
    for number, parent in enumerate(table.parents):
        if parent >= 0 and table.has_node(parent):
            edges.add(parent, EdgeKind.CONTAINS, number)
    families: dict[str, list[int]] = {}
    for index, facts in enumerate(table.files):
        spec = language(facts.lang)
        if spec.level != "structural":
            families.setdefault(spec.family or spec.name, []).append(index)
    followed = Followed()
    for _, indexes in sorted(families.items()):
        spec = language(table.files[indexes[0]].lang)
        if spec.level == "flow":
            from outcrop.codegraph.flow.relate_flow import relate_flow

            across = level == "flow"
            followed = relate_flow(table, indexes, edges, across_calls=across)
        else:
            from outcrop.codegraph.typed.relate_typed import relate_typed

            relate_typed(table, indexes, edges, root)
    return edges, followed
