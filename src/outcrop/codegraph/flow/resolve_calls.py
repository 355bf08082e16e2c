"""From the constraints of files to call edges between symbols."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from outcrop.codegraph.flow import objects
from outcrop.codegraph.flow.receivers import Receivers
from outcrop.codegraph.flow.solver import Solver

if TYPE_CHECKING:
    from outcrop.codegraph.flow.program import Program


class Calls(NamedTuple):
    """The calls of a program."""

    edges: dict[tuple[int, int | str], bool]
    """(caller, callee) -> whether the binding is certain; a callee that is a
    string lies outside the project."""
    saturated: int
    """How many cells reached the limit on their size."""
    unfollowed: int
    """How many cells had values left to follow when the budget was spent; the program is
    then resolved at the local level too."""
    work: int
    """Moves of an object along a constraint."""


def resolve_calls(program: Program, *, across_calls: bool) -> Calls:
    """Solve a program.

    Args:
        program: All files, added.
        across_calls: Follow values through arguments, results and receivers too.
    """
    calls, made = _follow(program, across_calls=across_calls)
    edges = calls.edges
    receivers = Receivers(program, made)
    idle: set[tuple[int, int | str]] = set()
    for unit in program.units:
        for scope, name in unit.flow.external_calls:
            edges[unit.symbols + scope, name] = True
        for cell, scope, is_raise in unit.flow.calls:
            certain = program.certain(unit.cells + cell)
            callee = _callee(program, certain) if certain is not None else None
            if certain is None or callee is None:
                continue
            if is_raise and not _is_class(program, certain):
                continue
            key = (unit.symbols + scope, callee)
            if receivers.rule_out(unit, cell, callee):
                idle.add(key)
            else:
                edges[key] = True
    for key in idle:
        if not edges.get(key, True):
            del edges[key]
    return calls


def _follow(program: Program, *, across_calls: bool) -> tuple[Calls, set[int]]:
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


def _callee(program: Program, found: int) -> int | str | None:
    """Return the symbol or external name that calling an object runs."""
    kind, first = program.objects.kinds[found], program.objects.first[found]
    if kind == objects.FUNC:
        # Reading a property and calling the result does not call it with arguments.
        return int(first) if program.functions[first].kind != "property" else None
    if kind == objects.EXT:
        return str(first)
    if kind != objects.CLS:
        return None
    for base in program.order(first):
        if isinstance(base, str):
            return f"{base}.__init__" if base != "builtins.object" else None
        cell = program.members.get(base, {}).get("__init__")
        if cell is not None:
            held = program.certain(cell)
            return None if held is None else _callee(program, held)
    return None
