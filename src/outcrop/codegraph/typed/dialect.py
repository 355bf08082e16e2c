"""What differs from language to language when calls are resolved."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, ClassVar

from outcrop.codegraph.typed.types import parse_type
from outcrop.codegraph.typed.world import Entity, FileScope

if TYPE_CHECKING:
    from pathlib import Path

    from outcrop.codegraph.parsed import ParsedSymbol
    from outcrop.codegraph.typed.evaluate import Evaluator
    from outcrop.codegraph.typed.world import World


class Dialect:
    """The rules of one language family; a language overrides what differs."""

    static: ClassVar[bool] = True
    """Whether types are checked before a program runs, so that they are certain."""
    inferred_types: ClassVar[frozenset[str]] = frozenset()
    """Words in place of a type that mean: whatever the value is."""
    transparent: ClassVar[frozenset[str]] = frozenset()
    """Types that behave as the type they hold, as `Box` does in Rust."""
    wrappers: ClassVar[frozenset[str]] = frozenset()
    """Types that `await` or `?` takes a value out of."""
    literals: ClassVar[dict[str, str]] = {}
    """Kind of literal -> qualified name of its type."""
    literal_types: ClassVar[dict[str, tuple[str, ...]]] = {}
    """Kind of literal -> types it can be passed as, the best fit only."""
    primitives: ClassVar[frozenset[str]] = frozenset()
    builtins: ClassVar[dict[str, str]] = {}
    """Names that need no import -> qualified name."""
    array_type: ClassVar[str] = ""
    """The name of the type of arrays, where they have methods."""
    makes_by_call: ClassVar[bool] = True
    """Whether making an object without a written constructor calls its type."""
    constructor_name: ClassVar[str] = ""
    """The name of constructors; empty where they are named as their class."""

    def scope(self, world: World, index: int, root: Path) -> FileScope:
        """Return the names that the imports of a file give it."""
        del root
        found = FileScope({}, [], [])
        for alias, path, _ in world.table.files[index].imports:
            if alias != "*":
                found.aliases[alias] = self.imported(world, path)
            elif path in world.namespaces or path in world.types:
                found.wildcards.append(path)
            else:
                found.external_wildcards.append(path)
        return found

    def imported(self, world: World, path: str) -> Entity:
        """Return what the qualified name in an import means."""
        if path in world.types:
            return Entity("type", tuple(world.types[path]))
        return world.namespace(path) or Entity("external", name=path)

    def prepare(self, world: World, root: Path) -> None:
        """Note what namespaces re-export, before any file's scope is made."""

    def builtin(self, name: str, world: World, number: int) -> Entity | None:
        """Return what a name means that nothing in the project defines."""
        if name in self.builtins:
            return Entity("external", name=self.builtins[name])
        scope = world.scopes.get(world.file(number))
        if (
            scope is None
            or len(scope.external_wildcards) != 1
            or not name[:1].isupper()
        ):
            return None
        qualified = f"{scope.external_wildcards[0]}{world.separator}{name}"
        return Entity("external", name=qualified)

    def type_parameters(self, symbol: ParsedSymbol) -> list[str]:
        """Return the names of a type's parameters."""
        pattern = rf"\b{re.escape(symbol.name)}\s*[<\[]([^()\[\]]*?)[>\]]"
        found = re.search(pattern, symbol.signature)
        if found is None:
            return []
        return [part.split()[-1 if part.startswith(("in ", "out ")) else 0].rstrip(":")
                for part in found.group(1).split(",") if part.strip()]  # fmt: skip

    def constructors(self, world: World, type_: int) -> list[int]:
        """Return the constructors of a type."""
        name = self.constructor_name or world.symbol(type_).name
        found = world.own_members(type_, name)
        return [f for f in found if world.symbol(f).kind == "METHOD"]

    def invoke(self, world: World, value: Entity) -> Entity | None:
        """Return what calling a value runs."""
        del world, value
        return None

    def extension(
        self, world: World, type_: int, name: str, number: int
    ) -> Entity | None:
        """Return an extension method of a type."""
        del number
        lineage = world.lineage(type_)
        found = []
        for function in world.extensions.get(name, ()):
            for modifier in world.symbol(function).modifiers:
                if modifier.startswith("receiver:"):
                    declared = world.find_type(parse_type(modifier[9:]), function)
                    if declared is not None and set(declared.symbols) & set(lineage):
                        found.append(function)
        return Entity("functions", tuple(found)) if found else None

    def external_result(
        self, evaluator: Evaluator, found: Entity, expression: tuple[Any, ...]
    ) -> Entity | None:
        """Return the result of a call outside the project, where that is known."""
        del expression
        last = found.name.rpartition(evaluator.world.separator)[2]
        if found.arguments and last in ELEMENT_METHODS:
            return evaluator.of_type(found.arguments[-1], found.home)
        if found.arguments and last in SAME_METHODS:
            # Its own type is unknown, but the type of its items is known.
            return Entity("external value", arguments=found.arguments, home=found.home)
        return None


# Methods of containers in many languages, by what they return.
ELEMENT_METHODS = frozenset({
    "get", "getOrDefault", "remove", "first", "last", "First", "Last", "Single",
    "FirstOrDefault", "SingleOrDefault", "LastOrDefault", "next", "pop", "peek",
    "poll", "shift", "find", "at", "single", "firstOrNull", "lastOrNull", "getOrNull",
    "orElse", "orElseThrow", "getFirst", "getLast", "element", "Dequeue", "Pop",
    "unwrap", "expect", "unwrap_or_default", "findFirst", "getValue",
})  # fmt: skip
SAME_METHODS = frozenset({
    "filter", "sorted", "stream", "toList", "ToList", "Where", "OrderBy", "reversed",
    "slice", "values", "asReversed", "distinct", "limit", "skip", "Take", "Skip",
    "concat", "reverse", "iter", "into_iter", "iter_mut", "clone", "take", "drop",
})  # fmt: skip
