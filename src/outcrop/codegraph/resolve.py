"""Relations between the symbols of a project, language family by family."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from outcrop.codegraph.languages import language
from outcrop.codegraph.relations import Relations
from outcrop.model.edge import EdgeKind

if TYPE_CHECKING:
    from pathlib import Path

    from outcrop.codegraph.report import Skipped
    from outcrop.codegraph.symbols import SymbolTable

ResolutionLevel = Literal["local", "flow"]


def resolve(
    table: SymbolTable, root: Path, level: ResolutionLevel
) -> tuple[Relations, list[Skipped], int]:
    """Return all relations, the fallbacks, and the count of saturated values."""
    relations = Relations()
    for number, parent in enumerate(table.parents):
        if parent >= 0 and table.has_node(parent):
            relations.add(parent, EdgeKind.CONTAINS, number)
    families: dict[str, list[int]] = {}
    for index, facts in enumerate(table.files):
        spoken = language(facts.lang)
        if spoken.level != "structural":
            families.setdefault(spoken.family or spoken.name, []).append(index)
    fallbacks: list[Skipped] = []
    saturated = 0
    for _, indexes in sorted(families.items()):
        spoken = language(table.files[indexes[0]].lang)
        if spoken.level == "flow":
            from outcrop.codegraph.flow.relations import relate

            more, count = relate(
                table, indexes, relations, across_calls=level == "flow"
            )
            fallbacks += more
            saturated += count
        else:
            from outcrop.codegraph.typed.relations import relate_typed

            relate_typed(table, indexes, relations, root)
    return relations, fallbacks, saturated
