"""The objects that variables may refer to, moved along constraints until nothing changes.

This is the part of the solver that knows no kind of constraint but `Copy`, and reads of
attributes that are known: all else is applied by handlers. `native/codegraph` does the same in C, with the same results.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, NamedTuple

from outcrop.codegraph.flow import objects
from outcrop.codegraph.flow.encoded import encoded_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from outcrop.codegraph.flow.constraints import (
        Constraint,
        Copy,
        Layouts,
        ReadAttribute,
    )
    from outcrop.codegraph.flow.encoded import EncodedFile

# What a variable has, as bits of a byte. A byte at the place of the variable is found
# faster than an entry of a dictionary, and most variables have none of these.
_CONSTRAINED = 1
"""Constraints of its file."""
_COPIED = 2
"""Variables in `_copies`."""
_AWAITED = 4
"""Constraints in `_waiting`."""
_LIMITED = 8
"""Objects that it may not hold."""
_WATCHED = _CONSTRAINED | _COPIED | _AWAITED
"""Something is to be done with what reaches the variable."""
_LASTING = frozenset({objects.FUNC, objects.CLS})
_LIMITABLE = frozenset({objects.FUNC, objects.CLS, objects.INST})


class Limits(NamedTuple):
    """The bounds of the work."""

    objects: int
    """Maximum size of a points-to set."""
    narrow_objects: int
    """The same, after half of the budget is spent."""
    definitions: int
    """Maximum number of functions and classes in a points-to set."""
    budget: int
    """Moves of an object along a constraint, after which nothing is followed."""


class PointsTo:
    """The points-to set of each variable, and what is to be done with new objects.

    A subclass has the method `admits`: whether a limited variable may hold an instance,
    a function or a class.
    """

    def __init__(
        self,
        variables: int,
        kinds: list[int],
        handlers: Mapping[type, Callable[[Any, Any, int], None]],
        copy: type[Copy],
        read: type[ReadAttribute],
        layouts: Layouts,
        limits: Limits,
    ) -> None:
        """Begin with empty sets.

        Args:
            variables: How many variables there are at first.
            kinds: The kind of each object; it may grow.
            handlers: How each type of constraint is applied to an object.
            copy: The type of constraint that is applied here.
            read: That of a read of an attribute, applied here where it is known.
            layouts: The kinds of constraints of files, by their numbers there.
            limits: The bounds.
        """
        self.work = 0
        """Moves of an object along a constraint so far."""
        self.unfollowed = 0
        """Variables with objects left to propagate when the budget was spent."""
        self.saturated: set[int] = set()
        """Variables whose points-to set reached its maximum size."""
        self.read_from: dict[tuple[int, str], int] = {}
        """(object, name) -> the variable of the attribute, where a read copies it."""
        self.read_as: dict[tuple[int, str], int] = {}
        """(object, name) -> the one object that the attribute is."""
        self._kinds, self._handlers = kinds, handlers
        self._copy_type, self._read_type, self._layouts = copy, read, layouts
        self._limits, self._max_objects = limits, limits.objects
        self._next_bound = limits.budget // 2
        self._held: list[set[int] | None] = [None] * variables
        self._pending: list[set[int] | None] = [None] * variables
        """The objects of each variable in the queue that are to be propagated."""
        self._marks = bytearray(variables)
        self._copies: dict[int, dict[int, None]] = {}
        self._waiting: dict[int, dict[tuple[type, Constraint], None]] = {}
        """Constraints that calls and attribute reads added. Their type is part of the
        key: constraints of two types with equal fields are equal as tuples."""
        self._encoded: dict[int, tuple[EncodedFile, list[int]]] = {}
        """The file of each variable with constraints, and their places there."""
        self._constraints: dict[int, list[Any]] = {}
        """The constraints of the variables of files that objects have reached."""
        self._queue: deque[int] = deque()
        self._late: deque[tuple[Constraint, list[int]]] = deque()

    def admits(self, variable: int, found: int) -> bool:
        """Whether a limited variable may hold an instance, a function or a class."""
        raise NotImplementedError

    def constrain(
        self, code: bytes, constants: list[Any], variables: int, symbols: int
    ) -> None:
        """Add the constraints of the variables of a file.

        Args:
            code: The constraints with the numbers of the file, encoded.
            constants: What these name by its place.
            variables: The number of the file's first variable.
            symbols: The number of the file's first symbol.
        """
        file = encoded_file(code, constants, variables, symbols, self._layouts)
        for variable, at in file.places():
            self._marks[variable] |= _CONSTRAINED
            self._encoded.setdefault(variable, (file, []))[1].append(at)

    def limit(self, variables: Iterable[int]) -> None:
        """Ask `admits` about each instance, function and class for some variables."""
        for variable in variables:
            self._marks[variable] |= _LIMITED

    def new_variable(self) -> int:
        """Return a variable that no file has."""
        self._held.append(None)
        self._pending.append(None)
        self._marks.append(0)
        return len(self._held) - 1

    def objects_of(self, variable: int) -> list[int]:
        """Return the objects that a variable may hold, in any order."""
        return list(self._held[variable] or ())

    # the run

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
            own = self._constraints.get(variable)
            if own is None:
                file, places = self._encoded[variable]
                own = self._constraints[variable] = [file.decode(at) for at in places]
            for constraint in own:
                self._apply(constraint, ordered)
        if marks[variable] & _AWAITED:
            for _, added in tuple(self._waiting[variable]):
                self._apply(added, ordered)

    def _pass_on(self, variable: int, delta: set[int]) -> None:
        """Put objects into the variables that hold all that a variable holds."""
        copies = tuple(self._copies[variable])
        self.work += len(delta) * len(copies)
        if len(delta) > 1:
            for dst in copies:
                self.add(dst, delta)
            return
        (one,) = delta
        for dst in copies:
            self.add_one(dst, one)

    def _apply(self, constraint: Any, found: list[int]) -> None:
        self.work += len(found)
        kind = constraint.__class__
        if kind is self._copy_type:
            self.add(constraint[0], found)
            return
        handler = self._handlers[kind]
        for one in found:
            if kind is not self._read_type or not self._read(constraint, one):
                handler(self, constraint, one)

    def _read(self, read: ReadAttribute, one: int) -> bool:
        """Apply a read of an attribute where it is known; return whether it is."""
        key = (one, read[1])
        if key in self.read_from:
            self.copy(self.read_from[key], read[0])
        elif key in self.read_as:
            self.add_one(read[0], self.read_as[key])
        else:
            return False
        return True

    def _narrow(self) -> None:
        """Hold fewer objects in a variable from now on; with no budget left, stop."""
        self._max_objects = self._limits.narrow_objects
        self._next_bound = self._limits.budget
        if self.work > self._limits.budget:
            self.unfollowed += len(self._queue) + len(self._late)
            for variable in self._queue:
                self._pending[variable] = None
            self._queue.clear()
            self._late.clear()

    # objects and constraints

    def add(self, variable: int, found: Iterable[int]) -> None:
        """Put objects into a variable."""
        held = self._held[variable]
        new = set(found) if held is None else set(found).difference(held)
        marks = self._marks[variable]
        if marks & _LIMITED:
            new = {one for one in new if self._admits(variable, one)}
        if not new:
            return
        if held is None:
            held = self._held[variable] = set()
        if len(held) + len(new) > self._max_objects:
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
        held = self._held[variable]
        if held is None:
            self._held[variable] = {found}
        elif found in held or (
            len(held) >= self._max_objects
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
        return self._kinds[found] not in _LIMITABLE or self.admits(variable, found)

    def _limited(self, variable: int, held: int, new: set[int]) -> set[int]:
        """Return which objects a variable that holds many takes all the same."""
        kinds = self._kinds
        lasting = [one for one in new if kinds[one] in _LASTING]
        if not lasting and held >= self._max_objects:  # what nearly always happens
            self.saturated.add(variable)
            return set()
        taken = set(sorted(lasting)[: max(self._limits.definitions - held, 0)])
        room = self._max_objects - held - len(taken)
        if room > 0:
            taken.update(sorted(new.difference(lasting))[:room])
        if len(taken) < len(new):
            self.saturated.add(variable)
        return taken

    def copy(self, src: int, dst: int) -> None:
        """Let `dst` hold all that `src` holds, now and later."""
        if self._marks[src] & _COPIED:
            copies = self._copies[src]
            if dst in copies:
                return
            copies[dst] = None
        else:
            self._copies[src] = {dst: None}
            self._marks[src] |= _COPIED
        held = self._held[src]
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
            waiting = self._waiting[variable]
            if key in waiting:  # two objects that call each other would wait forever
                return
            waiting[key] = None
        else:
            self._waiting[variable] = {key: None}
            self._marks[variable] |= _AWAITED
        held = self._held[variable]
        if held:
            pending = self._pending[variable]
            known = sorted(held - pending) if pending else sorted(held)
            if known:
                self._late.append((constraint, known))
