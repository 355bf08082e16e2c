"""Calls: the functions that run, their arguments and their results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from outcrop.codegraph.flow import objects
from outcrop.codegraph.flow.builtin_calls import call_builtin, call_container_method
from outcrop.codegraph.flow.constraints import Call, CallFitting, Spread, SpreadNamed
from outcrop.codegraph.flow.file_flow import KEYWORD, PLAIN, STAR

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from outcrop.codegraph.flow.file_flow import FunctionFlow
    from outcrop.codegraph.flow.functions import Signature
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
    dst, args, kwargs, star, dstar, scope = site
    s.edge(scope, symbol)
    if not s.across_calls:
        return
    bound = receiver is not None
    signature = s.program.functions.signature(symbol, bound=bound)
    if receiver is not None and signature.receiver is not None:
        s.add_one(signature.receiver, receiver)
    if args or kwargs or star is not None or dstar is not None:
        bind_arguments(s, site, symbol, signature, bound=bound)
    if dst is None:
        return
    for position in signature.passed:
        function = s.program.functions[symbol]
        _pass_back(s, site, dst, function, position, receiver)
    if signature.is_generator:
        s.add_one(dst, s.objects.number(objects.GEN, symbol))
    else:
        s.copy(signature.result, dst)


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
        s.copy(parameter.variable, dst)


def _instantiate(s: Solver, site: Call, callee: int) -> None:
    symbol = s.objects.first[callee]
    s.made.add(symbol)
    instance = s.objects.number(objects.INST, symbol)
    if site.dst is not None:
        s.add_one(site.dst, instance)
    _, args, kwargs, star, dstar, scope = site
    without_result = Call(None, args, kwargs, star, dstar, scope)
    s.wait(s.attributes.variable(instance, "__init__"), without_result)
    if s.attributes.defines(symbol, "__new__"):
        variable = s.attributes.variable(
            s.objects.number(objects.CLS, symbol), "__new__"
        )
        s.wait(variable, without_result)


def _instance(s: Solver, site: Call, callee: int) -> None:
    s.wait(s.attributes.variable(callee, "__call__"), site)


def _external(s: Solver, site: Call, callee: int) -> None:
    call_builtin(s, site, s.objects.first[callee])


def _any_of(s: Solver, site: Call, callee: int) -> None:
    owner, prefix = s.objects.first[callee], s.objects.second[callee]
    for name in s.attributes.names_starting(owner, prefix):
        s.wait(s.attributes.variable(owner, name), CallFitting(site))


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


def bind_arguments(
    solver: Solver, site: Call, symbol: int, signature: Signature, *, bound: bool
) -> None:
    """Copy each argument into the parameter of a function that it is passed to."""
    _, args, kwargs, star, dstar, _ = site
    plain, by_name, rest, named_rest = signature[:4]
    keys, literals, copy = solver.program.keys, solver.program.literals, solver.copy
    for arg, parameter in zip(args, plain, strict=False):
        if parameter in keys:
            _pass(solver, arg, parameter)
        elif arg is not None and arg not in literals:  # as `_pass` does
            copy(arg, parameter)
    if rest is not None and len(args) > len(plain):
        _collect(solver, rest, args[len(plain) :])
    for name, variable in kwargs:
        if name in by_name:
            _pass(solver, variable, by_name[name])
        elif named_rest is not None:
            _store(solver, named_rest, "dict", name, variable)
    if star is not None:
        solver.wait(star, Spread(plain[len(args) :], rest))
    if dstar is not None:
        solver.wait(dstar, SpreadNamed(_named(solver, symbol, bound=bound), named_rest))


def _named(solver: Solver, symbol: int, *, bound: bool) -> tuple[tuple[str, int], ...]:
    """Return the parameters that a keyword argument can name, in order."""
    parameters = solver.program.functions[symbol].parameters[bound:]
    named = {p.name: p.variable for p in parameters if p.kind in {PLAIN, KEYWORD}}
    return tuple(named.items())


def _collect(solver: Solver, rest: int, args: Sequence[int | None]) -> None:
    """Put arguments into the tuple that `*rest` collects."""
    for position, arg in enumerate(args):
        if arg is not None:
            _store(solver, rest, "tuple", position, arg)


def fits(function: FunctionFlow, site: Call, *, bound: bool) -> bool:
    """Whether a function takes as many arguments as a call gives."""
    if site.star is not None or site.dstar is not None:
        return True
    given = len(site.args) + bound
    plain = sum(p.kind == PLAIN for p in function.parameters)
    takes_rest = any(p.kind == STAR for p in function.parameters)
    enough = given + len(site.kwargs) >= function.required
    return (given <= plain or takes_rest) and enough


def _pass(solver: Solver, src: int | None, parameter: int) -> None:
    """Let a parameter hold an argument; literals only matter where they are keys."""
    if parameter in solver.program.keys:
        if src is None:
            solver.add_one(parameter, solver.objects.number(objects.UNKNOWN, None))
    elif src in solver.program.literals:
        return
    if src is not None:
        solver.copy(src, parameter)


def _store(solver: Solver, variable: int, type_name: str, key: Any, src: int) -> None:
    """Put a value into the container that a starred parameter collects."""
    container = solver.objects.number(objects.CONT, variable, type_name)
    solver.add_one(variable, container)
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
