"""The rules of JavaScript and TypeScript."""

from __future__ import annotations

import json
import posixpath
import re
from typing import TYPE_CHECKING, Any

from outcrop.codegraph.typed.dialect import Dialect
from outcrop.codegraph.typed.world import Entity, FileScope
from outcrop.regular_file import read_regular_text

if TYPE_CHECKING:
    from collections.abc import Iterator
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
            for exported, path, name in facts.body.exports if facts.body else ():
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


# A string or comment that does not end reaches to the end: each is looked for once.
_COMMENT = re.compile(
    r'("(?:(?=[^"\\]|\\.)\\?.)*+(?:"|\\?\Z))|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL
)
_TRAILING_COMMA = re.compile(r",(\s*[}\]])")
_EXTENSION = re.compile(r"\.(?:[cm]?[jt]sx?)$")
_WORKSPACES = ("package.json", "*/package.json", "*/*/package.json")


class ModulePaths:
    """The modules of a project and the ways they can be written."""

    def __init__(self, modules: frozenset[str], root: Path) -> None:
        self._modules = modules
        self._patterns = list(_tsconfig_paths(root))
        self._packages = dict(_package_folders(root))

    def resolve(self, path: str, module: str) -> str | None:
        """Return the module of the project that a path names, or None."""
        if path.startswith("."):
            return self._existing(posixpath.join(posixpath.dirname(module), path))
        for prefix, suffix, target in self._patterns:
            if path.startswith(prefix) and path.endswith(suffix):
                middle = path[len(prefix) : len(path) - len(suffix)]
                found = self._existing(target.replace("*", middle))
                if found is not None:
                    return found
        for name, folder in self._packages.items():
            if path == name or path.startswith(f"{name}/"):
                rest = path[len(name) + 1 :]
                for start in ("", "src"):
                    found = self._existing(posixpath.join(folder, start, rest))
                    if found is not None:
                        return found
        return None

    def _existing(self, path: str) -> str | None:
        plain = posixpath.normpath(path)
        for candidate in (plain, _EXTENSION.sub("", plain), f"{plain}/index"):
            name = candidate.removeprefix("./")
            if name in self._modules:
                return name
        return "index" if plain == "." and "index" in self._modules else None


def _tsconfig_paths(root: Path) -> Iterator[tuple[str, str, str]]:
    """Yield (prefix, suffix, target) for each path pattern of the project."""
    for name in ("tsconfig.json", "tsconfig.base.json", "jsconfig.json"):
        options = _load(root / name).get("compilerOptions")
        if not isinstance(options, dict):
            continue
        base = str(options.get("baseUrl", "."))
        paths = options.get("paths")
        for pattern, targets in paths.items() if isinstance(paths, dict) else ():
            prefix, _, suffix = str(pattern).partition("*")
            for target in targets if isinstance(targets, list) else ():
                yield prefix, suffix, posixpath.join(base, str(target))
        if "baseUrl" in options:
            yield "", "", posixpath.join(base, "*")


def _package_folders(root: Path) -> Iterator[tuple[str, str]]:
    for pattern in _WORKSPACES:
        for path in sorted(root.glob(pattern)):
            name = _load(path).get("name")
            if isinstance(name, str) and "node_modules" not in path.parts:
                yield name, path.parent.relative_to(root).as_posix()


def _load(path: Path) -> dict[str, Any]:
    """Read JSON with comments; anything else is nothing."""
    try:
        text = read_regular_text(path)
    except (OSError, UnicodeDecodeError):
        return {}
    text = _COMMENT.sub(lambda m: m.group(1) or "", text)
    try:
        found = json.loads(_TRAILING_COMMA.sub(r"\1", text))
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
