"""Calling an object: what runs, what it is given, and what it gives back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.codegraph.flow import objects
from outcrop.codegraph.flow.binding import bind_arguments, bind_receiver, fits
from outcrop.codegraph.flow.builtin_calls import call_builtin, call_container_method
from outcrop.codegraph.flow.constraints import Call, CallFitting

if TYPE_CHECKING:
    from collections.abc import Callable

    from outcrop.codegraph.flow.file_flow import FunctionFlow
    from outcrop.codegraph.flow.solver import Solver


def call(s: Solver, site: Call, callee: int) -> None:
    """Call an object."""
    handler = _CALLED.get(s.objects.kinds[callee])
    if handler is not None:
        handler(s, site, callee)


def _function(s: Solver, site: Call, callee: int) -> None:
    call_function(s, site, s.objects.first[callee], None)


def _bound(s: Solver, site: Call, callee: int) -> None:
    function = s.objects.first[s.objects.first[callee]]
    call_function(s, site, function, s.objects.second[callee])


def call_function(s: Solver, site: Call, symbol: int, receiver: int | None) -> None:
    """Call a function: pass arguments in, and the result out."""
    function = s.program.functions[symbol]
    s.edge(site.scope, symbol)
    if not s.across_calls:
        return
    if receiver is not None:
        bind_receiver(s, symbol, receiver)
    bind_arguments(s, site, function, bound=receiver is not None)
    dst = site.dst
    if dst is None:
        return
    for position in function.passed:
        _pass_back(s, site, dst, function, position, receiver)
    if function.yields is not None:
        s.add_one(dst, s.objects.number(objects.GEN, symbol))
    else:
        s.copy(function.result, dst)


def _pass_back(
    s: Solver, site: Call, dst: int, function: FunctionFlow, position: int,
    receiver: int | None,
) -> None:  # fmt: skip
    """Let a call's result hold the argument that the function returns."""
    if receiver is not None:
        if position == 0:
            s.add_one(dst, receiver)
            return
        position -= 1
    args, kwargs = site.args, dict(site.kwargs)
    parameter = function.parameters[position + (receiver is not None)]
    if position < len(args):
        argument = args[position]
        if argument is not None:
            s.copy(argument, dst)
    elif parameter.name in kwargs:
        s.copy(kwargs[parameter.name], dst)
    else:
        s.copy(parameter.cell, dst)


def _instantiate(s: Solver, site: Call, callee: int) -> None:
    symbol = s.objects.first[callee]
    s.made.add(symbol)
    instance = s.objects.number(objects.INST, symbol)
    if site.dst is not None:
        s.add_one(site.dst, instance)
    _, args, kwargs, star, dstar, scope = site
    without_result = Call(None, args, kwargs, star, dstar, scope)
    s.wait(s.attributes.cell(instance, "__init__"), without_result)
    if s.attributes.defines(symbol, "__new__"):
        cell = s.attributes.cell(s.objects.number(objects.CLS, symbol), "__new__")
        s.wait(cell, without_result)


def _instance(s: Solver, site: Call, callee: int) -> None:
    s.wait(s.attributes.cell(callee, "__call__"), site)


def _external(s: Solver, site: Call, callee: int) -> None:
    call_builtin(s, site, s.objects.first[callee])


def _any_of(s: Solver, site: Call, callee: int) -> None:
    owner, prefix = s.objects.first[callee], s.objects.second[callee]
    for name in s.attributes.names_starting(owner, prefix):
        s.wait(s.attributes.cell(owner, name), CallFitting(site))


def call_fitting(s: Solver, constraint: CallFitting, found: int) -> None:
    """Call an object, unless it could not take these arguments."""
    kind, first = s.objects.kinds[found], s.objects.first[found]
    bound = kind == objects.BOUND
    if bound:
        first = s.objects.first[first]
    if kind in {objects.FUNC, objects.BOUND} and not fits(
        s.program.functions[first], constraint.call, bound=bound
    ):
        return
    call(s, constraint.call, found)


def _partial(s: Solver, site: Call, callee: int) -> None:
    function, args, kwargs = s.objects.first[callee]
    key = (callee, site.dst, site.scope)
    if key in s.partials:  # a partial of itself would never end
        return
    s.partials.add(key)
    merged = site._replace(args=args + site.args, kwargs=kwargs + site.kwargs)
    s.wait(function, merged)


_CALLED: dict[int, Callable[[Solver, Call, int], None]] = {
    objects.FUNC: _function,
    objects.BOUND: _bound,
    objects.CLS: _instantiate,
    objects.INST: _instance,
    objects.EXT: _external,
    objects.CONT_METHOD: call_container_method,
    objects.ANY_OF: _any_of,
    objects.PARTIAL: _partial,
}
