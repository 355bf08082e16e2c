"""What each constraint does with an object that reaches its cell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from outcrop.codegraph.flow import objects, ops
from outcrop.codegraph.flow.binding import spread, spread_named
from outcrop.codegraph.flow.builtin_calls import (
    class_of,
    module_named,
    special,
    update,
)
from outcrop.codegraph.flow.calling import call, call_fitting

if TYPE_CHECKING:
    from collections.abc import Callable

    from outcrop.codegraph.flow.solver import Constraint, Solver


def _attr(s: Solver, offset: int, symbols: int, c: Constraint, found: int) -> None:
    s.attributes.read(offset, symbols, c, found)


def _setattr(s: Solver, offset: int, symbols: int, c: Constraint, found: int) -> None:
    _, name, src, scope = c
    kind = s.objects.kinds[found]
    if kind == objects.INST and s.attributes.defines(
        s.objects.first[found], name + ops.SETTER
    ):
        args = (offset + src if src >= 0 else -1,)
        call_special(s, found, name + ops.SETTER, -1, args, symbols + scope)
    elif src >= 0 and kind in _WITH_FIELDS:
        s.assigned.add((found, name))
        if kind == objects.CLS:
            s.attributes.patch(s.objects.first[found], name)
        s.copy(offset + src, s.field(found, name))


def _item(s: Solver, offset: int, symbols: int, c: Constraint, found: int) -> None:
    _, dst, key, scope = c
    kind = s.objects.kinds[found]
    if kind == objects.CONT:
        if key is None:
            s.copy(s.field(found, ("any",)), offset + dst)
        else:
            if isinstance(key, int) and key < 0:
                s.copy(s.field(found, ("any",)), offset + dst)
                return
            s.copy(s.field(found, (key,)), offset + dst)
            s.copy(s.field(found, ("rest",)), offset + dst)
    elif kind == objects.GEN:
        s.copy(s.program.functions[s.objects.first[found]].yields, offset + dst)
    elif kind == objects.INST:
        call_special(s, found, "__getitem__", offset + dst, (), symbols + scope)
    elif kind == objects.CLS:
        s.add_one(offset + dst, found)


def _item_by(s: Solver, offset: int, symbols: int, c: Constraint, found: int) -> None:
    _, dst, key, scope = c
    if s.objects.kinds[found] == objects.CONT:
        s.keyed.append((offset + key, found, offset + dst))
        s.wait(offset + key, 0, 0, ("key of", found, offset + dst))
    else:
        _item(s, offset, symbols, (ops.ITEM, dst, None, scope), found)


def _key_of(s: Solver, offset: int, symbols: int, c: Constraint, found: int) -> None:
    _, container, dst = c
    if s.objects.kinds[found] == objects.LIT:
        key = s.objects.first[found]
        _item(s, 0, 0, (ops.ITEM, dst, key, 0), container)
    elif s.objects.kinds[found] == objects.UNKNOWN:
        s.copy(s.field(container, ("any",)), dst)
    del offset, symbols


def _attr_by(s: Solver, offset: int, symbols: int, c: Constraint, found: int) -> None:
    _, dst, name, scope = c
    s.wait(offset + name, 0, 0, ("name of", found, offset + dst, symbols + scope))


def _name_of(s: Solver, offset: int, symbols: int, c: Constraint, found: int) -> None:
    del offset, symbols
    _, owner, dst, scope = c
    name = s.objects.first[found]
    if s.objects.kinds[found] == objects.LIT and isinstance(name, str):
        s.attributes.read(0, 0, (ops.ATTR, dst, name, scope), owner)


def _setitem(s: Solver, offset: int, symbols: int, c: Constraint, found: int) -> None:
    _, key, src, scope = c
    kind = s.objects.kinds[found]
    if kind == objects.CONT and src >= 0:
        store_item(s, found, key, offset + src)
    elif kind == objects.INST:
        args = (-1, offset + src if src >= 0 else -1)
        call_special(s, found, "__setitem__", -1, args, symbols + scope)


def store_item(s: Solver, container: int, key: Any, src: int) -> None:
    """Put what a cell holds into a container."""
    if key == ops.KEYS:
        s.copy(src, s.field(container, (key,)))
        return
    s.copy(src, s.field(container, ("any",)))
    known = key is not None and not (isinstance(key, int) and key < 0)
    s.copy(src, s.field(container, (key,) if known else ("rest",)))


def iterate_object(s: Solver, found: int, dst: int, scope: int) -> None:
    """Let `dst` hold what iterating over an object gives."""
    kind = s.objects.kinds[found]
    if kind == objects.CONT:
        key = ops.KEYS if s.objects.second[found] == "dict" else "any"
        s.copy(s.field(found, (key,)), dst)
    elif kind == objects.GEN:
        s.copy(s.program.functions[s.objects.first[found]].yields, dst)
    elif kind == objects.INST:
        iterator = s.field(found, ("iterator", scope))
        if iterator not in s.sets:
            s.sets[iterator] = set()
            call_special(s, found, "__iter__", iterator, (), scope)
            if not s.attributes.defines(s.objects.first[found], "__iter__"):
                call_special(s, found, "__getitem__", dst, (), scope)
        s.wait(iterator, 0, 0, ("next", dst, scope))


def _iter(s: Solver, offset: int, symbols: int, c: Constraint, found: int) -> None:
    iterate_object(s, found, offset + c[1], symbols + c[2])


def _next(s: Solver, offset: int, symbols: int, c: Constraint, found: int) -> None:
    del offset, symbols
    if s.objects.kinds[found] == objects.INST:
        call_special(s, found, "__next__", c[1], (), c[2])
    else:
        iterate_object(s, found, c[1], c[2])


def call_special(
    s: Solver, found: int, name: str, dst: int, args: tuple[int, ...], scope: int
) -> None:
    """Call a special method of an instance, where its class has one."""
    if s.attributes.defines(s.objects.first[found], name):
        constraint = ("absolute", dst, args, (), -1, -1, scope)
        s.wait(s.attributes.cell(found, name), 0, 0, constraint)


def _absolute(s: Solver, offset: int, symbols: int, c: Constraint, found: int) -> None:
    del offset, symbols
    call(s, 0, 0, (ops.CALL, *c[1:]), found)


def _enter(s: Solver, offset: int, symbols: int, c: Constraint, found: int) -> None:
    kind = s.objects.kinds[found]
    dst, scope = offset + c[1], symbols + c[2]
    if kind == objects.INST:
        symbol = s.objects.first[found]
        prefix = "__" if s.attributes.defines(symbol, "__enter__") else "__a"
        call_special(s, found, f"{prefix}enter__", dst, (), scope)
        call_special(s, found, f"{prefix}exit__", -1, (), scope)
    elif kind == objects.GEN:
        s.copy(s.program.functions[s.objects.first[found]].yields, dst)
    else:
        s.add_one(dst, found)


def _raise(s: Solver, offset: int, symbols: int, c: Constraint, found: int) -> None:
    if s.objects.kinds[found] == objects.CLS:
        call(s, offset, symbols, (ops.CALL, -1, (), (), -1, -1, c[1]), found)


def _operate(s: Solver, offset: int, symbols: int, c: Constraint, found: int) -> None:
    _, dst, name, other, scope = c
    kind = s.objects.kinds[found]
    if kind == objects.INST:
        args = (offset + other if other >= 0 else -1,)
        call_special(s, found, name, offset + dst, args, symbols + scope)
    elif kind == objects.CONT and name in {"__add__", "__or__"}:
        s.add_one(offset + dst, found)
        if other >= 0:
            s.copy(offset + other, offset + dst)


def _slice(s: Solver, offset: int, symbols: int, c: Constraint, found: int) -> None:
    _, site, start, stop, scope = c
    if s.objects.kinds[found] == objects.INST:
        call_special(s, found, "__getitem__", offset + site, (), symbols + scope)
    if s.objects.kinds[found] != objects.CONT:
        return
    part = s.objects.number(objects.CONT, offset + site, "list")
    s.field(found, ("rest",))
    keys = [key[0] for key in s.fields[found]]
    whole = [key for key in keys if isinstance(key, int)]
    s.copy(s.field(found, ("rest",)), s.field(part, ("rest",)))
    first = start or 0
    if first < 0 or (stop is not None and stop < 0) or not whole:
        s.copy(s.field(found, ("any",)), s.field(part, ("any",)))
        s.copy(s.field(found, ("any",)), s.field(part, ("rest",)))
        return
    for key in whole:
        if key >= first and (stop is None or key < stop):
            store_item(s, part, key - first, s.field(found, (key,)))


def _instance(s: Solver, offset: int, symbols: int, c: Constraint, found: int) -> None:
    del symbols
    kind, first = s.objects.kinds[found], s.objects.first[found]
    if kind == objects.CLS:
        s.add_one(offset + c[1], s.objects.number(objects.INST, first))
        s.caught.append((offset + c[1], first))
    elif kind == objects.EXT:
        s.add_one(offset + c[1], s.objects.number(objects.EXT_INST, first))


def _super(s: Solver, offset: int, symbols: int, c: Constraint, found: int) -> None:
    number = s.objects.number(objects.SUPER_OF, symbols + c[2], found)
    s.add_one(offset + c[1], number)


def _subclass(s: Solver, offset: int, symbols: int, c: Constraint, found: int) -> None:
    del offset
    _, symbol, scope = c
    name = "__init_subclass__"
    if s.objects.kinds[found] == objects.CLS and s.attributes.defines(
        s.objects.first[found], name
    ):
        own = s.objects.number(objects.CLS, symbols + symbol)
        above = s.objects.number(objects.SUPER_OF, symbols + symbol, own)
        call_it = ("absolute", -1, (), (), -1, -1, symbols + scope)
        s.wait(s.attributes.cell(above, name), 0, 0, call_it)


_DUCKS = ("typing.", "collections.abc.", "typing_extensions.", "abc.", "numbers.")
"""Where classes live that others belong to without being derived from them."""


def _narrow(s: Solver, offset: int, symbols: int, c: Constraint, found: int) -> None:
    del symbols
    if s.objects.kinds[found] != objects.INST:
        s.add_one(offset + c[1], found)
        return
    order = s.program.order(s.objects.first[found])
    for cell in c[2]:
        held = s.program.certain(offset + cell)
        name = s.objects.first[held] if held is not None else None
        if name is None or name in order or str(name).startswith(_DUCKS):
            s.add_one(offset + c[1], found)
            return


def _decorate(s: Solver, offset: int, symbols: int, c: Constraint, found: int) -> None:
    _, dst, argument, scope = c
    if s.objects.kinds[found] == objects.EXT:
        # What an unknown decorator does, it mostly gives the function back.
        s.edge(symbols + scope, s.objects.first[found])
        s.copy(offset + argument, offset + dst)
        return
    call(s, offset, symbols, (ops.CALL, dst, (argument,), (), -1, -1, scope), found)


def _prefix(s: Solver, offset: int, symbols: int, c: Constraint, found: int) -> None:
    del symbols
    _, dst, prefix = c
    if s.attributes.names_starting(found, prefix):
        s.add_one(offset + dst, s.objects.number(objects.ANY_OF, found, prefix))


def _property(s: Solver, offset: int, symbols: int, c: Constraint, found: int) -> None:
    del offset, symbols
    s.attributes.pass_on(found, c[1], c[2])


def _bind(s: Solver, offset: int, symbols: int, c: Constraint, found: int) -> None:
    del offset, symbols
    s.attributes.bind(found, c[1], c[2])


_WITH_FIELDS = frozenset({objects.INST, objects.CLS, objects.MOD, objects.FUNC})
HANDLERS: dict[Any, Callable[[Solver, int, int, Constraint, int], None]] = {
    ops.ATTR: _attr,
    ops.SETATTR: _setattr,
    ops.ITEM: _item,
    ops.SETITEM: _setitem,
    ops.CALL: call,
    ops.ITER: _iter,
    ops.ENTER: _enter,
    ops.RAISE: _raise,
    ops.OPERATE: _operate,
    ops.SLICE: _slice,
    ops.INSTANCE: _instance,
    ops.SUPER: _super,
    ops.DECORATE: _decorate,
    ops.PREFIX: _prefix,
    ops.SUBCLASS: _subclass,
    ops.NARROW: _narrow,
    ops.ITEM_BY: _item_by,
    ops.ATTR_BY: _attr_by,
    "key of": _key_of,
    "name of": _name_of,
    "absolute": _absolute,
    "fitting": call_fitting,
    "next": _next,
    "property": _property,
    "bind": _bind,
    "spread": spread,
    "spread named": spread_named,
    "update": update,
    "special": special,
    "class of": class_of,
    "module named": module_named,
}
