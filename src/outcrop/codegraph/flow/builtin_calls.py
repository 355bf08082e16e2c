"""Calls that leave the project: builtins that pass values on, and container methods."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from outcrop.codegraph.flow import objects
from outcrop.codegraph.flow.constraints import (
    Call,
    CallSpecial,
    ClassOf,
    ImportNamed,
    Iterate,
    Next,
    UpdateContainer,
    call_without_arguments,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from outcrop.codegraph.flow.constraints import Constraint
    from outcrop.codegraph.flow.solver import Solver

_SPECIAL = {
    "builtins.len": "__len__", "builtins.str": "__str__", "builtins.repr": "__repr__",
    "builtins.bool": "__bool__", "builtins.int": "__int__",
    "builtins.float": "__float__", "builtins.abs": "__abs__",
    "builtins.hash": "__hash__", "builtins.next": "__next__",
}  # fmt: skip
_COLLECTORS = {
    "builtins.list": "list", "builtins.tuple": "tuple", "builtins.set": "set",
    "builtins.frozenset": "set", "builtins.sorted": "list",
    "builtins.reversed": "list", "builtins.iter": "list",
    "collections.deque": "list",
}  # fmt: skip
_ELEMENT = frozenset({"builtins.next", "builtins.max", "builtins.min"})
_KEYED = frozenset({"builtins.sorted"})


def call_builtin(solver: Solver, site: Call, name: str) -> None:
    """Record an external call, and pass values through where it is known how."""
    solver.edge(site.scope, name)
    if name not in _PASSING:
        if site.dst is not None and _is_class_name(name):
            solver.add_one(site.dst, solver.objects.number(objects.EXT_INST, name))
        return
    call = _Call(name, site.args, site.kwargs, site.dst, site.scope)
    handler = _BUILTINS.get(name)
    if handler is not None:
        handler(solver, call)
    if call.args and name in _SPECIAL:
        method = CallSpecial(_SPECIAL[name], call.result, call.caller)
        _wait(solver, call.args[0], method)
    if call.args and name in _ELEMENT:
        _wait(solver, call.args[0], Next(call.result, call.caller))


_Args = tuple[int | None, ...]


class _Call(NamedTuple):
    name: str
    args: _Args
    kwargs: tuple[tuple[str, int], ...]
    result: int | None
    caller: int


def _is_class_name(name: str) -> bool:
    last = name.rpartition(".")[2]
    return last[:1].isupper() and not last.isupper()


def _add(solver: Solver, variable: int | None, found: int) -> None:
    if variable is not None:
        solver.add_one(variable, found)


def _copy(solver: Solver, src: int | None, dst: int | None) -> None:
    if src is not None and dst is not None:
        solver.copy(src, dst)


def _wait(solver: Solver, variable: int | None, constraint: Constraint) -> None:
    if variable is not None:
        solver.wait(variable, constraint)


def _map(solver: Solver, call: _Call) -> None:
    """`map(f, xs)` calls f with the items of xs, from where map is called."""
    if len(call.args) < 2:  # noqa: PLR2004 - a function and something to map
        return
    items = [solver.new_variable() for _ in call.args[1:]]
    for source, item in zip(call.args[1:], items, strict=True):
        _wait(solver, source, Iterate(item, call.caller))
    mapped = solver.new_variable()
    inner = Call(mapped, tuple(items), (), None, None, call.caller)
    _wait(solver, call.args[0], inner)
    if call.result is not None:
        kept = mapped if call.name == "builtins.map" else items[0]
        _fill(solver, call.result, "list", kept)


def _fill(solver: Solver, variable: int, type_name: str, items: int) -> None:
    container = solver.objects.number(objects.CONT, variable, type_name)
    solver.add_one(variable, container)
    solver.copy(items, solver.field(container, ("any",)))
    solver.copy(items, solver.field(container, ("rest",)))


def _collect(solver: Solver, call: _Call) -> None:
    if call.name in _KEYED:
        _call_back(solver, dict(call.kwargs).get("key"), call.args[:1], call.caller)
    if call.result is None:
        return
    items = solver.new_variable()
    _fill(solver, call.result, _COLLECTORS[call.name], items)
    if call.args:
        _wait(solver, call.args[0], Iterate(items, call.caller))


def _dict(solver: Solver, call: _Call) -> None:
    if call.result is None:
        return
    container = solver.objects.number(objects.CONT, call.result, "dict")
    solver.add_one(call.result, container)
    for name, variable in call.kwargs:
        solver.copy(variable, solver.field(container, ("any",)))
        solver.copy(variable, solver.field(container, (name,)))
    if call.args:
        _wait(solver, call.args[0], UpdateContainer(container))


def _tuples(solver: Solver, call: _Call) -> None:
    """`enumerate` and `zip` give tuples of the items of their arguments."""
    if call.result is None:
        return
    entry = solver.new_variable()
    pair = solver.objects.number(objects.CONT, entry, "tuple")
    solver.add_one(entry, pair)
    first = 1 if call.name == "builtins.enumerate" else 0
    for position, variable in enumerate(call.args, start=first):
        item = solver.new_variable()
        _wait(solver, variable, Iterate(item, call.caller))
        solver.copy(item, solver.field(pair, (position,)))
        solver.copy(item, solver.field(pair, ("any",)))
    _fill(solver, call.result, "list", entry)


def _type(solver: Solver, call: _Call) -> None:
    if len(call.args) == 1:
        _wait(solver, call.args[0], ClassOf(call.result))


def _same(solver: Solver, call: _Call) -> None:
    if call.args:
        _copy(solver, call.args[-1], call.result)


def _first(solver: Solver, call: _Call) -> None:
    if call.args:
        _copy(solver, call.args[0], call.result)


def _partial(solver: Solver, call: _Call) -> None:
    if call.args and call.args[0] is not None:
        held = (call.args[0], call.args[1:], call.kwargs)
        _add(solver, call.result, solver.objects.number(objects.PARTIAL, held))


def _static(solver: Solver, call: _Call) -> None:
    """`staticmethod(f)` is f, never bound: a partial of it without arguments."""
    if call.args and call.args[0] is not None:
        held = (call.args[0], (), ())
        _add(solver, call.result, solver.objects.number(objects.PARTIAL, held))


def _import(solver: Solver, call: _Call) -> None:
    """`importlib.import_module("name")`, where the name is known."""
    if call.args and call.result is not None:
        _wait(solver, call.args[0], ImportNamed(call.result))


def import_named(solver: Solver, constraint: ImportNamed, found: int) -> None:
    """Give back the module of a name."""
    name = solver.objects.first[found]
    if solver.objects.kinds[found] == objects.LIT and isinstance(name, str):
        solver.add_one(constraint.dst, solver.program.module_object(name))


def _extreme(solver: Solver, call: _Call) -> None:
    _call_back(solver, dict(call.kwargs).get("key"), call.args[:1], call.caller)


def _reduce(solver: Solver, call: _Call) -> None:
    if call.args:
        _call_back(solver, call.args[0], call.args[1:2], call.caller)


def _compile(solver: Solver, call: _Call) -> None:
    _add(solver, call.result, solver.objects.number(objects.EXT_INST, "re.Pattern"))


def _substitute(solver: Solver, call: _Call) -> None:
    """`re.sub(pattern, f, text)` calls f for each match."""
    position = 1 if call.name in {"re.sub", "re.subn"} else 0
    if position < len(call.args):
        _call_back(solver, call.args[position], (), call.caller)


def _call_back(
    solver: Solver, function: int | None, items_of: Sequence[int | None], caller: int
) -> None:
    """Call a function with the items of what an external function was given."""
    item = solver.new_variable()
    for variable in items_of:
        _wait(solver, variable, Iterate(item, caller))
    _wait(solver, function, Call(None, (item, item), (), None, None, caller))


_BUILTINS: dict[str, Callable[[Solver, _Call], None]] = {
    "builtins.dict": _dict,
    "builtins.enumerate": _tuples,
    "builtins.filter": _map,
    "builtins.map": _map,
    "builtins.max": _extreme,
    "builtins.min": _extreme,
    "builtins.staticmethod": _static,
    "builtins.type": _type,
    "builtins.zip": _tuples,
    "copy.copy": _same,
    "copy.deepcopy": _same,
    "functools.partial": _partial,
    "importlib.import_module": _import,
    "functools.update_wrapper": _first,
    "functools.reduce": _reduce,
    "re.Pattern.sub": _substitute,
    "re.Pattern.subn": _substitute,
    "re.compile": _compile,
    "re.sub": _substitute,
    "re.subn": _substitute,
    "typing.cast": _same,
    **dict.fromkeys(_COLLECTORS, _collect),
}


_PASSING = frozenset({*_BUILTINS, *_SPECIAL, *_ELEMENT})
"""External functions of which it is known what they do with what they are given."""


def call_container_method(solver: Solver, site: Call, method: int) -> None:
    """Call a method of a list, dict, set or tuple."""
    owner, name = solver.objects.first[method], solver.objects.second[method]
    type_name = solver.objects.second[owner]
    solver.edge(site.scope, f"builtins.{type_name}.{name}")
    handler = _METHODS.get(name)
    if handler is not None:
        handler(solver, owner, site.args, site.dst)


def _store_last(solver: Solver, owner: int, args: _Args, dst: int | None) -> None:
    """append, add, insert, setdefault: the last argument becomes an item."""
    if args and args[-1] is not None:
        solver.copy(args[-1], solver.field(owner, ("any",)))
        solver.copy(args[-1], solver.field(owner, ("rest",)))
    _give_any(solver, owner, (), dst)


def _store_all(solver: Solver, owner: int, args: _Args, dst: int | None) -> None:
    """extend, update: the items of the argument become items."""
    del dst
    for variable in args[:1]:
        _wait(solver, variable, UpdateContainer(owner))


def _give_any(solver: Solver, owner: int, args: _Args, dst: int | None) -> None:
    """get, pop: return any item."""
    if dst is not None:
        solver.copy(solver.field(owner, ("any",)), dst)
        for variable in args[1:]:
            _copy(solver, variable, dst)


def _give_values(solver: Solver, owner: int, args: _Args, dst: int | None) -> None:
    """values: return a container of the same items."""
    del args
    if dst is not None:
        _fill(solver, dst, "list", solver.field(owner, ("any",)))


def _give_self(solver: Solver, owner: int, args: _Args, dst: int | None) -> None:
    del args
    _add(solver, dst, owner)


def _give_pairs(solver: Solver, owner: int, args: _Args, dst: int | None) -> None:
    """items: return pairs, each with an item second."""
    del args
    if dst is None:
        return
    entry = solver.field(owner, ("pair",))
    pair = solver.objects.number(objects.CONT, entry, "tuple")
    solver.add_one(entry, pair)
    solver.copy(solver.field(owner, ("any",)), solver.field(pair, (1,)))
    solver.copy(solver.field(owner, ("any",)), solver.field(pair, ("any",)))
    _fill(solver, dst, "list", entry)


_METHODS: dict[str, Callable[[Solver, int, _Args, int | None], None]] = {
    "add": _store_last,
    "append": _store_last,
    "appendleft": _store_last,
    "copy": _give_self,
    "extend": _store_all,
    "get": _give_any,
    "insert": _store_last,
    "items": _give_pairs,
    "pop": _give_any,
    "popleft": _give_any,
    "setdefault": _store_last,
    "update": _store_all,
    "values": _give_values,
}


def update_container(solver: Solver, constraint: UpdateContainer, found: int) -> None:
    """Put the items of a container into another."""
    owner = constraint.container
    if solver.objects.kinds[found] == objects.CONT:
        solver.field(found, ("rest",))
        for key in list(solver.fields[found]):
            if key != ("pair",):
                solver.copy(solver.field(found, key), solver.field(owner, key))
        solver.copy(solver.field(found, ("any",)), solver.field(owner, ("any",)))
        solver.copy(solver.field(found, ("rest",)), solver.field(owner, ("rest",)))


def call_special_method(solver: Solver, constraint: CallSpecial, found: int) -> None:
    """Call the special method that a builtin such as `len` stands for."""
    name, dst, caller = constraint
    if solver.objects.kinds[found] == objects.INST and solver.attributes.defines(
        solver.objects.first[found], name
    ):
        call = call_without_arguments(dst, caller)
        solver.wait(solver.attributes.variable(found, name), call)


def class_of(solver: Solver, constraint: ClassOf, found: int) -> None:
    """Give back the class of an instance."""
    kind, first = solver.objects.kinds[found], solver.objects.first[found]
    if kind == objects.INST and constraint.dst is not None:
        solver.add_one(constraint.dst, solver.objects.number(objects.CLS, first))
