"""Relations of a program whose values are followed: calls, imports, inheritance."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, NamedTuple

from outcrop.codegraph.flow import objects
from outcrop.codegraph.flow.file_flow import ImportedMember, ImportedModule, Receiver
from outcrop.codegraph.flow.import_roots import ImportRoots
from outcrop.codegraph.flow.program import Program
from outcrop.codegraph.flow.solver import Solver
from outcrop.codegraph.graph import FlowReport, Skipped
from outcrop.model.edge import EdgeKind, Resolution

if TYPE_CHECKING:
    from outcrop.codegraph.flow.method_order import Base
    from outcrop.codegraph.flow.unit import Unit
    from outcrop.codegraph.resolve import EdgeSet
    from outcrop.codegraph.symbols import SymbolTable


_BUILTINS = frozenset(dir(builtins))
_IMPORTED = (ImportedModule, ImportedMember)


def relate_flow(
    table: SymbolTable, indexes: list[int], edges: EdgeSet, *, across_calls: bool
) -> FlowReport:
    """Add the relations of the files to the edges.

    Args:
        table: All symbols.
        indexes: The files, by their places in the table.
        edges: Where the relations go.
        across_calls: Follow values across calls.

    Returns:
        How far values were followed.
    """
    from outcrop.codegraph.languages import language

    paths = [table.files[index].path for index in indexes]
    roots = ImportRoots({path: table.modules[path] for path in paths})
    program = Program(_BUILTINS, roots)
    for index in indexes:
        facts = table.files[index]
        if facts.body is None:
            continue
        program.add(
            facts.path,
            facts.body,
            table.starts[index],
            is_package=language(facts.lang).is_package(facts.path),
        )
    calls = resolve_calls(program, across_calls=across_calls)
    edges.add_calls(calls.edges)
    for unit in program.units:
        _relate_imports(table, program, unit, edges)
    _relate_classes(program, edges)
    followed = FlowReport(saturated=calls.saturated, unfollowed=calls.unfollowed)
    if calls.unfollowed:
        reason = (
            f"too many values to follow: stopped after {calls.work:,} steps with "
            f"{calls.unfollowed:,} left; the rest is resolved at the local level"
        )
        followed.fallbacks.append(Skipped(path="python", reason=reason))
    return followed


def _relate_imports(
    table: SymbolTable, program: Program, unit: Unit, edges: EdgeSet
) -> None:
    """Add an edge from the module to each module or member that it imports."""
    for number, origin in unit.flow.origins.items():
        if not isinstance(origin, _IMPORTED):
            continue
        variable, found = program.origin_of(unit, number, origin)
        if variable is not None:
            found = program.certain(variable)
        target = _symbol_of(program, found)
        how = Resolution.EXACT
        if target is None and isinstance(origin, ImportedMember):
            target = _named_definition(table, program, variable, origin.name)
            how = Resolution.FLOW
        if target is None:
            module = program.module_name(unit, origin.path, origin.level)
            target = _symbol_of(program, program.module_object(module))
            how = Resolution.EXACT
        if target is not None and target != unit.first_symbol:
            edges.add(unit.first_symbol, EdgeKind.IMPORTS, target, how)
    for path, level in unit.flow.stars:
        module = program.module_name(unit, path, level)
        target = _symbol_of(program, program.module_object(module))
        if target is not None:
            edges.add(unit.first_symbol, EdgeKind.IMPORTS, target)


def _symbol_of(program: Program, found: int | None) -> int | str | None:
    if found is None:
        return None
    kind, first = program.objects.kinds[found], program.objects.first[found]
    if kind in {objects.FUNC, objects.CLS}:
        return int(first)
    if kind == objects.MOD:
        unit = program.modules.get(first)
        return unit.first_symbol if unit is not None else None
    return str(first) if kind == objects.EXT else None


def _named_definition(
    table: SymbolTable, program: Program, variable: int | None, name: str
) -> int | None:
    """Return the definition that gave an imported variable its name.

    What the variable holds is not certain where a decorator may have replaced it, or
    where the module binds the name again; of several definitions the last one counts.
    """
    seen = set()
    while variable is not None and variable not in seen:
        seen.add(variable)
        unit = program.owners[variable]
        origin = unit.flow.origins.get(variable - unit.first_variable)
        if not isinstance(origin, ImportedMember):
            return table.member(unit.first_symbol, name)
        name = origin.name
        variable, _ = program.origin_of(unit, variable, origin)
    return None


def _relate_classes(program: Program, edges: EdgeSet) -> None:
    for symbol in program.class_bases:
        for base in program.bases_of(symbol):
            edges.add(symbol, EdgeKind.EXTENDS, base)
        bases = program.order(symbol)[1:]
        for name, variable in program.members.get(symbol, {}).items():
            own = _function(program, variable)
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


def _function(program: Program, variable: int) -> int | None:
    found = program.certain(variable)
    if found is None or program.objects.kinds[found] != objects.FUNC:
        return None
    return int(program.objects.first[found])


class Calls(NamedTuple):
    """The calls of a program."""

    edges: dict[tuple[int, int | str], bool]
    """(caller, callee) -> whether the binding is certain; a callee that is a
    string lies outside the project."""
    saturated: int
    """Variables whose points-to set reached its maximum size."""
    unfollowed: int
    """Variables with objects left to propagate when the budget was spent; the program
    is then resolved at the local level too."""
    work: int
    """Moves of an object along a constraint."""


def resolve_calls(program: Program, *, across_calls: bool) -> Calls:
    """Solve a program.

    Args:
        program: All files, added.
        across_calls: Follow values through arguments, results and receivers too.
    """
    calls, made = _solve(program, across_calls=across_calls)
    edges = calls.edges
    receivers = Receivers(program, made)
    callees: dict[int, int | str | None] = {}
    idle: set[tuple[int, int | str]] = set()
    for unit in program.units:
        first_variable, first_symbol = unit.first_variable, unit.first_symbol
        for scope, name in unit.flow.external_calls:
            edges[first_symbol + scope, name] = True
        for variable, scope, is_raise in unit.flow.calls:
            certain = program.certain(first_variable + variable)
            if certain is None or (is_raise and not _is_class(program, certain)):
                continue
            if certain not in callees:
                callees[certain] = _callee(program, certain)
            callee = callees[certain]
            if callee is None:
                continue
            key = (first_symbol + scope, callee)
            if receivers.rule_out(unit, variable, callee):
                idle.add(key)
            else:
                edges[key] = True
    for key in idle:
        if not edges.get(key, True):
            del edges[key]
    return calls


def _solve(program: Program, *, across_calls: bool) -> tuple[Calls, set[int]]:
    """Return the calls that follow from values, and the classes with instances."""
    solver = Solver(program, across_calls=across_calls)
    solver.run()
    edges = solver.calls
    made = solver.made if across_calls else set()
    calls = Calls(edges, len(solver.saturated), solver.unfollowed, solver.work)
    if solver.is_spent and across_calls:
        solver = Solver(program, across_calls=False)  # lets go of the first one's sets
        solver.run()
        for key in solver.calls:
            edges.setdefault(key, False)
        calls = calls._replace(work=calls.work + solver.work)
    return calls, made


def _is_class(program: Program, found: int) -> bool:
    return program.objects.kinds[found] == objects.CLS


def _callee(
    program: Program, found: int, seen: tuple[int, ...] = ()
) -> int | str | None:
    """Return the symbol or external name that calling an object runs."""
    kind, first = program.objects.kinds[found], program.objects.first[found]
    if kind == objects.FUNC:
        # Reading a property and calling the result does not call it with arguments.
        return int(first) if program.functions[first].kind != "property" else None
    if kind == objects.EXT:
        return str(first)
    if kind != objects.CLS or found in seen:
        return None
    for base in program.order(first):
        if isinstance(base, str):
            return f"{base}.__init__" if base != "builtins.object" else None
        variable = program.members.get(base, {}).get("__init__")
        if variable is not None:
            held = program.certain(variable)
            return None if held is None else _callee(program, held, (*seen, found))
    return None


class Receivers:
    """The classes that stand in for those that are only derived from."""

    def __init__(self, program: Program, made: set[int]) -> None:
        self.program = program
        self._made = made
        self._users: dict[Base, list[int]] = {}
        for symbol in sorted(made):
            for base in program.order(symbol)[1:]:
                if base not in made:
                    self._users.setdefault(base, []).append(symbol)
        self._called: dict[tuple[int, str, bool], set[int | str | None]] = {}
        """(class, name, is super) -> what its users call under the name."""

    def rule_out(self, unit: Unit, variable: int, callee: int | str) -> bool:
        """Whether `self.name()` can never be the callee that its own class has."""
        path = unit.flow.paths.get(variable) if self._users else None
        if path is None:
            return False
        owner, name = path
        above = unit.flow.paths.get(owner)
        is_super = above is not None and above[1].startswith("super ")
        if above is not None and is_super:
            owner = above[0]
        origin = unit.flow.origins.get(owner)
        if not isinstance(origin, Receiver):
            return False
        symbol = unit.first_symbol + origin.class_symbol
        users = self._users.get(symbol)
        if not users:
            return False
        key = (symbol, name, is_super)
        called = self._called.get(key)
        if called is None:
            called = self._called[key] = {
                self._found(user, symbol, name, is_super=is_super) for user in users
            }
        return callee not in called

    def _found(
        self, user: int, symbol: int, name: str, *, is_super: bool
    ) -> int | str | None:
        if not is_super:
            return self.program.method(user, name)
        order = self.program.order(user)
        for base in order[order.index(symbol) + 1 :]:
            if isinstance(base, str):
                return f"{base}.{name}"
            if name in self.program.members.get(base, {}):
                return self.program.method(base, name)
        return None
