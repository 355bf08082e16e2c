"""The rules of JavaScript and TypeScript."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.codegraph.languages.javascript.modules import ModulePaths
from outcrop.codegraph.typed.dialect import Dialect
from outcrop.codegraph.typed.world import Entity, FileScope

if TYPE_CHECKING:
    from pathlib import Path

    from outcrop.codegraph.typed.world import World

_GLOBALS = (
    "Array", "ArrayBuffer", "BigInt", "Boolean", "Buffer", "Date", "Error", "Function",
    "Intl", "JSON", "Map", "Math", "Number", "Object", "Promise", "Proxy",
    "RangeError", "Reflect", "RegExp", "Set", "String", "Symbol", "TypeError", "URL",
    "URLSearchParams", "WeakMap", "WeakSet", "alert", "clearInterval", "clearTimeout",
    "console", "decodeURIComponent", "document", "encodeURIComponent", "fetch",
    "isNaN", "localStorage", "parseFloat", "parseInt", "process", "queueMicrotask",
    "require", "setImmediate", "setInterval", "setTimeout", "structuredClone",
    "window",
)  # fmt: skip


class ScriptDialect(Dialect):
    """JavaScript and TypeScript, which import each other."""

    static = False
    wrappers = frozenset({"Promise"})
    literals = {  # noqa: RUF012 - read only, as all class attributes here
        "array": "Array",
        "string": "String",
        "number": "Number",
    }
    literal_types = {  # noqa: RUF012
        "string": ("string",),
        "number": ("number",),
        "boolean": ("boolean",),
    }
    primitives = frozenset({"boolean", "number", "string"})
    builtins = {name: name for name in _GLOBALS}  # noqa: RUF012
    constructor_name = "constructor"
    array_type = "Array"

    def __init__(self) -> None:
        self._paths: ModulePaths | None = None

    def prepare(self, world: World, root: Path) -> None:
        """Note what each module exports under another name, or from another."""
        modules = {
            world.table.modules[world.table.files[index].path]
            for index in world.indexes
        }
        self._paths = ModulePaths(frozenset(modules), root)
        for index in world.indexes:
            facts = world.table.files[index]
            module = world.table.modules[facts.path]
            for exported, path, name in facts.body[2] if facts.body else ():
                source = self._paths.resolve(path, module) if path else module
                if source is None:
                    continue
                if exported == "*":
                    world.star_reexports.setdefault(module, []).append(source)
                elif (source, name) != (module, exported):
                    found = world.reexports.setdefault(module, {})
                    found[exported] = (source, name)
            for alias, path, member in facts.imports:
                self._note_import(world, module, alias, path, member)

    def _note_import(
        self, world: World, module: str, alias: str, path: str, member: str
    ) -> None:
        """Let `import { a } from "b"; export { a }` lead to b."""
        source = self._paths.resolve(path, module) if self._paths else None
        if source is not None and alias != "*":
            found = world.reexports.setdefault(module, {})
            found.setdefault(alias, (source, "" if member == "=" else member))

    def scope(self, world: World, index: int, root: Path) -> FileScope:
        """Return what the imports of a file name."""
        del root
        facts = world.table.files[index]
        module = world.table.modules[facts.path]
        aliases = {}
        for alias, path, member in facts.imports:
            source = self._paths.resolve(path, module) if self._paths else None
            if source is None:
                whole = member in {"", "default", "="}
                aliases[alias] = Entity(
                    "external", name=path if whole else f"{path}.{member}"
                )
                continue
            found: Entity | None = Entity("namespace", name=source)
            if member == "=":
                found = world.in_namespace(source, "=") or found
            elif member:
                found = world.in_namespace(source, member)
            if found is not None:
                aliases[alias] = found
        return FileScope(aliases, [], [])
