"""The rules of Go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.codegraph.typed.dialect import Dialect
from outcrop.codegraph.typed.world import Entity, FileScope

if TYPE_CHECKING:
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
