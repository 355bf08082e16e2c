"""The rules of the languages of the Java virtual machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from outcrop.codegraph.typed.dialect import Dialect
from outcrop.codegraph.typed.world import Entity

if TYPE_CHECKING:
    from outcrop.codegraph.typed.evaluate import Evaluator
    from outcrop.codegraph.typed.world import World

_JAVA_LANG = (
    "Boolean", "Byte", "Character", "CharSequence", "Class", "Comparable", "Double",
    "Enum", "Error", "Exception", "Float", "IllegalArgumentException",
    "IllegalStateException", "Integer", "InterruptedException", "Iterable", "Long",
    "Math", "NullPointerException", "Number", "Object", "Runnable", "Runtime",
    "RuntimeException", "Short", "String", "StringBuffer", "StringBuilder", "System",
    "Thread", "ThreadLocal", "Throwable", "UnsupportedOperationException",
)  # fmt: skip
_KOTLIN = frozenset({
    "also", "apply", "arrayOf", "check", "emptyList", "error", "lazy", "let", "listOf",
    "mapOf", "mutableListOf", "mutableMapOf", "print", "println", "repeat", "require",
    "requireNotNull", "run", "setOf", "with",
})  # fmt: skip
_COLLECTIONS = frozenset({
    "arrayOf", "emptyList", "listOf", "mapOf", "mutableListOf", "mutableMapOf", "setOf",
})  # fmt: skip


class JvmDialect(Dialect):
    """Java and Kotlin, which call each other."""

    inferred_types = frozenset({"var", "val"})
    literals = {  # noqa: RUF012 - read only, as all class attributes here
        "string": "java.lang.String",
        "kotlin string": "kotlin.String",
    }
    literal_types = {  # noqa: RUF012
        "string": ("String", "CharSequence"),
        "kotlin string": ("String", "CharSequence"),
        "int": ("int", "Integer", "Int"),
        "double": ("double", "Double"),
        "boolean": ("boolean", "Boolean"),
        "class": ("Class", "KClass"),
    }
    primitives = frozenset({
        "boolean", "byte", "char", "double", "float", "int", "long", "short", "String",
        "Int", "Long", "Boolean", "Double",
    })  # fmt: skip
    builtins = {name: f"java.lang.{name}" for name in _JAVA_LANG}  # noqa: RUF012

    def imported(self, world: World, path: str) -> Entity:
        """Return what a qualified name means, by the longest part that is known."""
        if path in world.types:
            return Entity("type", tuple(world.types[path]))
        owner, _, name = path.rpartition(".")
        if owner in world.namespaces:
            found = world.in_namespace(owner, name)
            if found is not None:
                return found
        if owner in world.types:
            members = world.find_members(world.types[owner][0], name)
            if members:
                return world.entity(members)
        return Entity("external", name=path)

    def builtin(self, name: str, world: World, number: int) -> Entity | None:
        """Return a type of `java.lang`, or in Kotlin a function of its library."""
        if name in _KOTLIN and _is_kotlin(world, number):
            package = "kotlin.collections" if name in _COLLECTIONS else "kotlin"
            return Entity("external", name=f"{package}.{name}")
        return super().builtin(name, world, number)

    def constructors(self, world: World, type_: int) -> list[int]:
        """Return the constructors: of Kotlin, the class with its parameters first."""
        symbol = world.symbol(type_)
        if not _is_kotlin(world, type_):
            return super().constructors(world, type_)
        secondary = world.own_members(type_, "constructor")
        primary = [type_] if symbol.parameters or not secondary else []
        return [*primary, *secondary] if secondary else []

    def invoke(self, world: World, value: Entity) -> Entity | None:
        """Return the `invoke` operator of a value's class."""
        members = world.find_members(value.symbols[0], "invoke")
        return Entity("functions", tuple(members)) if members else None

    def external_result(
        self, evaluator: Evaluator, found: Entity, expression: tuple[Any, ...]
    ) -> Entity | None:
        """Return the object that calling a class outside the project makes."""
        if found.name.rpartition(".")[2][:1].isupper():
            return Entity("external value", name=found.name)
        return super().external_result(evaluator, found, expression)


def _is_kotlin(world: World, number: int) -> bool:
    return world.table.files[world.file(number)].lang == "kotlin"
