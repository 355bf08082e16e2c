"""What the names of a Python scope are bound to while its code is read.

Straight code binds a name again with each assignment, so a later call sees the later
value alone. Branches are joined where they meet. Names that a loop assigns share one
variable for the whole loop.
"""

from __future__ import annotations

from typing import TypeAlias

Value: TypeAlias = int | str | None
"""A variable; the name of a builtin type, for a literal; or None: not followed."""


class Literal(str):
    """The name of a builtin type, with the value that was written."""

    __slots__ = ("value",)
    value: str | int


class Prefixed(str):
    """The name of a builtin type, with how a string of it starts."""

    __slots__ = ("prefix",)
    prefix: str


class Scope:
    """A module, class or function while it is read."""

    __slots__ = (
        "attributes",
        "bindings",
        "caller",
        "class_symbol",
        "env",
        "global_names",
        "is_class",
        "items",
        "looping",
        "outer_names",
        "parameters",
        "parent",
        "passed",
        "receiver_variable",
        "result",
        "symbol",
        "yields",
    )  # fmt: skip

    def __init__(
        self, symbol: int, caller: int, parent: Scope | None, *, is_class: bool = False
    ) -> None:
        self.symbol = symbol
        self.caller = caller
        self.parent = parent
        self.is_class = is_class
        self.env: dict[str, Value] = {}
        self.bindings: dict[str, list[int]] = {}
        self.attributes: dict[tuple[int, str], int] = {}
        self.items: dict[tuple[int, str | int | None], int | None] = {}
        """(container made here, key) -> what straight code has last put there."""
        self.global_names: set[str] = set()
        self.outer_names: set[str] = set()
        self.parameters: dict[int, int] = {}
        """Variable of a parameter -> its position."""
        self.passed: list[int] = []
        """Positions of the parameters that are returned as they are."""
        self.looping: frozenset[str] = frozenset()
        self.class_symbol: int | None = None
        self.receiver_variable: int | None = None
        self.result: int | None = None
        self.yields: int | None = None

    def bind(self, name: str, value: Value) -> None:
        """Bind a name to a value from here on."""
        self.env[name] = value
        if isinstance(value, int):
            variables = self.bindings.setdefault(name, [])
            if value not in variables:
                variables.append(value)
