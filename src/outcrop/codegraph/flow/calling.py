"""Calling an object: what runs, what it is given, and what it gives back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from outcrop.codegraph.flow import objects, ops
from outcrop.codegraph.flow.binding import bind_arguments, bind_receiver, fits
from outcrop.codegraph.flow.builtin_calls import call_builtin, call_container_method

if TYPE_CHECKING:
    from collections.abc import Callable

    from outcrop.codegraph.flow.solver import Constraint, Solver


def call(
    s: Solver, offset: int, symbols: int, constraint: Constraint, callee: int
) -> None:
    """Call an object."""
    handler = _CALLED.get(s.objects.kinds[callee])
    if handler is not None:
        handler(s, offset, symbols, constraint, callee)


def _function(
    s: Solver, offset: int, symbols: int, constraint: Constraint, callee: int
) -> None:
    call_function(s, offset, symbols, constraint, s.objects.first[callee], None)


def _bound(
    s: Solver, offset: int, symbols: int, constraint: Constraint, callee: int
) -> None:
    function = s.objects.first[s.objects.first[callee]]
    receiver = s.objects.second[callee]
    call_function(s, offset, symbols, constraint, function, receiver)


def call_function(
    s: Solver, offset: int, symbols: int, constraint: Constraint, symbol: int,
    receiver: int | None,
) -> None:  # fmt: skip
    """Call a function: pass arguments in, and the result out."""
    function = s.program.functions[symbol]
    s.edge(symbols + constraint[6], symbol)
    if not s.across_calls:
        return
    if receiver is not None:
        bind_receiver(s, symbol, receiver)
    bind_arguments(s, offset, constraint, function, bound=receiver is not None)
    dst = constraint[1]
    if dst < 0:
        return
    for position in function.passed:
        _pass_back(s, offset, constraint, function, position, receiver)
    if function.yields >= 0:
        s.add_one(offset + dst, s.objects.number(objects.GEN, symbol))
    else:
        s.copy(function.result, offset + dst)


def _pass_back(
    s: Solver, offset: int, constraint: Constraint, function: ops.FunctionFlow,
    position: int, receiver: int | None,
) -> None:  # fmt: skip
    """Let a call's result hold the argument that the function returns."""
    dst = offset + constraint[1]
    if receiver is not None:
        if position == 0:
            s.add_one(dst, receiver)
            return
        position -= 1
    args, kwargs = constraint[2], dict(constraint[3])
    name, cell, _ = function.parameters[position + (receiver is not None)]
    if position < len(args):
        if args[position] >= 0:
            s.copy(offset + args[position], dst)
    elif name in kwargs:
        s.copy(offset + kwargs[name], dst)
    else:
        s.copy(cell, dst)


def _instantiate(
    s: Solver, offset: int, symbols: int, constraint: Constraint, callee: int
) -> None:
    symbol = s.objects.first[callee]
    s.made.add(symbol)
    instance = s.objects.number(objects.INST, symbol)
    dst = constraint[1]
    if dst >= 0:
        s.add_one(offset + dst, instance)
    without_result = (constraint[0], -1, *constraint[2:])
    s.wait(s.attributes.cell(instance, "__init__"), offset, symbols, without_result)
    if s.attributes.defines(symbol, "__new__"):
        cell = s.attributes.cell(s.objects.number(objects.CLS, symbol), "__new__")
        s.wait(cell, offset, symbols, without_result)


def _instance(
    s: Solver, offset: int, symbols: int, constraint: Constraint, callee: int
) -> None:
    s.wait(s.attributes.cell(callee, "__call__"), offset, symbols, constraint)


def _external(
    s: Solver, offset: int, symbols: int, constraint: Constraint, callee: int
) -> None:
    call_builtin(s, offset, symbols, constraint, s.objects.first[callee])


def _any_of(
    s: Solver, offset: int, symbols: int, constraint: Constraint, callee: int
) -> None:
    owner, prefix = s.objects.first[callee], s.objects.second[callee]
    for name in s.attributes.names_starting(owner, prefix):
        cell = s.attributes.cell(owner, name)
        s.wait(cell, offset, symbols, ("fitting", *constraint[1:]))


def call_fitting(
    s: Solver, offset: int, symbols: int, constraint: Any, found: int
) -> None:
    """Call an object, unless it could not take these arguments."""
    kind, first = s.objects.kinds[found], s.objects.first[found]
    bound = kind == objects.BOUND
    if bound:
        first = s.objects.first[first]
    if kind in {objects.FUNC, objects.BOUND} and not fits(
        s.program.functions[first], constraint, bound=bound
    ):
        return
    call(s, offset, symbols, (ops.CALL, *constraint[1:]), found)


def _partial(
    s: Solver, offset: int, symbols: int, constraint: Constraint, callee: int
) -> None:
    fn, args, kwargs = s.objects.first[callee]
    _, dst, more, named, star, dstar, scope = constraint
    key = (callee, offset + dst, symbols + scope)
    if key in s.partials:  # a partial of itself would never end
        return
    s.partials.add(key)

    def absolute(cell: int) -> int:
        return offset + cell if cell >= 0 else -1

    merged = (
        "absolute", absolute(dst), args + tuple(map(absolute, more)),
        kwargs + tuple((name, offset + cell) for name, cell in named),
        absolute(star), absolute(dstar), symbols + scope,
    )  # fmt: skip
    s.wait(fn, 0, 0, merged)


_CALLED: dict[int, Callable[[Solver, int, int, Any, int], None]] = {
    objects.FUNC: _function,
    objects.BOUND: _bound,
    objects.CLS: _instantiate,
    objects.INST: _instance,
    objects.EXT: _external,
    objects.CONT_METHOD: call_container_method,
    objects.ANY_OF: _any_of,
    objects.PARTIAL: _partial,
}
