"""Propagation of objects through constraints until nothing changes.

The work is bounded twice. A points-to set takes at most `MAX_OBJECTS` objects, and at
most `NARROW_MAX_OBJECTS` once half of the budget is spent, which stops the large sets
and leaves the others alone. Once the whole budget is spent, nothing is followed any
further. Work is counted in objects that move along a constraint, never in seconds, and
the budget is proportional to the number of variables, so that the same program always
gives the same result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from outcrop.codegraph.flow import objects, points_to
from outcrop.codegraph.flow.apply import HANDLERS, store_item
from outcrop.codegraph.flow.attributes import Attributes
from outcrop.codegraph.flow.constraints import LAYOUTS, Copy, ReadAttribute
from outcrop.codegraph.flow.decorations import Decorations
from outcrop.codegraph.flow.heuristics import HEURISTICS, allowed_classes
from outcrop.codegraph.flow.points_to import Limits
from outcrop.text.native import load_native

if TYPE_CHECKING:
    from outcrop.codegraph.flow.points_to import PointsTo
    from outcrop.codegraph.flow.program import Program
else:
    # Moves objects along constraints in C, if that was built.
    _native = load_native("outcrop.codegraph")
    PointsTo = getattr(_native, "PointsTo", points_to.PointsTo)

MAX_OBJECTS = 24
"""Maximum size of a points-to set; larger sets say little and cost much."""
NARROW_MAX_OBJECTS = 8
"""The same, after half of the budget is spent."""
MAX_DEFINITIONS = 64
"""Maximum number of functions and classes in a points-to set: tables of them are
written by hand, and the analysis makes no new ones."""
WORK_PER_VARIABLE = 30
"""The budget per variable: moves of an object along a constraint. Most projects need
5 to 20."""
MIN_VARIABLES = 20_000
"""Programs with fewer variables have the budget of one with this number."""


class Solver(PointsTo):
    """The state of one run."""

    def __init__(self, program: Program, *, across_calls: bool) -> None:
        budget = WORK_PER_VARIABLE * max(program.variables, MIN_VARIABLES)
        limits = Limits(MAX_OBJECTS, NARROW_MAX_OBJECTS, MAX_DEFINITIONS, budget)
        kinds = program.objects.kinds
        super().__init__(
            program.variables, kinds, HANDLERS, Copy, ReadAttribute, LAYOUTS, limits
        )
        self.program = program
        self.objects = program.objects
        self.across_calls = across_calls
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
        self.iterators: set[int] = set()
        """Variables of the iterators of instances."""
        self.attributes = Attributes(self)
        for unit in program.units:
            flow = unit.flow
            self.constrain(
                flow.constraints, flow.constants, unit.first_variable, unit.first_symbol
            )
        self._allowed = allowed_classes(program) if across_calls else {}
        self._decorations = Decorations(
            program.units if across_calls else (), program.objects
        )
        self.limit(self._allowed)
        self.limit(self._decorations.own)

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
        for unit in self.program.units:
            for variable, target, found in self.program.origins(unit):
                if target is not None:
                    self.copy(target, variable)
                elif found is not None:
                    self.add_one(variable, found)

    @property
    def is_spent(self) -> bool:
        """Whether the budget was reached, so that something was not followed."""
        return self.unfollowed > 0

    def admits(self, variable: int, found: int) -> bool:
        """Whether a variable may hold an instance, a function or a class."""
        if self.objects.kinds[found] != objects.INST:
            return self._decorations.admit(variable, found)
        allowed = self._allowed.get(variable)
        order = self.program.order(self.objects.first[found])
        return allowed is None or not allowed.isdisjoint(order)

    # objects and calls

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

    def edge(self, scope: int, callee: int | str, *, certain: bool = False) -> None:
        """Record a call."""
        key = (scope, callee)
        if certain or key not in self.calls:
            self.calls[key] = certain
