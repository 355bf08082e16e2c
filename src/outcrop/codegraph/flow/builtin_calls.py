"""Calls that leave the project: builtins that pass values on, and container methods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from outcrop.codegraph.flow import objects, ops

if TYPE_CHECKING:
    from collections.abc import Callable

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


def call_builtin(
    solver: Solver, offset: int, symbols: int, constraint: Any, name: str
) -> None:
    """Record an external call, and pass values through where it is known how."""
    _, dst, args, kwargs, _, _, scope = constraint
    solver.edge(symbols + scope, name)
    if name not in _PASSING:
        if dst >= 0 and _is_class_name(name):
            made = solver.objects.number(objects.EXT_INST, name)
            solver.add_one(offset + dst, made)
        return
    cells = [offset + arg if arg >= 0 else -1 for arg in args]
    named = [(key, offset + cell) for key, cell in kwargs]
    call = _Call(name, cells, named, offset + dst if dst >= 0 else -1, symbols + scope)
    handler = _BUILTINS.get(name)
    if handler is not None:
        handler(solver, call)
    if cells and name in _SPECIAL:
        method = ("special", _SPECIAL[name], call.result, call.caller)
        _wait(solver, cells[0], method)
    if cells and name in _ELEMENT:
        _wait(solver, cells[0], ("next", call.result, call.caller))


class _Call(NamedTuple):
    name: str
    cells: list[int]
    named: list[tuple[str, int]]
    result: int
    caller: int


def _is_class_name(name: str) -> bool:
    last = name.rpartition(".")[2]
    return last[:1].isupper() and not last.isupper()


def _add(solver: Solver, cell: int, found: int) -> None:
    if cell >= 0:
        solver.add_one(cell, found)


def _copy(solver: Solver, src: int, dst: int) -> None:
    if src >= 0 and dst >= 0:
        solver.copy(src, dst)


def _wait(solver: Solver, cell: int, constraint: tuple[Any, ...]) -> None:
    if cell >= 0:
        solver.wait(cell, 0, 0, constraint)


def _map(solver: Solver, call: _Call) -> None:
    """`map(f, xs)` calls f with the items of xs, from where map is called."""
    if len(call.cells) < 2:  # noqa: PLR2004 - a function and something to map
        return
    items = [solver.new_cell() for _ in call.cells[1:]]
    for source, item in zip(call.cells[1:], items, strict=True):
        _wait(solver, source, (ops.ITER, item, call.caller))
    mapped = solver.new_cell()
    inner = ("absolute", mapped, tuple(items), (), -1, -1, call.caller)
    _wait(solver, call.cells[0], inner)
    if call.result >= 0:
        kept = mapped if call.name == "builtins.map" else items[0]
        _fill(solver, call.result, "list", kept)


def _fill(solver: Solver, cell: int, type_name: str, items: int) -> None:
    container = solver.objects.number(objects.CONT, cell, type_name)
    solver.add_one(cell, container)
    solver.copy(items, solver.field(container, ("any",)))
    solver.copy(items, solver.field(container, ("rest",)))


def _collect(solver: Solver, call: _Call) -> None:
    if call.name in _KEYED:
        _call_back(solver, dict(call.named).get("key", -1), call.cells[:1], call.caller)
    if call.result < 0:
        return
    items = solver.new_cell()
    _fill(solver, call.result, _COLLECTORS[call.name], items)
    if call.cells:
        _wait(solver, call.cells[0], (ops.ITER, items, call.caller))


def _dict(solver: Solver, call: _Call) -> None:
    if call.result < 0:
        return
    container = solver.objects.number(objects.CONT, call.result, "dict")
    solver.add_one(call.result, container)
    for name, cell in call.named:
        solver.copy(cell, solver.field(container, ("any",)))
        solver.copy(cell, solver.field(container, (name,)))
    if call.cells:
        _wait(solver, call.cells[0], ("update", container))


def _tuples(solver: Solver, call: _Call) -> None:
    """`enumerate` and `zip` give tuples of the items of their arguments."""
    if call.result < 0:
        return
    entry = solver.new_cell()
    pair = solver.objects.number(objects.CONT, entry, "tuple")
    solver.add_one(entry, pair)
    first = 1 if call.name == "builtins.enumerate" else 0
    for position, cell in enumerate(call.cells, start=first):
        item = solver.new_cell()
        _wait(solver, cell, (ops.ITER, item, call.caller))
        solver.copy(item, solver.field(pair, (position,)))
        solver.copy(item, solver.field(pair, ("any",)))
    _fill(solver, call.result, "list", entry)


def _type(solver: Solver, call: _Call) -> None:
    if len(call.cells) == 1:
        _wait(solver, call.cells[0], ("class of", call.result))


def _same(solver: Solver, call: _Call) -> None:
    if call.cells:
        _copy(solver, call.cells[-1], call.result)


def _first(solver: Solver, call: _Call) -> None:
    if call.cells:
        _copy(solver, call.cells[0], call.result)


def _partial(solver: Solver, call: _Call) -> None:
    if call.cells and call.cells[0] >= 0:
        held = (call.cells[0], tuple(call.cells[1:]), tuple(call.named))
        _add(solver, call.result, solver.objects.number(objects.PARTIAL, held))


def _static(solver: Solver, call: _Call) -> None:
    """`staticmethod(f)` is f, never bound: a partial of it without arguments."""
    if call.cells and call.cells[0] >= 0:
        held = (call.cells[0], (), ())
        _add(solver, call.result, solver.objects.number(objects.PARTIAL, held))


def _import(solver: Solver, call: _Call) -> None:
    """`importlib.import_module("name")`, where the name is known."""
    if call.cells and call.result >= 0:
        _wait(solver, call.cells[0], ("module named", call.result))


def module_named(
    solver: Solver, offset: int, symbols: int, constraint: Any, found: int
) -> None:
    """Give back the module of a name."""
    del offset, symbols
    name = solver.objects.first[found]
    if solver.objects.kinds[found] == objects.LIT and isinstance(name, str):
        solver.add_one(constraint[1], solver.program.module_object(name))


def _extreme(solver: Solver, call: _Call) -> None:
    _call_back(solver, dict(call.named).get("key", -1), call.cells[:1], call.caller)


def _reduce(solver: Solver, call: _Call) -> None:
    if call.cells:
        _call_back(solver, call.cells[0], call.cells[1:2], call.caller)


def _compile(solver: Solver, call: _Call) -> None:
    _add(solver, call.result, solver.objects.number(objects.EXT_INST, "re.Pattern"))


def _substitute(solver: Solver, call: _Call) -> None:
    """`re.sub(pattern, f, text)` calls f for each match."""
    position = 1 if call.name in {"re.sub", "re.subn"} else 0
    if position < len(call.cells):
        _call_back(solver, call.cells[position], [], call.caller)


def _call_back(solver: Solver, function: int, items_of: list[int], caller: int) -> None:
    """Call a function with the items of what an external function was given."""
    item = solver.new_cell()
    for cell in items_of:
        _wait(solver, cell, (ops.ITER, item, caller))
    _wait(solver, function, ("absolute", -1, (item, item), (), -1, -1, caller))


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


def call_container_method(
    solver: Solver, offset: int, symbols: int, constraint: Any, method: int
) -> None:
    """Call a method of a list, dict, set or tuple."""
    _, dst, args, _, _, _, scope = constraint
    owner, name = solver.objects.first[method], solver.objects.second[method]
    type_name = solver.objects.second[owner]
    solver.edge(symbols + scope, f"builtins.{type_name}.{name}")
    cells = [offset + arg if arg >= 0 else -1 for arg in args]
    handler = _METHODS.get(name)
    if handler is not None:
        handler(solver, owner, cells, offset + dst if dst >= 0 else -1)


def _store_last(solver: Solver, owner: int, cells: list[int], dst: int) -> None:
    """append, add, insert, setdefault: the last argument becomes an item."""
    if cells and cells[-1] >= 0:
        solver.copy(cells[-1], solver.field(owner, ("any",)))
        solver.copy(cells[-1], solver.field(owner, ("rest",)))
    _give_any(solver, owner, [], dst)


def _store_all(solver: Solver, owner: int, cells: list[int], dst: int) -> None:
    """extend, update: the items of the argument become items."""
    del dst
    for cell in cells[:1]:
        _wait(solver, cell, ("update", owner))


def _give_any(solver: Solver, owner: int, cells: list[int], dst: int) -> None:
    """get, pop: any item is given back."""
    if dst >= 0:
        solver.copy(solver.field(owner, ("any",)), dst)
        for cell in cells[1:]:
            _copy(solver, cell, dst)


def _give_values(solver: Solver, owner: int, cells: list[int], dst: int) -> None:
    """values, copy: a container of the same items is given back."""
    del cells
    if dst >= 0:
        _fill(solver, dst, "list", solver.field(owner, ("any",)))


def _give_self(solver: Solver, owner: int, cells: list[int], dst: int) -> None:
    del cells
    _add(solver, dst, owner)


def _give_pairs(solver: Solver, owner: int, cells: list[int], dst: int) -> None:
    """items: pairs are given back, each with an item second."""
    del cells
    if dst < 0:
        return
    entry = solver.field(owner, ("pair",))
    pair = solver.objects.number(objects.CONT, entry, "tuple")
    solver.add_one(entry, pair)
    solver.copy(solver.field(owner, ("any",)), solver.field(pair, (1,)))
    solver.copy(solver.field(owner, ("any",)), solver.field(pair, ("any",)))
    _fill(solver, dst, "list", entry)


_METHODS: dict[str, Callable[[Solver, int, list[int], int], None]] = {
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


def update(
    solver: Solver, offset: int, symbols: int, constraint: Any, found: int
) -> None:
    """Put the items of a container into another."""
    del offset, symbols
    owner = constraint[1]
    if solver.objects.kinds[found] == objects.CONT:
        solver.field(found, ("rest",))
        for key in list(solver.fields[found]):
            if key != ("pair",):
                solver.copy(solver.field(found, key), solver.field(owner, key))
        solver.copy(solver.field(found, ("any",)), solver.field(owner, ("any",)))
        solver.copy(solver.field(found, ("rest",)), solver.field(owner, ("rest",)))


def special(
    solver: Solver, offset: int, symbols: int, constraint: Any, found: int
) -> None:
    """Call the special method behind a builtin such as `len`."""
    del offset, symbols
    _, name, dst, caller = constraint
    if solver.objects.kinds[found] == objects.INST and solver.attributes.defines(
        solver.objects.first[found], name
    ):
        call = ("absolute", dst, (), (), -1, -1, caller)
        solver.wait(solver.attributes.cell(found, name), 0, 0, call)


def class_of(
    solver: Solver, offset: int, symbols: int, constraint: Any, found: int
) -> None:
    """Give back the class of an instance."""
    del offset, symbols
    kind, first = solver.objects.kinds[found], solver.objects.first[found]
    if kind == objects.INST and constraint[1] >= 0:
        solver.add_one(constraint[1], solver.objects.number(objects.CLS, first))
