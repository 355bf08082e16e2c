"""Propagation of objects through constraints until nothing changes.

The work is bounded twice. A points-to set takes at most `MAX_OBJECTS` objects, and at
most `NARROW_MAX_OBJECTS` once half of the budget is spent, which stops the large sets
and leaves the others alone. Once the whole budget is spent, nothing is followed any
further. Work is counted in objects that move along a constraint, never in seconds, and
the budget is proportional to the number of variables, so that the same program always
gives the same result.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from outcrop.codegraph.flow import objects
from outcrop.codegraph.flow.apply import HANDLERS, store_item
from outcrop.codegraph.flow.attributes import Attributes
from outcrop.codegraph.flow.constraints import Copy
from outcrop.codegraph.flow.heuristics import HEURISTICS, allowed_classes

if TYPE_CHECKING:
    from collections.abc import Iterable

    from outcrop.codegraph.flow.constraints import Constraint, FileConstraint
    from outcrop.codegraph.flow.program import Program

MAX_OBJECTS = 24
"""Maximum size of a points-to set; larger sets say little and cost much."""
NARROW_MAX_OBJECTS = 8
"""The same, after half of the budget is spent."""
MAX_DEFINITIONS = 64
"""Maximum number of functions and classes in a points-to set: tables of them are
written by hand, and the analysis makes no new ones."""
_LASTING = frozenset({objects.FUNC, objects.CLS})
WORK_PER_VARIABLE = 30
"""The budget per variable: moves of an object along a constraint. Most projects need
5 to 20."""
MIN_VARIABLES = 20_000
"""Programs with fewer variables have the budget of one with this number."""

# What a variable has, as bits of a byte. A byte at the place of the variable is found
# faster than an entry of a dictionary, and most variables have none of these.
_CONSTRAINED = 1
"""Constraints of its file."""
_COPIED = 2
"""Variables in `copies`."""
_AWAITED = 4
"""Constraints in `waiting`."""
_LIMITED = 8
"""Classes that its annotation allows."""
_WATCHED = _CONSTRAINED | _COPIED | _AWAITED
"""Something is to be done with what reaches the variable."""


class Solver:
    """The state of one run."""

    def __init__(self, program: Program, *, across_calls: bool) -> None:
        self.program = program
        self.objects = program.objects
        self.across_calls = across_calls
        self.points_to: list[set[int] | None] = [None] * program.variables
        """The points-to set of each variable: the objects it may hold."""
        self.copies: dict[int, dict[int, None]] = {}
        self.waiting: dict[int, dict[tuple[type, Constraint], None]] = {}
        """Constraints that calls and attribute reads added. Their type is part of the
        key: constraints of two types with equal fields are equal as tuples."""
        self.fields: dict[Any, dict[Any, int]] = {}
        self.calls: dict[tuple[int, int | str], bool] = {}
        """(caller symbol, callee) -> whether the target is certain."""
        self.caught: list[tuple[int, int]] = []
        """(variable, class) of the exceptions that `except` clauses bind."""
        self.keyed: list[tuple[int, int, int]] = []
        """(key variable, container, item variable) of reads by a variable key."""
        self.made: set[int] = set()
        """Classes that the program instantiates."""
        self.assigned: set[tuple[int, str]] = set()
        """(object, attribute) of all attributes that something sets."""
        self.partials: set[tuple[int, int | None, int]] = set()
        """(partial, result, caller) of the partials that were called."""
        self.saturated: set[int] = set()
        self.work = 0
        self.unfollowed = 0
        """Variables with objects left to propagate when the budget was spent."""
        self.max_objects = MAX_OBJECTS
        self.attributes = Attributes(self)
        self._pending: list[set[int] | None] = [None] * program.variables
        """The objects of each variable in the queue that are to be propagated."""
        self._queue: deque[int] = deque()
        self._late: deque[tuple[Constraint, list[int]]] = deque()
        self._placed: dict[int, list[FileConstraint]] = {}
        """The constraints of the variables of files that objects have reached."""
        self._marks = bytearray(program.variables)
        """What each variable has."""
        for unit in program.units:
            for variable in unit.flow.constraints:
                self._marks[unit.first_variable + variable] = _CONSTRAINED
        self._allowed = allowed_classes(program) if across_calls else {}
        for variable in self._allowed:
            self._marks[variable] |= _LIMITED
        self.budget = WORK_PER_VARIABLE * max(program.variables, MIN_VARIABLES)
        self._next_bound = self.budget // 2

    # the run

    def run(self) -> None:
        """Solve the program."""
        self._start()
        self.propagate()
        for heuristic in HEURISTICS:
            if self.is_spent:
                break
            heuristic(self)
            self.propagate()
            while self.attributes.fill_inherited():
                self.propagate()
        # They refer to the solver. Without the cycle its sets are freed at once, not by
        # a collection that visits them all.
        del self.attributes

    def _start(self) -> None:
        """Put what each variable is bound to into it."""
        origin_of = self.program.origin_of
        for unit in self.program.units:
            for variable, origin in unit.flow.origins.items():
                target, found = origin_of(unit, variable, origin)
                if target is not None:
                    self.copy(target, unit.first_variable + variable)
                elif found is not None:
                    self.add_one(unit.first_variable + variable, found)

    def propagate(self) -> None:
        """Work until no variable changes any more."""
        queue, late = self._queue, self._late
        while queue or late:
            if self.work > self._next_bound:
                self._narrow()
            if late:
                self._apply(*late.popleft())
                continue
            if not queue:
                return
            self._visit(queue.popleft())

    def _visit(self, variable: int) -> None:
        """Propagate the new objects of a variable."""
        delta, self._pending[variable] = self._pending[variable], None
        if not delta:
            return
        marks = self._marks
        self.work += len(delta)
        if marks[variable] & _COPIED:
            self._pass_on(variable, delta)
        ordered = sorted(delta) if len(delta) > 1 else list(delta)
        # Marks are read again each time: what is applied may add to them.
        if marks[variable] & _CONSTRAINED:
            for constraint in self._constraints(variable):
                self._apply(constraint, ordered)
        if marks[variable] & _AWAITED:
            for _, added in tuple(self.waiting[variable]):
                self._apply(added, ordered)

    def _pass_on(self, variable: int, delta: set[int]) -> None:
        """Put objects into the variables that hold all that a variable holds."""
        copies = tuple(self.copies[variable])
        self.work += len(delta) * len(copies)
        if len(delta) > 1:
            for dst in copies:
                self.add(dst, delta)
            return
        (one,) = delta
        for dst in copies:
            self.add_one(dst, one)

    def _constraints(self, variable: int) -> list[FileConstraint]:
        own = self._placed.get(variable)
        if own is None:
            own = self._placed[variable] = self.program.constraints(variable)
        return own

    @property
    def is_spent(self) -> bool:
        """Whether the budget was reached, so that something was not followed."""
        return self.unfollowed > 0

    def _narrow(self) -> None:
        """Hold fewer objects in a variable from now on; with no budget left, stop."""
        self.max_objects = NARROW_MAX_OBJECTS
        self._next_bound = self.budget
        if self.work > self.budget:
            self.unfollowed += len(self._queue) + len(self._late)
            for variable in self._queue:
                self._pending[variable] = None
            self._queue.clear()
            self._late.clear()

    # variables

    def new_variable(self) -> int:
        """Return a variable that no file has."""
        self.points_to.append(None)
        self._pending.append(None)
        self._marks.append(0)
        return len(self.points_to) - 1

    def add(self, variable: int, found: Iterable[int]) -> None:
        """Put objects into a variable."""
        held = self.points_to[variable]
        new = set(found) if held is None else set(found).difference(held)
        marks = self._marks[variable]
        if marks & _LIMITED:
            new = {one for one in new if self._admits(variable, one)}
        if not new:
            return
        if held is None:
            held = self.points_to[variable] = set()
        if len(held) + len(new) > self.max_objects:
            new = self._limited(variable, len(held), new)
            if not new:
                return
        held |= new
        waiting = self._pending[variable]
        if waiting is not None:
            waiting |= new
        elif marks & _WATCHED:
            self._pending[variable] = new
            self._queue.append(variable)
        # Nobody looks at other variables yet; who does later, starts with all it holds.

    def add_one(self, variable: int, found: int) -> None:
        """Put one object into a variable: what nearly all additions are."""
        marks = self._marks[variable]
        if marks & _LIMITED and not self._admits(variable, found):
            return
        held = self.points_to[variable]
        if held is None:
            self.points_to[variable] = {found}
        elif found in held or (
            len(held) >= self.max_objects
            and not self._limited(variable, len(held), {found})
        ):
            return
        else:
            held.add(found)
        if marks & _WATCHED:
            waiting = self._pending[variable]
            if waiting is not None:
                waiting.add(found)
            else:
                self._pending[variable] = {found}
                self._queue.append(variable)

    def _admits(self, variable: int, found: int) -> bool:
        """Whether the annotation of a variable allows an object."""
        if self.objects.kinds[found] != objects.INST:
            return True
        order = self.program.order(self.objects.first[found])
        return not self._allowed[variable].isdisjoint(order)

    def _limited(self, variable: int, held: int, new: set[int]) -> set[int]:
        """Return which objects a variable that holds many takes all the same."""
        kinds = self.objects.kinds
        lasting = [one for one in new if kinds[one] in _LASTING]
        if not lasting and held >= self.max_objects:  # what nearly always happens
            self.saturated.add(variable)
            return set()
        taken = set(sorted(lasting)[: max(MAX_DEFINITIONS - held, 0)])
        room = self.max_objects - held - len(taken)
        if room > 0:
            taken.update(sorted(new.difference(lasting))[:room])
        if len(taken) < len(new):
            self.saturated.add(variable)
        return taken

    def copy(self, src: int, dst: int) -> None:
        """Let `dst` hold all that `src` holds, now and later."""
        if self._marks[src] & _COPIED:
            copies = self.copies[src]
            if dst in copies:
                return
            copies[dst] = None
        else:
            self.copies[src] = {dst: None}
            self._marks[src] |= _COPIED
        held = self.points_to[src]
        self.work += 1
        if held and src != dst:
            self.work += len(held)
            if len(held) > 1:
                self.add(dst, held)
            else:
                self.add_one(dst, *held)

    def wait(self, variable: int, constraint: Constraint) -> None:
        """Add a constraint to a variable while solving."""
        key = (constraint.__class__, constraint)
        if self._marks[variable] & _AWAITED:
            waiting = self.waiting[variable]
            if key in waiting:  # two objects that call each other would wait forever
                return
            waiting[key] = None
        else:
            self.waiting[variable] = {key: None}
            self._marks[variable] |= _AWAITED
        held = self.points_to[variable]
        if held:
            pending = self._pending[variable]
            known = sorted(held - pending) if pending else sorted(held)
            if known:
                self._late.append((constraint, known))

    def field(self, owner: Any, key: Any) -> int:
        """Return the variable of an object's attribute or item."""
        fields = self.fields.get(owner)
        if fields is None:
            fields = self.fields[owner] = {}
            self._lay_out(owner)
        found = fields.get(key)
        if found is None:
            found = fields[key] = self.new_variable()
        return found

    def _lay_out(self, owner: Any) -> None:
        """Put the items of a display into it, on the first access."""
        if owner.__class__ is not int or self.objects.kinds[owner] != objects.CONT:
            return
        variable = self.objects.first[owner]
        if variable >= len(self.program.owners):
            return
        unit = self.program.owners[variable]
        for key, value in unit.flow.displays.get(variable - unit.first_variable, ()):
            store_item(self, owner, key, unit.first_variable + value)

    # constraints

    def _apply(self, constraint: Constraint, found: list[int]) -> None:
        self.work += len(found)
        if isinstance(constraint, Copy):
            self.add(constraint.dst, found)
            return
        handler = HANDLERS[constraint.__class__]
        for one in found:
            handler(self, constraint, one)

    def edge(self, scope: int, callee: int | str, *, certain: bool = False) -> None:
        """Record a call."""
        key = (scope, callee)
        if certain or key not in self.calls:
            self.calls[key] = certain
