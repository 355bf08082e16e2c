"""Heuristics, applied once nothing more follows from the code alone.

Each fills in what is still unknown, and never touches what is known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.codegraph.flow import objects
from outcrop.codegraph.flow.file_flow import CLASS_ITSELF, SAME_AS, Receiver

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from outcrop.codegraph.flow.method_order import Base
    from outcrop.codegraph.flow.program import Program
    from outcrop.codegraph.flow.solver import Solver
    from outcrop.codegraph.flow.unit import Unit


MAX_OVERRIDES = 64
"""Methods that `self.step()` is expected to reach in classes that only others make."""
_NONE: set[int] = set()
_PROTOCOLS = frozenset({"typing.Protocol", "typing_extensions.Protocol"})


def allowed_classes(program: Program) -> dict[int, frozenset[Base]]:
    """Return which classes the variables may hold whose annotations are understood."""
    found: dict[int, frozenset[Base]] = {}
    for unit in program.units:
        for variable, names in unit.flow.allowed:
            classes = _classes(program, unit, names)
            if classes is not None:
                found[unit.first_variable + variable] = classes
    return found


def _classes(
    program: Program, unit: Unit, names: Iterable[int | str]
) -> frozenset[Base] | None:
    classes: list[Base] = []
    for name in names:
        if isinstance(name, str):
            classes.append(name)
            continue
        held = program.certain(unit.first_variable + name)
        if held is None or program.objects.kinds[held] != objects.CLS:
            return None
        symbol = program.objects.first[held]
        if not _PROTOCOLS.isdisjoint(program.order(symbol)):
            return None
        classes.append(symbol)
    return frozenset(classes)


def _take_any_item(solver: Solver) -> None:
    """Let a read by a key of which nothing is known give any item."""
    kinds = solver.objects.kinds
    for key, container, dst in solver.keyed:
        found = solver.objects_of(key)
        if key in solver.saturated or not any(kinds[o] == objects.LIT for o in found):
            solver.copy(solver.field(container, ("any",)), dst)


def _pass_unknown_decorators(solver: Solver) -> None:
    """Let unknown decorators return what they decorate.

    They come first: what they decorate may be what another decorator returns.
    """
    _pass_decorators(solver, known_too=False)


def _pass_silent_decorators(solver: Solver) -> None:
    """Let decorators whose result is unknown return what they decorate."""
    _pass_decorators(solver, known_too=True)


def _pass_decorators(solver: Solver, *, known_too: bool) -> None:
    for unit in solver.program.units:
        for decorator, dst, own, *_ in unit.flow.decorated:
            known = solver.objects_of(unit.first_variable + decorator)
            if not solver.objects_of(unit.first_variable + dst) and (
                known_too or not known
            ):
                solver.copy(unit.first_variable + own, unit.first_variable + dst)


def _catch_derived(solver: Solver) -> None:
    """Let `except Base as error` hold the derived exceptions that are made."""
    derived = _derived(solver.program, solver.made) if solver.caught else {}
    number = solver.objects.number
    for variable, base in solver.caught:
        made = derived.get(base, ())
        solver.add(variable, [number(objects.INST, symbol) for symbol in made])


def _derived(program: Program, symbols: Iterable[int]) -> dict[Base, list[int]]:
    """Return which of some classes are derived from each class."""
    derived: dict[Base, list[int]] = {}
    for symbol in sorted(symbols):
        for base in program.order(symbol)[1:]:
            derived.setdefault(base, []).append(symbol)
    return derived


def _believe_annotations(solver: Solver) -> None:
    """Let what is still empty hold an instance of the class it is declared as.

    It may be one of any derived class: who uses a library makes instances too.
    """
    program = solver.program
    derived = _derived(program, program.class_bases)
    empty = [
        (unit.first_variable + variable, unit.first_variable + declared, how)
        for unit in program.units
        for variable, declared, how in unit.flow.declared
        if not solver.objects_of(unit.first_variable + variable)
    ]
    for variable, declared, how in empty:
        if how == SAME_AS:
            solver.copy(declared, variable)
            continue
        held = program.certain(declared)
        if held is None or solver.objects.kinds[held] != objects.CLS:
            continue
        symbol = solver.objects.first[held]
        kind = objects.CLS if how == CLASS_ITSELF else objects.INST
        for one in (symbol, *derived.get(symbol, ())):
            solver.add_one(variable, solver.objects.number(kind, one))


def _expect_derived_receivers(solver: Solver) -> None:
    """Let `self.step()` reach what classes override that only others make.

    A class that the program itself makes instances of is followed as a value. One
    that is there to be used from outside still inherits the method that makes the
    call, with itself as the receiver.
    """
    if not solver.across_calls:
        return
    program = solver.program
    overrides = _Overrides(program, set(program.class_bases) - solver.made)
    receivers = program.functions.receivers()
    for unit in program.units:
        paths, origins = unit.flow.paths, unit.flow.origins
        for variable, scope, _ in unit.flow.calls:
            path = paths.get(variable)
            if path is None:
                continue
            origin = origins.get(path[0])
            if not isinstance(origin, Receiver):
                continue
            owner = unit.first_symbol + origin.class_symbol
            method = receivers.get(unit.first_variable + path[0])
            users = overrides.users.get(owner)
            if method is None or not users:
                continue
            solver.work += len(users)
            found = overrides.get(owner, path[1], method)
            if len(found) > MAX_OVERRIDES:
                solver.saturated.add(unit.first_variable + path[0])
                continue
            for each in found:
                solver.edge(unit.first_symbol + scope, each)


class _Overrides:
    """What methods of classes reach in derived ones that only others make."""

    def __init__(self, program: Program, users: set[int]) -> None:
        self.program = program
        self.users = {
            base: set(found) for base, found in _derived(program, users).items()
        }
        """Class -> the derived ones."""
        self._defining: dict[str, list[int]] = {}
        """Name -> the classes that define it."""
        for symbol in program.class_bases:
            if symbol in users or symbol in self.users:
                for name in program.members.get(symbol, ()):
                    self._defining.setdefault(name, []).append(symbol)
        self._known: dict[tuple[int, str, int], list[int]] = {}

    def get(self, owner: int, called: str, method: int) -> list[int]:
        """Return what `self.called()` in a method of a class reaches."""
        key = (owner, called, method)
        if key not in self._known:
            self._known[key] = sorted(self._find(*key))
        return self._known[key]

    def _find(self, owner: int, called: str, method: int) -> set[int]:
        program, users = self.program, self.users[owner]
        name = _name_of(program, owner, method)
        declared = program.method(owner, called)
        overrides: set[int] = set()
        # Of the many derived classes, few define the name, and the others inherit it.
        for symbol in self._defining.get(called, ()):
            found = program.method(symbol, called)
            if found is None or found == declared or found in overrides:
                continue
            heirs = users & self.users.get(symbol, _NONE)
            if symbol in users:
                heirs.add(symbol)
            if any(
                program.method(heir, called) == found
                and program.method(heir, name) == method
                for heir in heirs
            ):
                overrides.add(found)
        return overrides


def _name_of(program: Program, owner: int, method: int) -> str:
    for name in program.members.get(owner, {}):
        if program.method(owner, name) == method:
            return name
    return ""


HEURISTICS: tuple[Callable[[Solver], None], ...] = (
    _take_any_item,
    _pass_unknown_decorators,
    _pass_silent_decorators,
    _catch_derived,
    _believe_annotations,
    _take_any_item,
    _expect_derived_receivers,
)
