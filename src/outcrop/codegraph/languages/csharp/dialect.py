"""The rules of C#."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.codegraph.typed.dialect import Dialect
from outcrop.codegraph.typed.world import Entity, FileScope

if TYPE_CHECKING:
    from pathlib import Path

    from outcrop.codegraph.typed.world import World

_SYSTEM = (
    "Action", "ArgumentException", "ArgumentNullException", "Array", "Console",
    "Convert", "DateTime", "Environment", "Exception", "Func", "GC", "Guid",
    "IDisposable", "InvalidOperationException", "Lazy", "Math",
    "NotImplementedException", "NotSupportedException", "Nullable", "Object",
    "Random", "String", "StringComparison", "TimeSpan", "Tuple", "Type", "Uri",
)  # fmt: skip


class CSharpDialect(Dialect):
    """C#: namespaces, partial classes, extension methods."""

    inferred_types = frozenset({"var"})
    wrappers = frozenset({"Task", "ValueTask"})
    literals = {"string": "System.String"}  # noqa: RUF012 - read only, as all here
    literal_types = {  # noqa: RUF012
        "string": ("string", "String"),
        "int": ("int", "Int32"),
        "double": ("double",),
        "bool": ("bool",),
    }
    primitives = frozenset({"bool", "byte", "char", "double", "float", "int", "string"})

    def scope(self, world: World, index: int, root: Path) -> FileScope:
        """Return what the `using` directives and outer namespaces give a file."""
        del root
        facts = world.table.files[index]
        aliases: dict[str, Entity] = {}
        wildcards = _outer(world.table.modules[facts.path])
        external: list[str] = []
        for alias, path, _ in facts.imports:
            if alias != "*":
                aliases[alias] = self._named(world, path)
            elif path in world.namespaces or path in world.types:
                wildcards.append(path)
            else:
                external.append(path)
        return FileScope(aliases, wildcards, external)

    @staticmethod
    def _named(world: World, path: str) -> Entity:
        if path in world.types:
            return Entity("type", tuple(world.types[path]))
        return world.namespace(path) or Entity("external", name=path)

    def builtin(self, name: str, world: World, number: int) -> Entity | None:
        """Return a well-known type of `System`, where that is in use."""
        scope = world.scopes.get(world.file(number))
        if (
            name in _SYSTEM
            and scope is not None
            and "System" in scope.external_wildcards
        ):
            return Entity("external", name=f"System.{name}")
        found = super().builtin(name, world, number)
        if found is None and name == "System":
            return Entity("external", name=name)
        return found


def _outer(namespace: str) -> list[str]:
    """Return the namespaces around a namespace, nearest first."""
    found = []
    while "." in namespace:
        namespace = namespace.rpartition(".")[0]
        found.append(namespace)
    return found
