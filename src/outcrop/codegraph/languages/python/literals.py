"""Literal values that a name is known to hold, so that they can serve as keys."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from outcrop.codegraph.languages.python.scopes import Literal, Prefixed

if TYPE_CHECKING:
    from tree_sitter import Node

    from outcrop.codegraph.languages.python.reader import Reader
    from outcrop.codegraph.languages.python.scopes import Value

_QUOTES = "'\""
_MAX_LENGTH = 200
_MAX_KEY_LENGTH = 40
_START = re.compile(r"""[fFrR]*["']([A-Za-z_]\w{2,}?)(?=[{%]|["']$)""")


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
