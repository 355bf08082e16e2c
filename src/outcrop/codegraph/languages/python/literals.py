"""Literal values that a name is known to hold, so that they can serve as keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

    from outcrop.codegraph.languages.python.reader import Reader
    from outcrop.codegraph.languages.python.scopes import Value

_QUOTES = "'\""
_LONGEST = 200


class Literal(str):
    """The name of a builtin type, with the value that was written."""

    __slots__ = ("value",)
    value: str | int


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
        plain = text[0] in _QUOTES and "{" not in text[:_LONGEST]
        return text.strip(_QUOTES) if plain and len(text) < _LONGEST else None
    digits = text.removeprefix("-")
    return int(text) if digits.isdecimal() and len(digits) < _LONGEST else None


def literal_of(reader: Reader, node: Node, value: Value) -> Value:
    """Return a literal's type together with its value, where it is a constant."""
    if value not in {"str", "int"}:
        return value
    key = key_of(reader, node)
    if key is None or not isinstance(value, str):
        return value
    literal = Literal(value)
    literal.value = key
    return literal
