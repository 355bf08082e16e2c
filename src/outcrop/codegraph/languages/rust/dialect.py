"""The rules of Rust."""

from __future__ import annotations

import tomllib
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from outcrop.codegraph.typed.dialect import Dialect
from outcrop.codegraph.typed.types import parse_type
from outcrop.codegraph.typed.world import Entity, FileScope
from outcrop.regular_file import read_regular_text

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from outcrop.codegraph.typed.evaluate import Evaluator
    from outcrop.codegraph.typed.world import World


_PRELUDE = {
    "String": "std::string::String",
    "Vec": "std::vec::Vec",
    "Box": "std::boxed::Box",
    "drop": "std::mem::drop",
}
_MACROS = (
    "assert", "assert_eq", "assert_ne", "debug_assert", "eprintln", "format", "panic",
    "print", "println", "todo", "unimplemented", "unreachable", "vec", "write",
    "writeln",
)  # fmt: skip
_TAKING = frozenset(
    {"unwrap", "expect", "unwrap_or", "unwrap_or_else", "unwrap_or_default"}
)


class RustDialect(Dialect):
    """Rust: paths through crates and modules, methods from impl blocks."""

    transparent = frozenset({"Box", "Rc", "Arc", "Ref", "RefMut", "MutexGuard"})
    wrappers = frozenset({"Option", "Result"})
    literals = {"string": "str"}  # noqa: RUF012 - read only, as all here
    builtins = {  # noqa: RUF012
        **_PRELUDE,
        **{f"{name}!": f"std::{name}!" for name in _MACROS},
    }
    makes_by_call = False

    def prepare(self, world: World, root: Path) -> None:
        """Note re-exports, and which types implement which traits."""
        del root
        for index in world.indexes:
            facts = world.table.files[index]
            module = world.table.modules[facts.path]
            start = world.table.starts[index]
            for alias, path, mark in facts.imports:
                if mark != "pub":
                    continue
                if alias == "*":
                    target = absolute(path, module, world)
                    world.star_reexports.setdefault(module, []).append(target)
                    continue
                owner, _, name = absolute(path, module, world).rpartition("::")
                world.reexports.setdefault(module, {})[alias] = (owner, name)
            for type_, trait, symbol in facts.body.exports if facts.body else ():
                self._implement(world, module, type_, trait, start + int(symbol))

    @staticmethod
    def _implement(
        world: World, module: str, type_: str, trait: str, number: int
    ) -> None:
        name = parse_type(type_).name
        for found in world.types.get(f"{module}::{name}", ()):
            bases = world.extra_bases.setdefault(found, [])
            bases.append(("implements", trait, number))

    def scope(self, world: World, index: int, root: Path) -> FileScope:
        """Return what the `use` declarations of a file name."""
        del root
        facts = world.table.files[index]
        module = world.table.modules[facts.path]
        aliases: dict[str, Entity] = {}
        wildcards: list[str] = []
        external: list[str] = []
        for alias, path, _ in facts.imports:
            target = absolute(path, module, world)
            known = find_path(world, target)
            if alias == "*":
                (wildcards if known is not None else external).append(target)
            else:
                aliases[alias] = known or Entity("external", name=target)
        return FileScope(aliases, wildcards, external)

    def builtin(self, name: str, world: World, number: int) -> Entity | None:
        """Return the start of a path, or what the prelude brings."""
        module = world.table.modules[world.table.files[world.file(number)].path]
        if name in {"crate", "super", "self"}:
            return world.namespace(absolute(name, module, world))
        if name == "std":
            return Entity("external", name="std")
        if name in self.builtins:
            return Entity("external", name=self.builtins[name])
        return world.namespace(name)

    def external_result(
        self, evaluator: Evaluator, found: Entity, expression: tuple[Any, ...]
    ) -> Entity | None:
        """Return what `unwrap` and the like take out of a value."""
        last = found.name.rpartition("::")[2]
        if last in _TAKING and found.arguments:
            return evaluator.of_type(found.arguments[0], found.home)
        return super().external_result(evaluator, found, expression)


def absolute(path: str, module: str, world: World) -> str:
    """Return a path from the crate on."""
    parts = path.split("::")
    here = module.split("::")
    if parts[0] == "crate":
        return "::".join([here[0], *parts[1:]])
    if parts[0] in {"self", "super"}:
        while parts and parts[0] in {"self", "super"}:
            if parts.pop(0) == "super":
                here = here[:-1]
        return "::".join([*here, *parts])
    for start in (module, here[0]):
        candidate = f"{start}::{parts[0]}"
        known = world.namespaces.get(start, {})
        if candidate in world.namespaces or parts[0] in known:
            return f"{start}::{path}"
    return path


def find_path(world: World, path: str) -> Entity | None:
    """Return what an absolute path names."""
    members: list[str] = []
    while path not in world.namespaces:
        path, _, name = path.rpartition("::")
        if not path:
            return None
        members.append(name)
    found: Entity | None = Entity("namespace", name=path)
    while members:
        found = world.step(found, members.pop())
    return found


_ROOT_FILES = frozenset({"lib", "main", "mod"})


def module_paths(paths: Sequence[str], root: Path) -> dict[str, str]:
    """Return the module path of each file: crate, then folders, then file.

    Without a `Cargo.toml` the crate is called `crate`, and starts where the root
    is. Each file of `tests`, `examples` and `benches` is a crate of its own.
    """
    crates: dict[str, str | None] = {}
    return {path: _module_path(PurePosixPath(path), root, crates) for path in paths}


def _module_path(path: PurePosixPath, root: Path, crates: dict[str, str | None]) -> str:
    for above in path.parents:
        key = str(above)
        if key not in crates:
            crates[key] = _crate_name(root / above)
        crate = crates[key]
        if crate is not None:
            return _inside(path.relative_to(above), crate)
    return _inside(path, "crate")


def _inside(path: PurePosixPath, crate: str) -> str:
    parts = list(path.parts[:-1])
    if parts[:1] == ["src"]:
        parts = parts[1:]
        if parts[:1] == ["bin"]:
            return "::".join([path.stem if len(parts) == 1 else parts[1]])
    elif parts[:1] and parts[0] in {"tests", "examples", "benches"}:
        crate, parts = parts[0], parts[1:]
    if path.stem not in _ROOT_FILES:
        parts.append(path.stem)
    return "::".join([crate, *parts])


def _crate_name(folder: Path) -> str | None:
    try:
        manifest = tomllib.loads(read_regular_text(folder / "Cargo.toml"))
    except (OSError, ValueError, RecursionError):
        return None
    package = manifest.get("package")
    name = package.get("name") if isinstance(package, dict) else None
    return str(name).replace("-", "_") if name else None
