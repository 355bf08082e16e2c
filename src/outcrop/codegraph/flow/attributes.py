"""Reading an attribute of an object: fields, members of its class, bound methods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from outcrop.codegraph.flow import objects
from outcrop.codegraph.flow.calling import call_function
from outcrop.codegraph.flow.constraints import (
    BindMember,
    PassAttribute,
    call_without_arguments,
)

if TYPE_CHECKING:
    from outcrop.codegraph.flow.constraints import ReadAttribute
    from outcrop.codegraph.flow.solver import Solver

_GENERIC = frozenset({"__class__", "__dict__", "__name__", "__doc__", "__module__"})
_OBJECT = frozenset(dir(object))


class Attributes:
    """The variables that attributes of objects are read from."""

    def __init__(self, solver: Solver) -> None:
        self.solver = solver
        self.inherited: list[tuple[int, int, str]] = []
        """(variable, class, name) of attributes that base classes may set."""
        self._variables: dict[tuple[int, str], int] = {}
        self._patched: dict[str, set[int]] = {}
        """Name -> classes that are given such an attribute from outside."""
        self._read: dict[str, list[tuple[int, int]]] = {}
        """Name -> (variable, instance) of the attributes that were read."""
        self._defining: dict[tuple[int, str], bool] = {}
        self._running: dict[tuple[int, str], bool] = {}

    def defines(self, symbol: int, name: str) -> bool:
        """Whether a class or a base of it in the project defines a member."""
        key = (symbol, name)
        found = self._defining.get(key)
        if found is None:
            found = self._defining[key] = self._member(symbol, name) is not None
        return found

    def _member(self, symbol: int, name: str) -> int | None:
        """Return the variable of a member of a class, or of its bases in the project."""
        members = self.solver.program.members
        for base in self.solver.program.order(symbol):
            own = members.get(base) if base.__class__ is int else None
            variable = own.get(name) if own else None
            if variable is not None:
                return variable
        return None

    def read(self, read: ReadAttribute, owner: int) -> None:
        """Let a constraint's destination hold an attribute of an object."""
        dst, name, scope = read
        solver, key = self.solver, (owner, name)
        held = self._object(owner, name)
        if held is not None:
            solver.read_as[key] = held  # is not asked for again
            solver.add_one(dst, held)
            return
        known = solver.objects
        if known.kinds[owner] == objects.INST and self._may_run(
            known.first[owner], name
        ):
            solver.wait(self.variable(owner, name), PassAttribute(dst, scope))
            return
        variable = solver.read_from[key] = self.variable(owner, name)
        solver.copy(variable, dst)

    def _object(self, owner: int, name: str) -> int | None:
        """Return an attribute that is always the same object, or None."""
        known = self.solver.objects
        kind = known.kinds[owner]
        if kind in {objects.EXT, objects.EXT_INST}:
            return known.number(objects.EXT, f"{known.first[owner]}.{name}")
        if kind == objects.LIT:
            qualified = f"builtins.{known.second[owner].__name__}.{name}"
            return known.number(objects.EXT, qualified)
        if kind == objects.CONT:
            return known.number(objects.CONT_METHOD, owner, name)
        return None

    def _may_run(self, symbol: int, name: str) -> bool:
        """Whether reading an attribute of a class's instances may call something."""
        key = (symbol, name)
        found = self._running.get(key)
        if found is None:
            found = self._running[key] = self._is_run(symbol, name)
        return found

    def _is_run(self, symbol: int, name: str) -> bool:
        program = self.solver.program
        if self.defines(symbol, "__getattr__"):
            return True
        member = self._member(symbol, name)
        if member is None:
            return False
        held = program.certain(member)
        if held is None or self.solver.objects.kinds[held] != objects.FUNC:
            return held is None
        function = program.functions[self.solver.objects.first[held]]
        return function.kind == "property"

    def pass_on(self, found: int, dst: int, scope: int) -> None:
        """Pass an attribute's value on; reading a property calls it."""
        solver = self.solver
        if solver.objects.kinds[found] != objects.PROP:
            solver.add_one(dst, found)
            return
        symbol = solver.objects.first[found]
        receiver = solver.objects.second[found]
        call_function(solver, call_without_arguments(dst, scope), symbol, receiver)

    def variable(self, owner: int, name: str) -> int:
        """Return the variable of an object's attribute, filled in at first use."""
        key = (owner, name)
        found = self._variables.get(key)
        if found is None:
            found = self._variables[key] = self.solver.new_variable()
            self._fill(found, owner, name)
        return found

    def _fill(self, variable: int, owner: int, name: str) -> None:
        solver = self.solver
        kind, first = solver.objects.kinds[owner], solver.objects.first[owner]
        if kind == objects.MOD:
            solver.copy(solver.field(owner, name), variable)
            target, held = solver.program.member(first, name)
            if target is not None:
                solver.copy(target, variable)
            elif held is not None:
                solver.add_one(variable, held)
        elif kind == objects.INST:
            self._fill_instance(variable, owner, first, name)
        elif kind == objects.CLS:
            for base in solver.program.order(first):
                if isinstance(base, int):
                    number = solver.objects.number(objects.CLS, base)
                    solver.copy(solver.field(number, name), variable)
            self._fill_member(variable, owner, solver.program.order(first), name)
        elif kind == objects.SUPER_OF:
            self._fill_super(variable, owner, name)
        elif kind == objects.FUNC:
            solver.copy(solver.field(owner, name), variable)

    def _fill_instance(self, variable: int, owner: int, symbol: int, name: str) -> None:
        solver = self.solver
        order = solver.program.order(symbol)
        if name == "__class__":
            solver.add_one(variable, solver.objects.number(objects.CLS, symbol))
            return
        solver.copy(solver.field(owner, name), variable)
        self._read.setdefault(name, []).append((variable, owner))
        for base in self._patched.get(name, ()):
            self._take_patch(base, name, variable, owner)
        if len(order) > 1 or self.defines(symbol, "__getattr__"):
            self.inherited.append((variable, symbol, name))
        self._fill_member(variable, owner, order, name)

    def patch(self, symbol: int, name: str) -> None:
        """Note that a class is given an attribute by an assignment."""
        classes = self._patched.setdefault(name, set())
        if symbol not in classes:
            classes.add(symbol)
            for variable, owner in self._read.get(name, ()):
                self._take_patch(symbol, name, variable, owner)

    def _take_patch(self, symbol: int, name: str, variable: int, owner: int) -> None:
        solver = self.solver
        if symbol in solver.program.order(solver.objects.first[owner]):
            held = solver.field(solver.objects.number(objects.CLS, symbol), name)
            solver.wait(held, BindMember(variable, owner))

    def names_starting(self, owner: int, prefix: str) -> list[str]:
        """Return the names of an object's members that start so."""
        kind, first = self.solver.objects.kinds[owner], self.solver.objects.first[owner]
        program = self.solver.program
        found: dict[str, None] = {}
        if kind in {objects.INST, objects.CLS}:
            for base in program.order(first):
                names = program.members.get(base, {}) if isinstance(base, int) else {}
                found.update(dict.fromkeys(n for n in names if n.startswith(prefix)))
        elif kind == objects.MOD and first in program.modules:
            names = program.members[program.modules[first].first_symbol]
            found.update(dict.fromkeys(n for n in names if n.startswith(prefix)))
        return list(found)

    def fill_inherited(self) -> bool:
        """Let attributes that are still empty hold what base classes set.

        A base's method that sets an attribute is mostly called on the instance itself,
        and then its attribute is known. Where that call is not in the program, the
        attributes of the base's own instances stand in for it.
        """
        waiting, self.inherited = self.inherited, []
        solver = self.solver
        for variable, symbol, name in waiting:
            if solver.objects_of(variable):
                continue
            for base in solver.program.order(symbol)[1:]:
                if isinstance(base, int):
                    number = solver.objects.number(objects.INST, base)
                    solver.copy(solver.field(number, name), variable)
            self._ask_getattr(variable, symbol, name)
        return bool(waiting)

    def _ask_getattr(self, variable: int, symbol: int, name: str) -> None:
        """Let an attribute that nothing sets be what `__getattr__` gives."""
        if name.startswith("__") or not self.defines(symbol, "__getattr__"):
            return
        solver, program = self.solver, self.solver.program
        own = [base for base in program.order(symbol) if isinstance(base, int)]
        number = solver.objects.number
        if any((number(objects.INST, base), name) in solver.assigned for base in own):
            return
        members = [program.members.get(base, {}).get("__getattr__") for base in own]
        held = [program.certain(member) for member in members if member is not None]
        if (
            held
            and held[0] is not None
            and solver.objects.kinds[held[0]] == objects.FUNC
        ):
            receiver = number(objects.INST, symbol)
            function = solver.objects.first[held[0]]
            solver.add_one(variable, number(objects.PROP, function, receiver))

    def _fill_super(self, variable: int, owner: int, name: str) -> None:
        solver = self.solver
        start, receiver = solver.objects.first[owner], solver.objects.second[owner]
        if solver.objects.kinds[receiver] not in {objects.INST, objects.CLS}:
            return
        order = solver.program.order(solver.objects.first[receiver])
        if start in order:
            order = order[order.index(start) + 1 :]
        self._fill_member(variable, receiver, order, name)

    def _fill_member(self, variable: int, owner: int, order: Any, name: str) -> None:
        solver = self.solver
        for base in order:
            if isinstance(base, str):
                if base == "builtins.object" and name not in _OBJECT:
                    continue
                if name not in _GENERIC:
                    external = solver.objects.number(objects.EXT, f"{base}.{name}")
                    solver.add_one(variable, external)
                return
            member = solver.program.members.get(base, {}).get(name)
            if member is not None:
                solver.wait(member, BindMember(variable, owner))
                return

    def bind(self, found: int, variable: int, owner: int) -> None:
        """Add a class member to an attribute's variable, bound where it is a method."""
        solver = self.solver
        kinds = solver.objects.kinds
        if kinds[found] != objects.FUNC:
            getter = None
            if kinds[found] == objects.INST and kinds[owner] == objects.INST:
                getter = solver.program.method(solver.objects.first[found], "__get__")
            if getter is not None:
                # A descriptor: reading the attribute asks it for the value.
                found = solver.objects.number(objects.PROP, getter, found)
            solver.add_one(variable, found)
            return
        symbol = solver.objects.first[found]
        kind = solver.program.functions[symbol].kind
        number = solver.objects.number
        if kind == "static":
            solver.add_one(variable, found)
        elif kind == "class":
            receiver = owner
            if kinds[owner] == objects.INST:
                receiver = number(objects.CLS, solver.objects.first[owner])
            solver.add_one(variable, number(objects.BOUND, found, receiver))
        elif kinds[owner] == objects.CLS:
            solver.add_one(variable, found)
        elif kind == "property":
            solver.add_one(variable, number(objects.PROP, symbol, owner))
        else:
            solver.add_one(variable, number(objects.BOUND, found, owner))
