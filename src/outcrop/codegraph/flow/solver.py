"""Propagation of objects through constraints until nothing changes.

The work is bounded twice: a cell that would hold more than `SET_LIMIT` objects takes
no more of them, and after `step_limit` steps values no longer cross calls, so that
what is left is resolved at the local level. Both are counted, and both depend on the
program alone, so the same program always gives the same answer.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from outcrop.codegraph.flow import objects, ops
from outcrop.codegraph.flow.attributes import Attributes
from outcrop.codegraph.flow.binding import bind_arguments, spread, spread_named
from outcrop.codegraph.flow.builtin_calls import (
    call_builtin,
    call_container_method,
    class_of,
    special,
    update,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from outcrop.codegraph.flow.program import Program

SET_LIMIT = 40
"""Most objects that a cell holds; larger sets say little and cost much."""
STEPS_PER_CELL = 12
"""Steps allowed for each cell before values stop crossing calls."""

Constraint = tuple[Any, ...]


class Solver:
    """The state of one run."""

    def __init__(self, program: Program, *, across_calls: bool) -> None:
        self.program = program
        self.objects = program.objects
        self.across_calls = across_calls
        self.sets: dict[int, set[int]] = {}
        self.copies: dict[int, list[int]] = {}
        self.waiting: dict[int, list[tuple[int, int, Constraint]]] = {}
        """Constraints that calls and attribute reads added, with their offsets."""
        self.fields: dict[Any, dict[Any, int]] = {}
        self.calls: dict[tuple[int, int | str], bool] = {}
        """(caller symbol, callee) -> whether the target is certain."""
        self.assigned: set[tuple[int, str]] = set()
        """(object, attribute) of all attributes that something sets."""
        self.saturated: set[int] = set()
        self.steps = 0
        self.gave_up = False
        self.attributes = Attributes(self)
        self._next_cell = program.cells
        self._pending: dict[int, set[int]] = {}
        self._queue: deque[int] = deque()
        self._late: deque[tuple[int, int, Constraint, list[int]]] = deque()
        self._partials: set[tuple[int, int, int]] = set()
        self._copied: set[tuple[int, int]] = set()
        self._units = list(program.units)
        self._constraints = {
            unit.cells + cell: (unit.cells, unit.symbols, constraints)
            for unit in program.units
            for cell, constraints in unit.flow.constraints.items()
        }
        self._step_limit = STEPS_PER_CELL * max(program.cells, 1000)

    # the run

    def run(self) -> None:
        """Solve the program."""
        for cell, (unit, seed) in self.program.seeds.items():
            target, found = self.program.seed_target(unit, seed)
            if target is not None:
                self.copy(target, cell)
            elif found is not None:
                self.add(cell, (found,))
        self._propagate()
        self._pass_decorators(unknown=True)
        self._pass_decorators(unknown=False)
        self._inherit()
        self._believe_annotations()
        self._inherit()

    def _inherit(self) -> None:
        while self.attributes.fill_inherited():
            self._propagate()

    def _pass_decorators(self, *, unknown: bool) -> None:
        """Let decorators that give nothing known give back what they decorate.

        Those that are themselves unknown come first: what they decorate may be the
        very function that another decorator returns.
        """
        for unit in self._units:
            for decorator, dst, own in unit.flow.decorated:
                known = self.sets.get(unit.cells + decorator)
                if not self.sets.get(unit.cells + dst) and not (unknown and known):
                    self.copy(unit.cells + own, unit.cells + dst)
        self._propagate()

    def _believe_annotations(self) -> None:
        """Let what is still empty hold an instance of the class it is declared as."""
        number, kinds = self.objects.number, self.objects.kinds
        found: list[tuple[int, int]] = []
        for unit in self._units:
            for cell, declared in unit.flow.declared:
                if self.sets.get(unit.cells + cell):
                    continue
                held = self.program.certain(unit.cells + declared)
                if held is None or kinds[held] != objects.CLS:
                    continue
                instance = number(objects.INST, self.objects.first[held])
                found.append((unit.cells + cell, instance))
        for cell, instance in found:
            self.add(cell, (instance,))
        self._propagate()

    def _propagate(self) -> None:
        queue, pending = self._queue, self._pending
        while queue or self._late:
            while self._late:
                self._apply(*self._late.popleft())
            if not queue:
                continue
            cell = queue.popleft()
            delta = pending.pop(cell)
            self.steps += len(delta)
            if self.steps > self._step_limit and not self.gave_up:
                self.gave_up = True
                self.across_calls = False
            for dst in self.copies.get(cell, ()):
                self.add(dst, delta)
            ordered = sorted(delta) if len(delta) > 1 else list(delta)
            known = self._constraints.get(cell)
            if known is not None:
                offset, symbols, own = known
                for constraint in own:
                    self._apply(offset, symbols, constraint, ordered)
            waiting = self.waiting.get(cell)
            if waiting:
                for offset, symbols, constraint in tuple(waiting):
                    self._apply(offset, symbols, constraint, ordered)

    # cells

    def new_cell(self) -> int:
        """Return a cell that no file has."""
        self._next_cell += 1
        return self._next_cell - 1

    def add(self, cell: int, found: Iterable[int]) -> None:
        """Put objects into a cell."""
        held = self.sets.get(cell)
        if held is None:
            held = self.sets[cell] = set()
        new = set(found) - held
        if not new:
            return
        if len(held) + len(new) > SET_LIMIT:
            self.saturated.add(cell)
            new = set(sorted(new)[: max(SET_LIMIT - len(held), 0)])
            if not new:
                return
        held |= new
        waiting = self._pending.get(cell)
        if waiting is None:
            self._pending[cell] = new
            self._queue.append(cell)
        else:
            waiting |= new

    def copy(self, src: int, dst: int) -> None:
        """Let `dst` hold all that `src` holds, now and later."""
        if src == dst or (src, dst) in self._copied:
            return
        self._copied.add((src, dst))
        self.copies.setdefault(src, []).append(dst)
        held = self.sets.get(src)
        if held:
            self.add(dst, held)

    def wait(
        self, cell: int, offset: int, symbols: int, constraint: Constraint
    ) -> None:
        """Add a constraint to a cell while solving."""
        self.waiting.setdefault(cell, []).append((offset, symbols, constraint))
        held = self.sets.get(cell)
        if held:
            known = sorted(held - self._pending.get(cell, set()))
            if known:
                self._late.append((offset, symbols, constraint, known))

    def field(self, owner: Any, key: Any) -> int:
        """Return the cell of an object's attribute or item."""
        fields = self.fields.get(owner)
        if fields is None:
            fields = self.fields[owner] = {}
        found = fields.get(key)
        if found is None:
            found = fields[key] = self.new_cell()
        return found

    # constraints

    def _apply(
        self, offset: int, symbols: int, constraint: Constraint, found: list[int]
    ) -> None:
        op = constraint[0]
        if op == ops.COPY:
            self.add(offset + constraint[1], found)
            return
        handler = _HANDLERS[op]
        for one in found:
            handler(self, offset, symbols, constraint, one)

    def edge(self, scope: int, callee: int | str, *, certain: bool = False) -> None:
        """Record a call."""
        key = (scope, callee)
        self.calls[key] = self.calls.get(key, False) or certain

    def call(
        self, offset: int, symbols: int, constraint: Constraint, callee: int,
        receiver: int | None = None,
    ) -> None:  # fmt: skip
        """Call an object."""
        kind, first = self.objects.kinds[callee], self.objects.first[callee]
        if kind == objects.FUNC:
            self.call_function(offset, symbols, constraint, first, receiver)
        elif kind == objects.BOUND:
            self.call(offset, symbols, constraint, first, self.objects.second[callee])
        elif kind == objects.CLS:
            self._instantiate(offset, symbols, constraint, first)
        elif kind == objects.INST:
            cell = self.attributes.cell(callee, "__call__")
            self.wait(cell, offset, symbols, constraint)
        elif kind == objects.EXT:
            call_builtin(self, offset, symbols, constraint, first)
        elif kind == objects.CONT_METHOD:
            call_container_method(self, offset, symbols, constraint, callee)
        elif kind == objects.PARTIAL:
            fn, args, kwargs = first
            _, dst, more, named, star, dstar, scope = constraint
            key = (callee, offset + dst, symbols + scope)
            if key in self._partials:  # a partial of itself would never end
                return
            self._partials.add(key)
            merged = (
                ops.CALL, offset + dst if dst >= 0 else -1, args + tuple(offset + a if a >= 0 else -1 for a in more),
                kwargs + tuple((n, offset + c) for n, c in named),
                offset + star if star >= 0 else -1,
                offset + dstar if dstar >= 0 else -1, symbols + scope,
            )  # fmt: skip
            self.wait(fn, 0, 0, ("absolute", *merged[1:]))

    def call_function(
        self, offset: int, symbols: int, constraint: Constraint, symbol: int,
        receiver: int | None,
    ) -> None:  # fmt: skip
        """Call a function: pass arguments in, and the result out."""
        function = self.program.functions[symbol]
        self.edge(symbols + constraint[6], symbol)
        if receiver is not None and self.across_calls:
            bind_receiver(self, symbol, receiver)
        if not self.across_calls:
            return
        bind_arguments(self, offset, constraint, function, bound=receiver is not None)
        dst = constraint[1]
        if dst < 0:
            return
        for position in function.passed:
            self._pass_back(offset, constraint, function, position, receiver)
        if function.yields >= 0:
            self.add(offset + dst, (self.objects.number(objects.GEN, symbol),))
        else:
            self.copy(function.result, offset + dst)

    def _pass_back(
        self, offset: int, constraint: Constraint, function: ops.FunctionFlow,
        position: int, receiver: int | None,
    ) -> None:  # fmt: skip
        """Let a call's result hold the argument that the function returns."""
        dst = offset + constraint[1]
        if receiver is not None:
            if position == 0:
                self.add(dst, (receiver,))
                return
            position -= 1
        args, kwargs = constraint[2], dict(constraint[3])
        parameters = function.parameters
        name, cell, _ = parameters[position + (receiver is not None)]
        if position < len(args):
            if args[position] >= 0:
                self.copy(offset + args[position], dst)
        elif name in kwargs:
            self.copy(offset + kwargs[name], dst)
        else:
            self.copy(cell, dst)

    def _instantiate(
        self, offset: int, symbols: int, constraint: Constraint, symbol: int
    ) -> None:
        instance = self.objects.number(objects.INST, symbol)
        dst = constraint[1]
        if dst >= 0:
            self.add(offset + dst, (instance,))
        without_result = (constraint[0], -1, *constraint[2:])
        cell = self.attributes.cell(instance, "__init__")
        self.wait(cell, offset, symbols, without_result)
        if self.attributes.defines(symbol, "__new__"):
            cell = self.attributes.cell(
                self.objects.number(objects.CLS, symbol), "__new__"
            )
            self.wait(cell, offset, symbols, without_result)


def bind_receiver(solver: Solver, symbol: int, receiver: int) -> None:
    """Put the receiver of a method into its first parameter."""
    parameters = solver.program.functions[symbol].parameters
    if parameters and parameters[0][2] == ops.PLAIN:
        solver.add(parameters[0][1], (receiver,))


def _call(s: Solver, offset: int, symbols: int, c: Constraint, found: int) -> None:
    s.call(offset, symbols, c, found)


def _attr(s: Solver, offset: int, symbols: int, c: Constraint, found: int) -> None:
    s.attributes.read(offset, symbols, c, found)


def _setattr(s: Solver, offset: int, symbols: int, c: Constraint, found: int) -> None:
    del symbols
    if s.objects.kinds[found] in _WITH_FIELDS:
        s.assigned.add((found, c[1]))
        s.copy(offset + c[2], s.field(found, c[1]))


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
        s.add(offset + dst, (found,))


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
    s.copy(src, s.field(container, ("any",)))
    known = key is not None and not (isinstance(key, int) and key < 0)
    s.copy(src, s.field(container, (key,) if known else ("rest",)))


def iterate_object(s: Solver, found: int, dst: int, scope: int) -> None:
    """Let `dst` hold what iterating over an object gives."""
    kind = s.objects.kinds[found]
    if kind == objects.CONT:
        if s.objects.second[found] != "dict":
            s.copy(s.field(found, ("any",)), dst)
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
    s.call(0, 0, (ops.CALL, *c[1:]), found)


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
        s.add(dst, (found,))


def _raise(s: Solver, offset: int, symbols: int, c: Constraint, found: int) -> None:
    if s.objects.kinds[found] == objects.CLS:
        s.call(offset, symbols, (ops.CALL, -1, (), (), -1, -1, c[1]), found)


def _operate(s: Solver, offset: int, symbols: int, c: Constraint, found: int) -> None:
    _, dst, name, other, scope = c
    kind = s.objects.kinds[found]
    if kind == objects.INST:
        args = (offset + other if other >= 0 else -1,)
        call_special(s, found, name, offset + dst, args, symbols + scope)
    elif kind == objects.CONT and name in {"__add__", "__or__"}:
        s.add(offset + dst, (found,))
        if other >= 0:
            s.copy(offset + other, offset + dst)


def _slice(s: Solver, offset: int, symbols: int, c: Constraint, found: int) -> None:
    _, site, start, stop, scope = c
    if s.objects.kinds[found] == objects.INST:
        call_special(s, found, "__getitem__", offset + site, (), symbols + scope)
    if s.objects.kinds[found] != objects.CONT:
        return
    part = s.objects.number(objects.CONT, offset + site, "list")
    keys = [key[0] for key in s.fields.get(found, ())]
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
        s.add(offset + c[1], (s.objects.number(objects.INST, first),))
    elif kind == objects.EXT:
        s.add(offset + c[1], (s.objects.number(objects.EXT_INST, first),))


def _super(s: Solver, offset: int, symbols: int, c: Constraint, found: int) -> None:
    number = s.objects.number(objects.SUPER_OF, symbols + c[2], found)
    s.add(offset + c[1], (number,))


def _decorate(s: Solver, offset: int, symbols: int, c: Constraint, found: int) -> None:
    _, dst, argument, scope = c
    if s.objects.kinds[found] == objects.EXT:
        # What an unknown decorator does, it mostly gives the function back.
        s.edge(symbols + scope, s.objects.first[found])
        s.copy(offset + argument, offset + dst)
        return
    s.call(offset, symbols, (ops.CALL, dst, (argument,), (), -1, -1, scope), found)


def _prefix(s: Solver, offset: int, symbols: int, c: Constraint, found: int) -> None:
    del symbols
    _, dst, prefix = c
    for name in s.attributes.names_starting(found, prefix):
        s.copy(s.attributes.cell(found, name), offset + dst)


def _property(s: Solver, offset: int, symbols: int, c: Constraint, found: int) -> None:
    del offset, symbols
    s.attributes.pass_on(found, c[1], c[2])


def _bind(s: Solver, offset: int, symbols: int, c: Constraint, found: int) -> None:
    del offset, symbols
    s.attributes.bind(found, c[1], c[2])


_WITH_FIELDS = frozenset({objects.INST, objects.CLS, objects.MOD, objects.FUNC})
_HANDLERS: dict[Any, Callable[[Solver, int, int, Constraint, int], None]] = {
    ops.ATTR: _attr,
    ops.SETATTR: _setattr,
    ops.ITEM: _item,
    ops.SETITEM: _setitem,
    ops.CALL: _call,
    ops.ITER: _iter,
    ops.ENTER: _enter,
    ops.RAISE: _raise,
    ops.OPERATE: _operate,
    ops.SLICE: _slice,
    ops.INSTANCE: _instance,
    ops.SUPER: _super,
    ops.DECORATE: _decorate,
    ops.PREFIX: _prefix,
    "absolute": _absolute,
    "next": _next,
    "property": _property,
    "bind": _bind,
    "spread": spread,
    "spread named": spread_named,
    "update": update,
    "special": special,
    "class of": class_of,
}
