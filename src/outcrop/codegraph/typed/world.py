"""The types and namespaces of a project, and what is found in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from outcrop.codegraph.parsed import owner_name
from outcrop.codegraph.typed.types import Type, parse_type

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outcrop.codegraph.parsed import ParsedSymbol
    from outcrop.codegraph.symbols import SymbolTable

TYPES = frozenset({"CLASS", "INTERFACE", "ENUM"})
NAMED = TYPES | {"MODULE", "PACKAGE"}
CALLABLE = frozenset({"METHOD", "FUNCTION", "LAMBDA"})


class Entity(NamedTuple):
    """What a name or expression means."""

    kind: str
    """`type`, `value` (of a type), `functions`, `namespace`, `external` or
    `external value`."""
    symbols: tuple[int, ...] = ()
    name: str = ""
    """The qualified name of what is external, or of a namespace."""
    arguments: tuple[Type, ...] = ()
    """Type arguments of a value, as written in the file `home`."""
    home: int = -1
    inferred: bool = False
    """A value was followed to get here: the types alone do not say so."""


class FileScope(NamedTuple):
    """The names a file can use beside its own."""

    aliases: dict[str, Entity]
    wildcards: list[str]
    """Namespaces and types all of whose members can be used."""
    external_wildcards: list[str]


MAX_ALIKE = 200
"""Symbols of one name in one place that are told apart; the others are left out."""
MAX_LINEAGE = 200
"""Base classes of one type that are known, direct or not."""
MAX_REEXPORTS = 10_000
"""Re-exports that are followed for one name."""


class World:
    """The symbols of one family of languages."""

    def __init__(
        self, table: SymbolTable, indexes: Sequence[int], separator: str
    ) -> None:
        self.table = table
        self.indexes = indexes
        self.separator = separator
        self.namespaces: dict[str, dict[str, list[int]]] = {}
        self.members: dict[int, dict[str, list[int]]] = {}
        self.types: dict[str, list[int]] = {}
        self.by_name: dict[str, list[int]] = {}
        self.extensions: dict[str, list[int]] = {}
        """Name -> functions that are written outside the type they extend."""
        self.only_methods: dict[tuple[str, int], int | None] = {}
        """(name, number of arguments) -> the one method that fits, once it is needed."""
        self.arities: dict[int, tuple[int, int]] = {}
        """Function -> minimum and maximum number of arguments, once it is needed."""
        self.scopes: dict[int, FileScope] = {}
        self.reexports: dict[str, dict[str, tuple[str, str]]] = {}
        """Namespace -> name -> (namespace, name) it is re-exported from."""
        self.star_reexports: dict[str, list[str]] = {}
        self.extra_bases: dict[int, list[tuple[str, str, int]]] = {}
        """Type -> (how, type as written, symbol it is written in), from outside."""
        self._adopters: set[int] = set()
        self.is_complete = False
        """Whether all imports are known, so that answers can be kept."""
        self._lineages: dict[int, list[int]] = {}
        self._found_members: dict[tuple[int, str], list[int]] = {}
        self._found_names: dict[tuple[int, str], Entity | None] = {}
        self._bases: dict[int, list[tuple[str, Entity]]] = {}
        for index in indexes:
            self._add_file(index)
        for index in indexes:
            self._adopt(index)

    def symbol(self, number: int) -> ParsedSymbol:
        """Return the facts of a symbol."""
        return self.table.symbols[number]

    def file(self, number: int) -> int:
        """Return the index of the file a symbol is in."""
        return self.table.file_of[number]

    def _add_file(self, index: int) -> None:
        facts = self.table.files[index]
        start = self.table.starts[index]
        space = self.namespaces.setdefault(self.table.modules[facts.path], {})
        for local, symbol in enumerate(facts.symbols[1:], start=1):
            number = start + local
            if symbol.kind in TYPES:
                _note(self.types, self.table.fqns[number], number)
            if symbol.kind in CALLABLE:
                self.by_name.setdefault(symbol.name, []).append(number)
                if any(m.startswith("receiver:") for m in symbol.modifiers):
                    _note(self.extensions, symbol.name, number)
            if owner_name(symbol):
                continue
            if symbol.parent == 0:
                _note(space, symbol.name, number)
            else:
                names = self.members.setdefault(start + symbol.parent, {})
                _note(names, symbol.name, number)

    def _adopt(self, index: int) -> None:
        """Make members of what is written outside its type, as methods in Go are."""
        facts = self.table.files[index]
        start = self.table.starts[index]
        module = self.table.modules[facts.path]
        for local, symbol in enumerate(facts.symbols):
            owner = owner_name(symbol)
            if not owner:
                continue
            number = start + local
            for type_ in self._owners(module, owner):
                self._adopters.add(type_)
                names = self.members.setdefault(type_, {})
                _note(names, symbol.name, number)

    def _owners(self, module: str, owner: str) -> list[int]:
        found = self.types.get(f"{module}{self.separator}{owner}")
        # In JavaScript a function with a prototype is a type.
        return found or self.namespaces.get(module, {}).get(owner, [])

    # finding

    def own_members(self, type_: int, name: str) -> list[int]:
        """Return the members of a type, all its parts taken together."""
        found: list[int] = []
        for part in self.types.get(self.table.fqns[type_], (type_,)):
            found += self.members.get(part, {}).get(name, ())
        return found

    def bases(self, type_: int) -> list[tuple[str, Entity]]:
        """Return (`extends` or `implements`, base) for each base of a type."""
        parts = self.types.get(self.table.fqns[type_], (type_,))
        type_ = parts[0]
        found = self._bases.get(type_)
        if found is None:
            self._bases[type_] = []
            written = [
                (how, text, part)
                for part in parts
                for how, text in self.symbol(part).bases
            ]
            written += self.extra_bases.get(type_, ())
            found = []
            for how, text, place in written:
                base = self.find_type(parse_type(text), place)
                if base is not None and not self._is_part(base.symbols, type_):
                    found.append((how, base))
            self._bases[type_] = found
        return found

    def _is_part(self, symbols: Sequence[int], type_: int) -> bool:
        """Whether symbols are parts of a type."""
        return bool(symbols) and self.table.fqns[symbols[0]] == self.table.fqns[type_]

    def forget_bases(self) -> None:
        """Forget bases that were looked up before all imports were known."""
        self._bases.clear()

    def lineage(self, type_: int) -> list[int]:
        """Return a type and all its bases in the project, nearest first."""
        known = self._lineages.get(type_)
        if known is not None:
            return known
        found, seen = [type_], {type_}
        for each in found:
            for _, base in self.bases(each):
                new = [s for s in base.symbols[:1] if s not in seen]
                seen.update(new)
                found += new[: MAX_LINEAGE - len(found)]
        if self.is_complete:
            self._lineages[type_] = found
        return found

    def find_members(self, type_: int, name: str) -> list[int]:
        """Return the members of a name in a type or the nearest base that has it."""
        key = (type_, name)
        known = self._found_members.get(key)
        if known is not None:
            return known
        found: list[int] = []
        for owner in self.lineage(type_):
            found = self.own_members(owner, name)
            if found:
                break
        if self.is_complete:
            self._found_members[key] = found
        return found

    def external_base(self, type_: int) -> str:
        """Return the first base outside the project, or nothing."""
        for owner in self.lineage(type_):
            for _, base in self.bases(owner):
                if base.kind == "external":
                    return base.name
        return ""

    def in_namespace(self, namespace: str, name: str) -> Entity | None:
        """Return what a namespace, or what it re-exports, calls by a name.

        Every name is looked for once in a namespace, however many others re-export it.
        """
        seen: set[tuple[str, str]] = set()
        pending = [(namespace, name, False)]
        left = MAX_REEXPORTS
        while pending and left > 0:
            namespace, name, is_searched = pending.pop()
            if is_searched:
                inner = self.namespace(f"{namespace}{self.separator}{name}")
                if inner is not None:
                    return inner
                continue
            found = self.namespaces.get(namespace, {}).get(name)
            if found:
                return self.entity(found)
            if (namespace, name) in seen:
                continue
            seen.add((namespace, name))
            again = self.reexports.get(namespace, {}).get(name)
            if again is not None:
                source, member = again
                if member:
                    pending.append((source, member, False))
                    left -= 1
                elif (outer := self.namespace(source)) is not None:
                    return outer
                continue
            stars = self.star_reexports.get(namespace, ())
            pending.append((namespace, name, True))
            pending += [(source, name, False) for source in reversed(stars)]
            left -= 1 + len(stars)
        return None

    def namespace(self, name: str) -> Entity | None:
        """Return a namespace of the project by its name."""
        if name in self.namespaces:
            return Entity("namespace", name=name)
        return None

    def entity(self, symbols: Sequence[int]) -> Entity:
        """Return what symbols of one name are together."""
        kinds = {self.symbol(number).kind for number in symbols}
        if self._adopters.intersection(symbols):
            return Entity("type", tuple(symbols))
        if kinds & NAMED:
            types = tuple(n for n in symbols if self.symbol(n).kind in NAMED)
            return Entity("type", types)
        if kinds & CALLABLE:
            functions = tuple(n for n in symbols if self.symbol(n).kind in CALLABLE)
            return Entity("functions", functions)
        return Entity("field", tuple(symbols))

    def find_name(self, name: str, number: int) -> Entity | None:
        """Return what a name means in the code of a symbol."""
        if not self.is_complete:
            return self._look_up(name, number)
        key = (number, name)
        if key not in self._found_names:
            self._found_names[key] = self._look_up(name, number)
        return self._found_names[key]

    def _look_up(self, name: str, number: int) -> Entity | None:
        current = number
        while current >= 0:
            symbol = self.symbol(current)
            if symbol.kind in TYPES:
                found = self._visible_members(current, name)
                if not found and symbol.name == name:
                    found = [current]
            elif symbol.parent >= 0:
                found = self.members.get(current, {}).get(name, [])
            else:
                found = []
            if found:
                return self.entity(found)
            current = self.table.parents[current]
        return self._in_file(name, self.file(number))

    implicit_this = True
    """Whether a bare name may be a member of the enclosing type."""

    def _visible_members(self, type_: int, name: str) -> list[int]:
        if self.implicit_this:
            return self.find_members(type_, name)
        found = self.own_members(type_, name)
        return [number for number in found if self.symbol(number).kind in TYPES]

    def owner_of(self, number: int) -> int:
        """Return the type that a symbol written outside it belongs to, or -1."""
        owner = owner_name(self.symbol(number))
        if not owner:
            return -1
        facts = self.table.files[self.file(number)]
        module = self.table.modules[facts.path]
        found = self._owners(module, owner)
        return found[0] if found else -1

    def _in_file(self, name: str, index: int) -> Entity | None:
        scope = self.scopes.get(index)
        module = self.table.modules[self.table.files[index].path]
        if scope is not None and name in scope.aliases:
            return scope.aliases[name]
        found = self.in_namespace(module, name)
        if found is not None:
            return found
        for wildcard in scope.wildcards if scope is not None else ():
            found = self.in_namespace(wildcard, name)
            if found is None and wildcard in self.types:
                members = self.find_members(self.types[wildcard][0], name)
                found = self.entity(members) if members else None
            if found is not None:
                return found
        return None

    def find_type(self, type_: Type, number: int) -> Entity | None:
        """Return the type a written type names in the code of a symbol."""
        if not type_.name:
            return None
        first, *rest = type_.name.replace("::", ".").split(".")
        found = self.find_name(first, number)
        if found is None and rest:
            qualified = self.separator.join((first, *rest))
            if qualified in self.types:
                return Entity("type", tuple(self.types[qualified]))
            if first in self.namespaces:
                found = self.namespace(first)
        for name in rest:
            found = self.step(found, name)
        if found is not None and found.kind not in {"type", "external"}:
            return None
        return found

    def step(self, owner: Entity | None, name: str) -> Entity | None:
        """Return the static member of a type or namespace."""
        if owner is None:
            return None
        if owner.kind == "namespace":
            return self.in_namespace(owner.name, name)
        if owner.kind == "external":
            return Entity("external", name=f"{owner.name}{self.separator}{name}")
        if owner.kind == "type":
            members = self.find_members(owner.symbols[0], name)
            if members:
                return self.entity(members)
            base = self.external_base(owner.symbols[0])
            if base:
                return Entity("external", name=f"{base}{self.separator}{name}")
        return None


def _note(names: dict[str, list[int]], name: str, number: int) -> None:
    found = names.setdefault(name, [])
    if len(found) < MAX_ALIKE:
        found.append(number)
