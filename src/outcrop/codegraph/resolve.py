"""Relations between the symbols of a project, language family by family."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from outcrop.codegraph.languages import language
from outcrop.codegraph.relations import Relations
from outcrop.codegraph.report import Followed
from outcrop.model.edge import EdgeKind

if TYPE_CHECKING:
    from pathlib import Path

    from outcrop.codegraph.symbols import SymbolTable

ResolutionLevel = Literal["local", "flow"]


def resolve(
    table: SymbolTable, root: Path, level: ResolutionLevel
) -> tuple[Relations, Followed]:
    """Return all relations, and how far values were followed."""
    relations = Relations()
    for number, parent in enumerate(table.parents):
        if parent >= 0 and table.has_node(parent):
            relations.add(parent, EdgeKind.CONTAINS, number)
    families: dict[str, list[int]] = {}
    for index, facts in enumerate(table.files):
        spoken = language(facts.lang)
        if spoken.level != "structural":
            families.setdefault(spoken.family or spoken.name, []).append(index)
    followed = Followed()
    for _, indexes in sorted(families.items()):
        spoken = language(table.files[indexes[0]].lang)
        if spoken.level == "flow":
            from outcrop.codegraph.flow.relations import relate

            across = level == "flow"
            followed = relate(table, indexes, relations, across_calls=across)
        else:
            from outcrop.codegraph.typed.relations import relate_typed

            relate_typed(table, indexes, relations, root)
    return relations, followed
