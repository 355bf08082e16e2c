"""What each constraint does with an object that reaches its variable."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from outcrop.codegraph.flow import constraints as c
from outcrop.codegraph.flow import objects
from outcrop.codegraph.flow.builtin_calls import (
    call_special_method,
    class_of,
    import_named,
    update_container,
)
from outcrop.codegraph.flow.calling import call, call_fitting, spread, spread_named
from outcrop.codegraph.flow.file_flow import KEYS, SETTER

if TYPE_CHECKING:
    from collections.abc import Callable

    from outcrop.codegraph.flow.solver import Solver


def _read_attribute(s: Solver, read: c.ReadAttribute, found: int) -> None:
    s.attributes.read(read, found)


def _write_attribute(s: Solver, write: c.WriteAttribute, found: int) -> None:
    kind = s.objects.kinds[found]
    name, src = write.name, write.src
    if kind == objects.INST and s.attributes.defines(
        s.objects.first[found], name + SETTER
    ):
        call_special(s, found, name + SETTER, None, (src,), write.scope)
    elif src is not None and kind in _WITH_FIELDS:
        s.assigned.add((found, name))
        if kind == objects.CLS:
            s.attributes.patch(s.objects.first[found], name)
        s.copy(src, s.field(found, name))


def _read_item(s: Solver, read: c.ReadItem, found: int) -> None:
    kind = s.objects.kinds[found]
    dst, key = read.dst, read.key
    if kind == objects.CONT:
        if key is None or (isinstance(key, int) and key < 0):
            s.copy(s.field(found, ("any",)), dst)
        else:
            s.copy(s.field(found, (key,)), dst)
            s.copy(s.field(found, ("rest",)), dst)
    elif kind == objects.GEN:
        _copy_yields(s, found, dst)
    elif kind == objects.INST:
        call_special(s, found, "__getitem__", dst, (), read.scope)
    elif kind == objects.CLS:
        s.add_one(dst, found)


def _read_item_by(s: Solver, read: c.ReadItemBy, found: int) -> None:
    if s.objects.kinds[found] == objects.CONT:
        s.keyed.append((read.key, found, read.dst))
        s.wait(read.key, c.KeyOf(found, read.dst))
    else:
        _read_item(s, c.ReadItem(read.dst, None, read.scope), found)


def _key_of(s: Solver, key_of: c.KeyOf, found: int) -> None:
    if s.objects.kinds[found] == objects.LIT:
        key = s.objects.first[found]
        # A container calls nothing, so no scope is needed.
        _read_item(s, c.ReadItem(key_of.dst, key, 0), key_of.container)
    elif s.objects.kinds[found] == objects.UNKNOWN:
        s.copy(s.field(key_of.container, ("any",)), key_of.dst)


def _read_attribute_by(s: Solver, read: c.ReadAttributeBy, found: int) -> None:
    s.wait(read.name, c.NameOf(found, read.dst, read.scope))


def _name_of(s: Solver, name_of: c.NameOf, found: int) -> None:
    name = s.objects.first[found]
    if s.objects.kinds[found] == objects.LIT and isinstance(name, str):
        read = c.ReadAttribute(name_of.dst, name, name_of.scope)
        s.attributes.read(read, name_of.owner)


def _write_item(s: Solver, write: c.WriteItem, found: int) -> None:
    kind = s.objects.kinds[found]
    if kind == objects.CONT and write.src is not None:
        store_item(s, found, write.key, write.src)
    elif kind == objects.INST:
        call_special(s, found, "__setitem__", None, (None, write.src), write.scope)


def store_item(s: Solver, container: int, key: Any, src: int) -> None:
    """Put what a variable holds into a container."""
    if key == KEYS:
        s.copy(src, s.field(container, (key,)))
        return
    s.copy(src, s.field(container, ("any",)))
    known = key is not None and not (isinstance(key, int) and key < 0)
    s.copy(src, s.field(container, (key,) if known else ("rest",)))


def _copy_yields(s: Solver, generator: int, dst: int) -> None:
    yields = s.program.functions[s.objects.first[generator]].yields
    if yields is not None:
        s.copy(yields, dst)


def iterate_object(s: Solver, found: int, dst: int, scope: int) -> None:
    """Let `dst` hold what iterating over an object gives."""
    kind = s.objects.kinds[found]
    if kind == objects.CONT:
        key = KEYS if s.objects.second[found] == "dict" else "any"
        s.copy(s.field(found, (key,)), dst)
    elif kind == objects.GEN:
        _copy_yields(s, found, dst)
    elif kind == objects.INST:
        iterator = s.field(found, ("iterator", scope))
        if iterator not in s.iterators:
            s.iterators.add(iterator)
            call_special(s, found, "__iter__", iterator, (), scope)
            if not s.attributes.defines(s.objects.first[found], "__iter__"):
                call_special(s, found, "__getitem__", dst, (), scope)
        s.wait(iterator, c.Next(dst, scope))


def _iterate(s: Solver, iterate: c.Iterate, found: int) -> None:
    iterate_object(s, found, iterate.dst, iterate.scope)


def _next(s: Solver, step: c.Next, found: int) -> None:
    if s.objects.kinds[found] == objects.INST:
        call_special(s, found, "__next__", step.dst, (), step.scope)
    elif step.dst is not None:
        iterate_object(s, found, step.dst, step.scope)


def call_special(
    s: Solver, found: int, name: str, dst: int | None, args: tuple[int | None, ...],
    scope: int,
) -> None:  # fmt: skip
    """Call a special method of an instance, where its class has one."""
    if s.attributes.defines(s.objects.first[found], name):
        constraint = c.Call(dst, args, (), None, None, scope)
        s.wait(s.attributes.variable(found, name), constraint)


def _enter(s: Solver, enter: c.Enter, found: int) -> None:
    kind = s.objects.kinds[found]
    dst, scope = enter.dst, enter.scope
    if kind == objects.INST:
        symbol = s.objects.first[found]
        prefix = "__" if s.attributes.defines(symbol, "__enter__") else "__a"
        call_special(s, found, f"{prefix}enter__", dst, (), scope)
        call_special(s, found, f"{prefix}exit__", None, (), scope)
    elif kind == objects.GEN:
        _copy_yields(s, found, dst)
    else:
        s.add_one(dst, found)


def _raise(s: Solver, raised: c.Raise, found: int) -> None:
    if s.objects.kinds[found] == objects.CLS:
        call(s, c.call_without_arguments(None, raised.scope), found)


def _operate(s: Solver, operate: c.Operate, found: int) -> None:
    kind = s.objects.kinds[found]
    name, other = operate.method, operate.other
    if kind == objects.INST:
        call_special(s, found, name, operate.dst, (other,), operate.scope)
    elif kind == objects.CONT and name in {"__add__", "__or__"}:
        s.add_one(operate.dst, found)
        if other is not None:
            s.copy(other, operate.dst)


def _slice(s: Solver, part_of: c.Slice, found: int) -> None:
    dst, start, stop, scope = part_of
    if s.objects.kinds[found] == objects.INST:
        call_special(s, found, "__getitem__", dst, (), scope)
    if s.objects.kinds[found] != objects.CONT:
        return
    part = s.objects.number(objects.CONT, dst, "list")
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


def _instantiate(s: Solver, instantiate: c.Instantiate, found: int) -> None:
    kind, first = s.objects.kinds[found], s.objects.first[found]
    if kind == objects.CLS:
        s.add_one(instantiate.dst, s.objects.number(objects.INST, first))
        s.caught.append((instantiate.dst, first))
    elif kind == objects.EXT:
        s.add_one(instantiate.dst, s.objects.number(objects.EXT_INST, first))


def _super(s: Solver, above: c.Super, found: int) -> None:
    number = s.objects.number(objects.SUPER_OF, above.class_symbol, found)
    s.add_one(above.dst, number)


def _derive(s: Solver, derive: c.Derive, found: int) -> None:
    name = "__init_subclass__"
    if s.objects.kinds[found] == objects.CLS and s.attributes.defines(
        s.objects.first[found], name
    ):
        own = s.objects.number(objects.CLS, derive.class_symbol)
        above = s.objects.number(objects.SUPER_OF, derive.class_symbol, own)
        constraint = c.call_without_arguments(None, derive.scope)
        s.wait(s.attributes.variable(above, name), constraint)


_DUCKS = ("typing.", "collections.abc.", "typing_extensions.", "abc.", "numbers.")
"""Where classes live that others belong to without being derived from them."""


def _narrow(s: Solver, narrow: c.Narrow, found: int) -> None:
    if s.objects.kinds[found] != objects.INST:
        s.add_one(narrow.dst, found)
        return
    order = s.program.order(s.objects.first[found])
    for variable in narrow.classes:
        held = s.program.certain(variable)
        name = s.objects.first[held] if held is not None else None
        if name is None or name in order or str(name).startswith(_DUCKS):
            s.add_one(narrow.dst, found)
            return


def _decorate(s: Solver, decorate: c.Decorate, found: int) -> None:
    dst, argument, scope = decorate
    if s.objects.kinds[found] == objects.EXT:
        # What an unknown decorator does, it mostly gives the function back.
        s.edge(scope, s.objects.first[found])
        s.copy(argument, dst)
        return
    call(s, c.Call(dst, (argument,), (), None, None, scope), found)


def _read_prefixed(s: Solver, read: c.ReadPrefixed, found: int) -> None:
    if s.attributes.names_starting(found, read.prefix):
        s.add_one(read.dst, s.objects.number(objects.ANY_OF, found, read.prefix))


def _pass_attribute(s: Solver, passed: c.PassAttribute, found: int) -> None:
    s.attributes.pass_on(found, passed.dst, passed.scope)


def _bind_member(s: Solver, bind: c.BindMember, found: int) -> None:
    s.attributes.bind(found, bind.dst, bind.owner)


_WITH_FIELDS = frozenset({objects.INST, objects.CLS, objects.MOD, objects.FUNC})
HANDLERS: dict[type[c.Constraint], Callable[[Solver, Any, int], None]] = {
    c.ReadAttribute: _read_attribute,
    c.WriteAttribute: _write_attribute,
    c.ReadItem: _read_item,
    c.WriteItem: _write_item,
    c.Call: call,
    c.Iterate: _iterate,
    c.Enter: _enter,
    c.Raise: _raise,
    c.Operate: _operate,
    c.Slice: _slice,
    c.Instantiate: _instantiate,
    c.Super: _super,
    c.Decorate: _decorate,
    c.ReadPrefixed: _read_prefixed,
    c.Derive: _derive,
    c.Narrow: _narrow,
    c.ReadItemBy: _read_item_by,
    c.ReadAttributeBy: _read_attribute_by,
    c.KeyOf: _key_of,
    c.NameOf: _name_of,
    c.CallFitting: call_fitting,
    c.Next: _next,
    c.PassAttribute: _pass_attribute,
    c.BindMember: _bind_member,
    c.Spread: spread,
    c.SpreadNamed: spread_named,
    c.UpdateContainer: update_container,
    c.CallSpecial: call_special_method,
    c.ClassOf: class_of,
    c.ImportNamed: import_named,
}
"""How each constraint is applied; `Copy` is applied by the solver itself."""
