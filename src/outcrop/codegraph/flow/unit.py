"""One file of a program whose values are followed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from outcrop.codegraph.flow.file_flow import FileFlow


class Unit:
    """One file of the program."""

    __slots__ = (
        "first_symbol",
        "first_variable",
        "flow",
        "is_package",
        "joined",
        "module",
        "path",
    )

    def __init__(
        self, path: str, module: str, flow: FileFlow, first_variable: int,
        first_symbol: int, *, is_package: bool,
    ) -> None:  # fmt: skip
        self.path = path
        self.module = module
        self.flow = flow
        self.first_variable = first_variable
        self.first_symbol = first_symbol
        self.is_package = is_package
        self.joined = frozenset(flow.joined)

    @property
    def package(self) -> str:
        """The package that relative imports start from."""
        return self.module if self.is_package else self.module.rpartition(".")[0]
