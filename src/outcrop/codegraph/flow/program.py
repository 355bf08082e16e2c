"""The files of a program joined: modules, members, base classes, certain bindings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from outcrop.codegraph.flow import objects
from outcrop.codegraph.flow.file_flow import (
    ClassReceiver,
    DefinedClass,
    DefinedFunction,
    ImportedMember,
    ImportedModule,
    LiteralValue,
    NewContainer,
    Receiver,
    UnboundName,
)
from outcrop.codegraph.flow.functions import Functions
from outcrop.codegraph.flow.import_roots import bare_name
from outcrop.codegraph.flow.method_order import Base, linearize
from outcrop.codegraph.flow.objects import Objects
from outcrop.codegraph.flow.unit import Unit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outcrop.codegraph.flow.file_flow import FileFlow, Origin
    from outcrop.codegraph.flow.import_roots import ImportRoots


_OF_SYMBOL: dict[type, int] = {
    DefinedFunction: objects.FUNC,
    DefinedClass: objects.CLS,
    ClassReceiver: objects.CLS,
    Receiver: objects.INST,
}
"""Origins with a symbol -> the kind of their objects."""
_RECEIVERS = frozenset({Receiver, ClassReceiver})
_NO_MEMBERS: dict[str, int] = {}
_UNKNOWN = -1  # a binding that was not looked for yet
MAX_CHAIN = 500
"""Bindings or base classes one behind the other that are followed; real code stays far
below it."""
MAX_STARS = 10_000  # imports that are followed for one name

_Stars = tuple[list[str], str | None]
_NO_STARS: _Stars = ([], None)


class Program:
    """Names and classes over all files. Variables and symbols have global numbers."""

    def __init__(self, builtins: frozenset[str], roots: ImportRoots) -> None:
        self.builtins = builtins
        self.roots = roots
        self.objects = Objects()
        self.units: list[Unit] = []
        self.modules: dict[str, Unit] = {}
        self.namespaces: set[str] = set()
        self.variables = 0
        self.owners: list[Unit] = []
        """The file of each variable."""
        self.keys: set[int] = set()
        """Variables whose values serve as keys."""
        self.literals: set[int] = set()
        """Variables of literals."""
        self.members: dict[int, dict[str, int]] = {}
        self.class_bases: dict[int, tuple[int, ...]] = {}
        self.functions = Functions()
        self._depth = 0
        """How many questions about bindings and base classes wait for this one."""
        self._certain: list[int | None] = []
        """The one object that scope and imports bind each variable to."""
        self._certain_attributes: dict[tuple[int, str], int] = {}
        """(object, name) -> the one object that the attribute is."""
        self._found_members: dict[tuple[str, str], tuple[int | None, int | None]] = {}
        """(module, name) -> what `member` returns."""
        self._stars: dict[str, _Stars] = {}
        self._orders: dict[int, tuple[Base, ...]] = {}
        self._methods: dict[tuple[int, str], int | None] = {}

    def add(
        self, path: str, flow: FileFlow, first_symbol: int, *, is_package: bool
    ) -> None:
        """Add a file."""
        module = self.roots.key(path)
        unit = Unit(
            path, module, flow, self.variables, first_symbol, is_package=is_package
        )
        self.units.append(unit)
        self.modules.setdefault(module, unit)
        parent = module.rpartition(".")[0]
        while parent and parent not in self.namespaces:
            self.namespaces.add(parent)
            parent = parent.rpartition(".")[0]
        base = self.variables
        self.variables += flow.variables
        self.owners += [unit] * flow.variables
        self._certain += [_UNKNOWN] * flow.variables
        self.literals.update([base + variable for variable in flow.literals])
        self.keys.update([base + variable for variable in flow.keys])
        for symbol, names in flow.members.items():
            self.members[first_symbol + symbol] = {
                name: base + variable for name, variable in names.items()
            }
        for symbol, variables in flow.bases.items():
            self.class_bases[first_symbol + symbol] = tuple(base + c for c in variables)
        self.functions.units.append(unit)

    # modules

    def module_name(self, unit: Unit, path: str, level: int) -> str:
        """Return the absolute name of an imported module."""
        if level:
            package = unit.package
            for _ in range(min(level - 1, package.count(".") + 1)):
                package = package.rpartition(".")[0]
            return f"{package}.{path}".strip(".") if path else package
        if names := self.roots.keys(path, unit.path):
            known = (n for n in names if n in self.modules or n in self.namespaces)
            return next(known, names[0])
        folder = unit.module.rpartition(".")[0]
        if folder and not unit.is_package:
            # A script imports its neighbours by their bare names.
            sibling = f"{folder}.{path}"
            head = f"{folder}.{path.partition('.')[0]}"
            if head in self.modules or head in self.namespaces:
                return sibling
        return path

    def module_object(self, name: str) -> int:
        """Return the object of a module, inside or outside the project."""
        if name in self.modules or name in self.namespaces:
            return self.objects.number(objects.MOD, name)
        return self.objects.number(objects.EXT, bare_name(name))

    def member(self, module: str, name: str) -> tuple[int | None, int | None]:
        """Return (variable, object) of a module's member: one of them, or neither."""
        found = self._own_member(module, name)
        if found == (None, None) and self._stars_of(module) != _NO_STARS:
            return self._starred_member(module, name)
        return found

    def _own_member(self, module: str, name: str) -> tuple[int | None, int | None]:
        unit = self.modules.get(module)
        if unit is not None:
            variable = self.members[unit.first_symbol].get(name)
            if variable is not None and not self._is_own_submodule(
                variable, module, name
            ):
                return variable, None
        submodule = f"{module}.{name}"
        if submodule in self.modules or submodule in self.namespaces:
            return None, self.module_object(submodule)
        return None, None

    def _starred_member(self, module: str, name: str) -> tuple[int | None, int | None]:
        """Look for a name in what a module imports with stars, the last one first.

        Every module is searched once, however many others import it.
        """
        seen: set[str] = set()
        pending = [(module, False)]
        left = MAX_STARS
        while pending and left > 0:
            module, is_searched = pending.pop()
            inside, outside = self._stars_of(module)
            if is_searched:
                if outside is not None and name not in self.builtins:
                    return None, self.objects.number(objects.EXT, f"{outside}.{name}")
                continue
            found = self._own_member(module, name)
            if found != (None, None):
                return found
            if module not in seen:
                seen.add(module)
                pending.append((module, True))
                pending += [(each, False) for each in inside]
                left -= 1 + len(inside)
        return None, None

    def _stars_of(self, module: str) -> _Stars:
        """Return what a module imports with stars, inside the project and outside."""
        found = self._stars.get(module)
        if found is None:
            unit = self.modules.get(module)
            if unit is None:
                return _NO_STARS
            names = [self.module_name(unit, *star) for star in unit.flow.stars]
            # Of repeated ones the last counts.
            last_first = dict.fromkeys(reversed(names))
            inside = [name for name in last_first if name in self.modules]
            outside = [bare_name(n) for n in last_first if n not in self.modules]
            found = (inside[::-1], outside[0] if outside else None)
            self._stars[module] = found
        return found

    def _is_own_submodule(self, variable: int, module: str, name: str) -> bool:
        """Whether a package's member is `from . import name` of its own submodule."""
        unit = self.owners[variable]
        origin = unit.flow.origins.get(variable - unit.first_variable)
        return (
            isinstance(origin, ImportedMember)
            and origin.name == name
            and self.module_name(unit, origin.path, origin.level) == module
            and f"{module}.{name}" in self.modules
        )

    def origins(self, unit: Unit) -> Iterator[tuple[int, int | None, int | None]]:
        """Yield (variable, variable, object): what each variable of a file starts with.

        It holds what the other variable holds, or the object. The bindings that are
        certain are noted on the way.
        """
        first, symbols, joined = unit.first_variable, unit.first_symbol, unit.joined
        number, certain = self.objects.number, self._certain
        target: int | None
        found: int | None
        for local, origin in unit.flow.origins.items():
            variable, kind, target = first + local, origin.__class__, None
            # The frequent ones first: a program has hundreds of thousands.
            if kind in _OF_SYMBOL:
                symbol: Any = origin[0]
                found = number(_OF_SYMBOL[kind], symbols + symbol)
            elif kind is LiteralValue:
                found = number(objects.LIT, origin[0], origin[0].__class__)
            elif kind is NewContainer:
                found = number(objects.CONT, variable, origin[0])
            else:
                target, found = self.origin_of(unit, local, origin)
            if found is not None and (local not in joined or kind in _RECEIVERS):
                certain[variable] = found
            yield variable, target, found

    def origin_of(
        self, unit: Unit, variable: int, origin: Origin
    ) -> tuple[int | None, int | None]:
        """Return the (variable, object) that an origin names: one or neither."""
        kind = _OF_SYMBOL.get(origin.__class__)
        if kind is not None:
            symbol: Any = origin[0]
            return None, self.objects.number(kind, unit.first_symbol + symbol)
        if isinstance(origin, ImportedMember):
            return self._imported(unit, origin)
        if isinstance(origin, UnboundName):
            return self._unbound(unit, origin.name)
        return None, self._object(unit, variable, origin)

    def _object(self, unit: Unit, variable: int, origin: Origin) -> int:
        number = self.objects.number
        match origin:
            case LiteralValue(value):
                return number(objects.LIT, value, type(value))
            case NewContainer(type_name):
                return number(objects.CONT, unit.first_variable + variable, type_name)
            case ImportedModule(path, level):
                return self.module_object(self.module_name(unit, path, level))
            case _:
                raise TypeError(f"unexpected origin {origin!r}")

    def _imported(
        self, unit: Unit, origin: ImportedMember
    ) -> tuple[int | None, int | None]:
        module = self.module_name(unit, origin.path, origin.level)
        name = origin.name
        found = self._found_members.get((module, name))
        if found is not None:
            return found
        if module in self.modules or module in self.namespaces:
            found = self._found_members[module, name] = self.member(module, name)
            return found
        outside = f"{bare_name(module)}.{name}".lstrip(".")
        return None, self.objects.number(objects.EXT, outside)

    def _unbound(self, unit: Unit, name: str) -> tuple[int | None, int | None]:
        found = self.member(unit.module, name) if unit.flow.stars else (None, None)
        if found != (None, None):
            return found
        if name in self.builtins:
            return None, self.objects.number(objects.EXT, f"builtins.{name}")
        return None, None

    # certain bindings

    def certain(self, variable: int) -> int | None:
        """Return the one object that scope and imports bind a variable to, or None."""
        found = self._certain[variable]
        if found != _UNKNOWN:
            return found
        if self._depth > MAX_CHAIN:
            return None
        self._certain[variable] = None
        self._depth += 1
        found = self._certain[variable] = self._bound(variable)
        self._depth -= 1
        return found

    def _bound(self, variable: int) -> int | None:
        found = None
        unit = self.owners[variable]
        local = variable - unit.first_variable
        origin = unit.flow.origins.get(local)
        if origin is not None:
            if local not in unit.joined or origin.__class__ in _RECEIVERS:
                target, found = self.origin_of(unit, local, origin)
                if target is not None:
                    found = self.certain(target)
        elif local in unit.flow.paths and local not in unit.joined:
            owner, name = unit.flow.paths[local]
            owner += unit.first_variable
            held = self._certain[owner]
            if held == _UNKNOWN:
                held = self.certain(owner)
            if held is not None:
                found = self._certain_attributes.get((held, name))
                if found is None:
                    found = self._certain_attribute(unit, held, name)
        return found

    def _certain_attribute(self, unit: Unit, held: int, name: str) -> int | None:
        kind, first = self.objects.kinds[held], self.objects.first[held]
        if name.startswith("super "):
            symbol = unit.first_symbol + int(name[6:])
            return self.objects.number(objects.SUPER_OF, symbol, held)
        found = self._certain_member(kind, first, name)
        if found is not None:
            self._certain_attributes[held, name] = found
        return found

    def _certain_member(self, kind: int, first: Any, name: str) -> int | None:
        if kind == objects.MOD:
            variable, found = self.member(first, name)
            return self.certain(variable) if variable is not None else found
        if kind == objects.EXT:
            return self.objects.number(objects.EXT, f"{first}.{name}")
        order: tuple[Base, ...] = ()
        if kind in {objects.CLS, objects.INST}:
            order = self.order(first)
        elif kind == objects.SUPER_OF:
            order = self.order(first)[1:]
        for base in order:
            if isinstance(base, str):
                return self.objects.number(objects.EXT, f"{base}.{name}")
            variable = self.members.get(base, {}).get(name)
            if variable is not None:
                return self.certain(variable)
        return None

    # classes

    def order(self, symbol: int) -> tuple[Base, ...]:
        """Return the method resolution order of a class, itself first."""
        found = self._orders.get(symbol)
        if found is None:
            if self._depth > MAX_CHAIN:
                return (symbol,)
            self._orders[symbol] = (symbol,)
            self._depth += 1
            order = linearize(symbol, self.bases_of, self.order)
            found = self._orders[symbol] = order[:MAX_CHAIN]
            self._depth -= 1
        return found

    def method(self, symbol: int, name: str) -> int | None:
        """Return the function that a class has, or inherits, under a name."""
        key = (symbol, name)
        found = self._methods.get(key, _UNKNOWN)
        if found == _UNKNOWN:
            found = self._methods[key] = self._find_method(symbol, name)
        return found

    def _find_method(self, symbol: int, name: str) -> int | None:
        order = self.order(symbol)
        for place, base in enumerate(order):
            if isinstance(base, str):
                return None
            # Most classes inherit along one line, and their bases were asked before.
            if place == 1 and self.order(base) == order[1:]:
                return self.method(base, name)
            variable = self.members.get(base, _NO_MEMBERS).get(name)
            if variable is None:
                continue
            held = self.certain(variable)
            if held is None or self.objects.kinds[held] != objects.FUNC:
                return None
            return int(self.objects.first[held])
        return None

    def bases_of(self, symbol: int) -> list[Base]:
        """Return the direct bases of a class that are known."""
        bases: list[Base] = []
        for variable in self.class_bases.get(symbol, ()):
            held = self.certain(variable)
            if held is None:
                continue
            kind, first = self.objects.kinds[held], self.objects.first[held]
            if (kind == objects.CLS and first != symbol) or kind == objects.EXT:
                bases.append(first)
        return bases
