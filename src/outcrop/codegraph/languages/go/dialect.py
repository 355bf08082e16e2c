"""The rules of Go."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from outcrop.codegraph.typed.dialect import Dialect
from outcrop.codegraph.typed.world import Entity, FileScope
from outcrop.regular_file import read_regular_text

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from outcrop.codegraph.typed.world import World


_BUILTINS = (
    "append", "cap", "clear", "close", "complex", "copy", "delete", "imag", "len",
    "make", "max", "min", "new", "panic", "print", "println", "real", "recover",
)  # fmt: skip


class GoDialect(Dialect):
    """Go: packages by import path, methods by receiver, no overloads."""

    builtins = {name: f"builtin.{name}" for name in _BUILTINS}  # noqa: RUF012 - read only
    makes_by_call = False

    def scope(self, world: World, index: int, root: Path) -> FileScope:
        """Return the imported packages, by alias or by their own names."""
        del root
        aliases: dict[str, Entity] = {}
        wildcards: list[str] = []
        external: list[str] = []
        for alias, path, _ in world.table.files[index].imports:
            known = world.namespace(path)
            if alias == "*":
                (wildcards if known else external).append(path)
                continue
            name = alias or self._package_name(world, path)
            aliases[name] = known or Entity("external", name=path)
        return FileScope(aliases, wildcards, external)

    @staticmethod
    def _package_name(world: World, path: str) -> str:
        for index in world.indexes:
            facts = world.table.files[index]
            if world.table.modules[facts.path] == path:
                return facts.package
        last = path.rpartition("/")[2]
        # `example.com/lib/v2` and `gopkg.in/lib.v2` are both called lib.
        if last[:1] == "v" and last[1:].isdecimal() and "/" in path:
            last = path.rpartition("/")[0].rpartition("/")[2]
        return last.partition(".")[0].removeprefix("go-")


_MODULE = re.compile(r"^module\s+\"?([^\s\"]+)", re.MULTILINE)


def import_paths(files: Sequence[tuple[str, str]], root: Path) -> dict[str, str]:
    """Return the import path of the package each file is in.

    Without a `go.mod` a package is named by its folder, and in the root by its
    package clause. Tests in a package `name_test` are a package beside it.
    """
    modules: dict[str, str | None] = {}
    names = {}
    for path, package in files:
        folder = PurePosixPath(path).parent
        name = _import_path(folder, package, root, modules)
        if package.endswith("_test") and path.endswith("_test.go"):
            name += "_test"
        names[path] = name
    return names


def _import_path(
    folder: PurePosixPath, package: str, root: Path, modules: dict[str, str | None]
) -> str:
    for above in (folder, *folder.parents):
        key = str(above)
        if key not in modules:
            modules[key] = _module_of(root / above)
        module = modules[key]
        if module is not None:
            rest = folder.relative_to(above).as_posix()
            return module if rest == "." else f"{module}/{rest}"
    return package if str(folder) == "." else folder.as_posix()


def _module_of(folder: Path) -> str | None:
    try:
        found = _MODULE.search(read_regular_text(folder / "go.mod"))
    except (OSError, UnicodeDecodeError):
        return None
    return found.group(1) if found else None
