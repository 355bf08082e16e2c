"""Arguments of a call to the parameters of a function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from outcrop.codegraph.flow import objects
from outcrop.codegraph.flow.constraints import Spread, SpreadNamed
from outcrop.codegraph.flow.file_flow import DOUBLE_STAR, KEYWORD, PLAIN, STAR

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outcrop.codegraph.flow.constraints import Call
    from outcrop.codegraph.flow.file_flow import FunctionFlow, ParameterFlow
    from outcrop.codegraph.flow.solver import Solver


def bind_arguments(
    solver: Solver, site: Call, function: FunctionFlow, *, bound: bool
) -> None:
    """Copy each argument into the parameter it is passed to."""
    parameters = function.parameters[1:] if bound else function.parameters
    plain = [p.cell for p in parameters if p.kind == PLAIN]
    rest = next((p.cell for p in parameters if p.kind == STAR), None)
    named_rest = next((p.cell for p in parameters if p.kind == DOUBLE_STAR), None)
    for position, arg in enumerate(site.args):
        if position < len(plain):
            _pass(solver, arg, plain[position])
        elif rest is not None and arg is not None:
            _store(solver, rest, "tuple", position - len(plain), arg)
    for name, cell in site.kwargs:
        _by_name(solver, parameters, named_rest, name, cell)
    if site.star is not None:
        targets = tuple(plain[len(site.args) :])
        solver.wait(site.star, Spread(targets, rest))
    if site.dstar is not None:
        by_name = {p.name: p.cell for p in parameters if p.kind in {PLAIN, KEYWORD}}
        solver.wait(site.dstar, SpreadNamed(tuple(by_name.items()), named_rest))


def fits(function: FunctionFlow, site: Call, *, bound: bool) -> bool:
    """Whether a function takes as many arguments as a call gives."""
    if site.star is not None or site.dstar is not None:
        return True
    given = len(site.args) + bound
    plain = sum(p.kind == PLAIN for p in function.parameters)
    takes_rest = any(p.kind == STAR for p in function.parameters)
    enough = given + len(site.kwargs) >= function.required
    return (given <= plain or takes_rest) and enough


def bind_receiver(solver: Solver, symbol: int, receiver: int) -> None:
    """Put the receiver of a method into its first parameter."""
    parameters = solver.program.functions[symbol].parameters
    if parameters and parameters[0].kind == PLAIN:
        solver.add_one(parameters[0].cell, receiver)


def _pass(solver: Solver, src: int | None, parameter: int) -> None:
    """Let a parameter hold an argument; literals only matter where they are keys."""
    if parameter in solver.program.keys:
        if src is None:
            solver.add_one(parameter, solver.objects.number(objects.UNKNOWN, None))
    elif src in solver.program.literals:
        return
    if src is not None:
        solver.copy(src, parameter)


def _by_name(
    solver: Solver, parameters: Sequence[ParameterFlow], rest: int | None, name: str,
    src: int,
) -> None:  # fmt: skip
    for parameter in parameters:
        if parameter.name == name and parameter.kind in {PLAIN, KEYWORD}:
            _pass(solver, src, parameter.cell)
            return
    if rest is not None:
        _store(solver, rest, "dict", name, src)


def _store(solver: Solver, cell: int, type_name: str, key: Any, src: int) -> None:
    """Put a value into the container that a starred parameter collects."""
    container = solver.objects.number(objects.CONT, cell, type_name)
    solver.add_one(cell, container)
    solver.copy(src, solver.field(container, ("any",)))
    solver.copy(src, solver.field(container, (key,)))


def spread(solver: Solver, constraint: Spread, found: int) -> None:
    """Pass the items of `*found` on to the parameters that are left."""
    targets, rest = constraint
    if solver.objects.kinds[found] != objects.CONT:
        return
    for position, target in enumerate(targets):
        solver.copy(solver.field(found, (position,)), target)
        solver.copy(solver.field(found, ("rest",)), target)
    if rest is not None:
        container = solver.objects.number(objects.CONT, rest, "tuple")
        solver.add_one(rest, container)
        source = solver.field(found, ("any",))
        solver.copy(source, solver.field(container, ("any",)))
        solver.copy(source, solver.field(container, ("rest",)))


def spread_named(solver: Solver, constraint: SpreadNamed, found: int) -> None:
    """Pass the items of `**found` on to the parameters of the same names."""
    targets, rest = constraint
    if solver.objects.kinds[found] != objects.CONT:
        return
    for name, target in targets:
        solver.copy(solver.field(found, (name,)), target)
        solver.copy(solver.field(found, ("rest",)), target)
    if rest is not None:
        container = solver.objects.number(objects.CONT, rest, "dict")
        solver.add_one(rest, container)
        source = solver.field(found, ("any",))
        solver.copy(source, solver.field(container, ("any",)))
        solver.copy(source, solver.field(container, ("rest",)))
