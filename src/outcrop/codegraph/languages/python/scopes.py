"""What the names of a Python scope are bound to while its code is read.

Straight code binds a name again with each assignment, so a later call sees the later
value alone. Branches are joined where they meet. Names that a loop assigns share one
variable for the whole loop. A name that is known to hold a literal value can serve as a
key.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from tree_sitter import Node

    from outcrop.codegraph.languages.python.reader import Reader

Value: TypeAlias = int | str | None
"""A variable; the name of a builtin type, for a literal; or None: not followed."""

_QUOTES = "'\""
_MAX_LENGTH = 200
_MAX_KEY_LENGTH = 40
_START = re.compile(r"""[fFrR]*["']([A-Za-z_]\w{2,}?)(?=[{%]|["']$)""")


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


def prefix_of(reader: Reader, node: Node) -> str:
    """Return how a string starts that is put together: `"visit_" + name`."""
    kind = node.type
    if kind == "identifier":
        held = reader.scope.env.get(reader.text(node))
        return held.prefix if isinstance(held, Prefixed) else ""
    if kind == "string":
        found = _START.match(reader.text(node))
        return found.group(1) if found else ""
    if kind in {"binary_operator", "parenthesized_expression", "attribute"}:
        return prefix_of(reader, node.named_children[0])
    if kind == "call":
        function = node.child_by_field_name("function")
        is_method = function is not None and function.type == "attribute"
        return prefix_of(reader, function) if function and is_method else ""
    return ""


def key_of(reader: Reader, node: Node) -> str | int | None:
    """Return the value of an expression that is a constant, or None."""
    kind = node.type
    if kind not in {"integer", "string", "unary_operator", "identifier"}:
        return None
    text = reader.text(node)
    if kind == "identifier":
        held = reader.scope.env.get(text)
        held = held if held is not None else reader.module.env.get(text)
        return held.value if isinstance(held, Literal) else None
    if kind == "string":
        plain = text[0] in _QUOTES and "{" not in text[:_MAX_LENGTH]
        return text.strip(_QUOTES) if plain and len(text) < _MAX_LENGTH else None
    digits = text.removeprefix("-")
    return int(text) if digits.isdecimal() and len(digits) < _MAX_LENGTH else None


def literal_of(reader: Reader, node: Node, value: Value) -> Value:
    """Return a literal's type together with its value, where it is a constant."""
    key = key_of(reader, node) if value in {"str", "int"} else None
    if key is None or not isinstance(value, str):
        prefix = prefix_of(reader, node)
        if not prefix:
            return value
        started = Prefixed("str")
        started.prefix = prefix
        return started
    literal = Literal(value)
    literal.value = key
    return literal


def literal_variable(reader: Reader, node: Node) -> int | None:
    """Return the variable of a constant that may serve as a key."""
    if node.type not in {"string", "integer"}:
        return None
    if node.end_byte - node.start_byte > _MAX_KEY_LENGTH:
        return None
    key = key_of(reader, node)
    return None if key is None else reader.literal(key)
