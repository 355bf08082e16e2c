"""Which receivers the methods of a class have in a program.

A class that the program never makes an instance of, while it makes some of classes
derived from it, is there to be derived from: `self` in its methods is one of those.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.codegraph.flow.file_flow import Receiver

if TYPE_CHECKING:
    from outcrop.codegraph.flow.program import Base, Program, Unit


class Receivers:
    """The classes that stand in for those that are only derived from."""

    def __init__(self, program: Program, made: set[int]) -> None:
        self.program = program
        self._made = made
        self._users: dict[Base, list[int]] = {}
        for symbol in sorted(made):
            for base in program.order(symbol)[1:]:
                if base not in made:
                    self._users.setdefault(base, []).append(symbol)

    def rule_out(self, unit: Unit, cell: int, callee: int | str) -> bool:
        """Whether `self.name()` can never be the callee that its own class has."""
        path = unit.flow.paths.get(cell)
        if path is None:
            return False
        owner, name = path
        above = unit.flow.paths.get(owner)
        is_super = above is not None and above[1].startswith("super ")
        if above is not None and is_super:
            owner = above[0]
        origin = unit.flow.origins.get(owner)
        if not isinstance(origin, Receiver):
            return False
        symbol = unit.symbols + origin.class_symbol
        users = self._users.get(symbol)
        if not users:
            return False
        return all(
            self._found(user, symbol, name, is_super=is_super) != callee
            for user in users
        )

    def _found(
        self, user: int, symbol: int, name: str, *, is_super: bool
    ) -> int | str | None:
        if not is_super:
            return self.program.method(user, name)
        order = self.program.order(user)
        for base in order[order.index(symbol) + 1 :]:
            if isinstance(base, str):
                return f"{base}.{name}"
            if name in self.program.members.get(base, {}):
                return self.program.method(base, name)
        return None
