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
from outcrop.codegraph.flow.apply import HANDLERS
from outcrop.codegraph.flow.attributes import Attributes
from outcrop.codegraph.flow.binding import bind_arguments, bind_receiver
from outcrop.codegraph.flow.builtin_calls import call_builtin, call_container_method

if TYPE_CHECKING:
    from collections.abc import Iterable

    from outcrop.codegraph.flow.program import Base, Program

SET_LIMIT = 24
"""Most objects that a cell holds; larger sets say little and cost much."""
WIDE_LIMIT = 96
"""Most functions and classes that a cell holds: tables of them are written by hand,
and no new ones come to be while values are followed."""
_LASTING = frozenset({objects.FUNC, objects.CLS})
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
        self.copies: dict[int, dict[int, None]] = {}
        self.waiting: dict[int, list[tuple[int, int, Constraint]]] = {}
        """Constraints that calls and attribute reads added, with their offsets."""
        self.fields: dict[Any, dict[Any, int]] = {}
        self.calls: dict[tuple[int, int | str], bool] = {}
        """(caller symbol, callee) -> whether the target is certain."""
        self.caught: list[tuple[int, int]] = []
        """(cell, class) of the exceptions that `except` clauses bind."""
        self.made: set[int] = set()
        """Classes that the program makes instances of."""
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
                self.add_one(cell, found)
        self._propagate()
        self._pass_decorators(unknown=True)
        self._pass_decorators(unknown=False)
        self._catch_derived()
        self._inherit()
        self._believe_annotations()
        self._inherit()

    def _catch_derived(self) -> None:
        """Let `except Base as error` hold the derived exceptions that are made."""
        derived = self._derived(self.made) if self.caught else {}
        number = self.objects.number
        for cell, base in self.caught:
            made = derived.get(base, ())
            self.add(cell, [number(objects.INST, symbol) for symbol in made])
        self._propagate()

    def _derived(self, symbols: Iterable[int]) -> dict[Base, list[int]]:
        """Return which of some classes are derived from each class."""
        derived: dict[Base, list[int]] = {}
        for symbol in sorted(symbols):
            for base in self.program.order(symbol)[1:]:
                derived.setdefault(base, []).append(symbol)
        return derived

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
        """Let what is still empty hold an instance of the class it is declared as.

        It may be one of any derived class: who uses a library makes instances too.
        """
        number, kinds = self.objects.number, self.objects.kinds
        derived = self._derived(self.program.class_bases)
        found: list[tuple[int, int]] = []
        for unit in self._units:
            for cell, declared in unit.flow.declared:
                if self.sets.get(unit.cells + cell):
                    continue
                held = self.program.certain(unit.cells + declared)
                if held is None or kinds[held] != objects.CLS:
                    continue
                declares = self.objects.first[held]
                for symbol in (declares, *derived.get(declares, ())):
                    found.append((unit.cells + cell, number(objects.INST, symbol)))
        for cell, instance in found:
            self.add_one(cell, instance)
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
            for dst in tuple(self.copies.get(cell, ())):
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
        new = set(found) if held is None else set(found).difference(held)
        if not new:
            return
        if held is None:
            held = self.sets[cell] = set()
        if len(held) + len(new) > SET_LIMIT:
            new = self._limited(cell, len(held), new)
            if not new:
                return
        held |= new
        waiting = self._pending.get(cell)
        if waiting is not None:
            waiting |= new
        elif cell in self._constraints or cell in self.copies or cell in self.waiting:
            self._pending[cell] = new
            self._queue.append(cell)
        # Nobody looks at other cells yet; who does later, starts with all it holds.

    def add_one(self, cell: int, found: int) -> None:
        """Put one object into a cell: what nearly all additions are."""
        held = self.sets.get(cell)
        if held is None:
            self.sets[cell] = {found}
        elif found in held:
            return
        elif len(held) >= SET_LIMIT and not self._limited(cell, len(held), {found}):
            return
        else:
            held.add(found)
        waiting = self._pending.get(cell)
        if waiting is not None:
            waiting.add(found)
        elif cell in self._constraints or cell in self.copies or cell in self.waiting:
            self._pending[cell] = {found}
            self._queue.append(cell)

    def _limited(self, cell: int, held: int, new: set[int]) -> set[int]:
        """Return which objects a cell that holds many takes all the same."""
        kinds = self.objects.kinds
        ordered = sorted(new, key=lambda one: (kinds[one] not in _LASTING, one))
        room = SET_LIMIT - held
        wide = WIDE_LIMIT - held
        taken = {
            one
            for place, one in enumerate(ordered)
            if place < room or (place < wide and kinds[one] in _LASTING)
        }
        if len(taken) < len(new):
            self.saturated.add(cell)
        return taken

    def copy(self, src: int, dst: int) -> None:
        """Let `dst` hold all that `src` holds, now and later."""
        copies = self.copies.get(src)
        if copies is None:
            self.copies[src] = {dst: None}
        elif dst in copies:
            return
        else:
            copies[dst] = None
        held = self.sets.get(src)
        if held and src != dst:
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
        handler = HANDLERS[op]
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
        elif kind == objects.ANY_OF:
            for name in self.attributes.names_starting(
                first, self.objects.second[callee]
            ):
                cell = self.attributes.cell(first, name)
                self.wait(cell, offset, symbols, constraint)
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
            self.add_one(offset + dst, self.objects.number(objects.GEN, symbol))
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
                self.add_one(dst, receiver)
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
        self.made.add(symbol)
        instance = self.objects.number(objects.INST, symbol)
        dst = constraint[1]
        if dst >= 0:
            self.add_one(offset + dst, instance)
        without_result = (constraint[0], -1, *constraint[2:])
        cell = self.attributes.cell(instance, "__init__")
        self.wait(cell, offset, symbols, without_result)
        if self.attributes.defines(symbol, "__new__"):
            cell = self.attributes.cell(
                self.objects.number(objects.CLS, symbol), "__new__"
            )
            self.wait(cell, offset, symbols, without_result)
