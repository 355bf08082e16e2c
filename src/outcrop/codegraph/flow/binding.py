"""Arguments of a call to the parameters of a function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from outcrop.codegraph.flow import objects, ops

if TYPE_CHECKING:
    from outcrop.codegraph.flow.solver import Solver


def bind_arguments(
    solver: Solver, offset: int, constraint: Any, function: ops.FunctionFlow, *,
    bound: bool,
) -> None:  # fmt: skip
    """Copy each argument into the parameter it is passed to."""
    _, _, args, kwargs, star, dstar, _ = constraint
    parameters = function.parameters[1:] if bound else function.parameters
    plain = [p for p in parameters if p[2] == ops.PLAIN]
    rest = next((p[1] for p in parameters if p[2] == ops.STAR), None)
    named_rest = next((p[1] for p in parameters if p[2] == ops.DOUBLE_STAR), None)
    for position, arg in enumerate(args):
        if position < len(plain):
            _pass(solver, offset + arg if arg >= 0 else -1, plain[position][1])
        elif rest is not None and arg >= 0:
            _store(solver, rest, "tuple", position - len(plain), offset + arg)
    for name, arg in kwargs:
        _by_name(solver, parameters, named_rest, name, offset + arg)
    if star >= 0:
        targets = [p[1] for p in plain[len(args) :]]
        solver.wait(offset + star, 0, 0, ("spread", tuple(targets), rest))
    if dstar >= 0:
        by_name = {p[0]: p[1] for p in parameters if p[2] in {ops.PLAIN, ops.KEYWORD}}
        constraint = ("spread named", tuple(by_name.items()), named_rest)
        solver.wait(offset + dstar, 0, 0, constraint)


def fits(function: ops.FunctionFlow, constraint: Any, *, bound: bool) -> bool:
    """Whether a function takes as many arguments as a call gives."""
    _, _, args, kwargs, star, dstar, _ = constraint
    if star >= 0 or dstar >= 0:
        return True
    given = len(args) + bound
    plain = sum(parameter[2] == ops.PLAIN for parameter in function.parameters)
    takes_rest = any(parameter[2] == ops.STAR for parameter in function.parameters)
    return (given <= plain or takes_rest) and given + len(kwargs) >= function.required


def bind_receiver(solver: Solver, symbol: int, receiver: int) -> None:
    """Put the receiver of a method into its first parameter."""
    parameters = solver.program.functions[symbol].parameters
    if parameters and parameters[0][2] == ops.PLAIN:
        solver.add_one(parameters[0][1], receiver)


def _pass(solver: Solver, src: int, parameter: int) -> None:
    """Let a parameter hold an argument; literals only matter where they are keys."""
    if parameter in solver.program.keys:
        if src < 0:
            solver.add_one(parameter, solver.objects.number(objects.UNKNOWN, None))
    elif src in solver.program.literals:
        return
    if src >= 0:
        solver.copy(src, parameter)


def _by_name(
    solver: Solver, parameters: Any, rest: int | None, name: str, src: int
) -> None:
    for parameter, cell, kind in parameters:
        if parameter == name and kind in {ops.PLAIN, ops.KEYWORD}:
            _pass(solver, src, cell)
            return
    if rest is not None:
        _store(solver, rest, "dict", name, src)


def _store(solver: Solver, cell: int, type_name: str, key: Any, src: int) -> None:
    """Put a value into the container that a starred parameter collects."""
    container = solver.objects.number(objects.CONT, cell, type_name)
    solver.add_one(cell, container)
    solver.copy(src, solver.field(container, ("any",)))
    solver.copy(src, solver.field(container, (key,)))


def spread(
    solver: Solver, offset: int, symbols: int, constraint: Any, found: int
) -> None:
    """Pass the items of `*found` on to the parameters that are left."""
    del offset, symbols
    _, targets, rest = constraint
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


def spread_named(
    solver: Solver, offset: int, symbols: int, constraint: Any, found: int
) -> None:
    """Pass the items of `**found` on to the parameters of the same names."""
    del offset, symbols
    _, targets, rest = constraint
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
