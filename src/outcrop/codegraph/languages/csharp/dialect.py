"""The rules of C#."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.codegraph.typed.dialect import Dialect
from outcrop.codegraph.typed.world import Entity

if TYPE_CHECKING:
    from pathlib import Path

    from outcrop.codegraph.typed.world import FileScope, World

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
        found = super().scope(world, index, root)
        module = world.table.modules[world.table.files[index].path]
        return found._replace(wildcards=[*_outer(module), *found.wildcards])

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
