"""Relations of a program whose values are followed: calls, imports, inheritance."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING

from outcrop.codegraph.flow import objects
from outcrop.codegraph.flow.file_flow import ImportedMember, ImportedModule
from outcrop.codegraph.flow.program import Program
from outcrop.codegraph.flow.resolve_calls import resolve_calls
from outcrop.codegraph.report import Followed, Skipped
from outcrop.model.edge import EdgeKind, Resolution

if TYPE_CHECKING:
    from outcrop.codegraph.edge_set import EdgeSet
    from outcrop.codegraph.flow.program import Unit
    from outcrop.codegraph.symbols import SymbolTable

_BUILTINS = frozenset(dir(builtins))


def relate_flow(
    table: SymbolTable, indexes: list[int], edges: EdgeSet, *, across_calls: bool
) -> Followed:
    """Add the relations of the files to the table's.

    Args:
        table: All symbols.
        indexes: Which files are meant.
        edges: Where the relations go.
        across_calls: Follow values across calls.

    Returns:
        How far values were followed.
    """
    program = Program(_BUILTINS)
    from outcrop.codegraph.languages import language

    for index in indexes:
        facts = table.files[index]
        if facts.body is None:
            continue
        program.add(
            table.modules[facts.path],
            facts.body,
            table.starts[index],
            is_package=language(facts.lang).is_package(facts.path),
        )
    calls = resolve_calls(program, across_calls=across_calls)
    for (caller, callee), certain in calls.edges.items():
        how = Resolution.EXACT if certain else Resolution.FLOW
        edges.add(caller, EdgeKind.CALLS, callee, how)
    for unit in program.units:
        _relate_imports(program, unit, edges)
    _relate_classes(program, edges)
    followed = Followed(saturated=calls.saturated, unfollowed=calls.unfollowed)
    if calls.unfollowed:
        reason = (
            f"too many values to follow: stopped after {calls.work:,} steps with "
            f"{calls.unfollowed:,} left; the rest is resolved at the local level"
        )
        followed.fallbacks.append(Skipped(path="python", reason=reason))
    return followed


def _relate_imports(program: Program, unit: Unit, edges: EdgeSet) -> None:
    """Add an edge from the module to each module or member that it imports."""
    for cell_number, origin in unit.flow.origins.items():
        if not isinstance(origin, ImportedModule | ImportedMember):
            continue
        cell, found = program.origin_of(unit, cell_number, origin)
        if cell is not None:
            found = program.certain(cell)
        target = _symbol_of(program, found)
        if target is None:
            module = program.module_name(unit, origin.path, origin.level)
            target = _symbol_of(program, program.module_object(module))
        if target is not None and target != unit.symbols:
            edges.add(unit.symbols, EdgeKind.IMPORTS, target)
    for path, level in unit.flow.stars:
        module = program.module_name(unit, path, level)
        target = _symbol_of(program, program.module_object(module))
        if target is not None:
            edges.add(unit.symbols, EdgeKind.IMPORTS, target)


def _symbol_of(program: Program, found: int | None) -> int | str | None:
    if found is None:
        return None
    kind, first = program.objects.kinds[found], program.objects.first[found]
    if kind in {objects.FUNC, objects.CLS}:
        return int(first)
    if kind == objects.MOD:
        unit = program.modules.get(first)
        return unit.symbols if unit is not None else None
    return str(first) if kind == objects.EXT else None


def _relate_classes(program: Program, edges: EdgeSet) -> None:
    for symbol in program.class_bases:
        for base in program.bases_of(symbol):
            edges.add(symbol, EdgeKind.EXTENDS, base)
        bases = program.order(symbol)[1:]
        for name, cell in program.members.get(symbol, {}).items():
            own = _function(program, cell)
            if own is None or (name.startswith("__") and not name.endswith("__")):
                continue
            for base in bases:
                if isinstance(base, str):
                    continue
                other = program.members.get(base, {}).get(name)
                overridden = _function(program, other) if other is not None else None
                if overridden is not None:
                    edges.add(own, EdgeKind.OVERRIDES, overridden)
                    break


def _function(program: Program, cell: int) -> int | None:
    found = program.certain(cell)
    if found is None or program.objects.kinds[found] != objects.FUNC:
        return None
    return int(program.objects.first[found])
