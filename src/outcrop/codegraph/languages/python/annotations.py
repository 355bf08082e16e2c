"""Type annotations: the class that a parameter, result or attribute is said to hold."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

    from outcrop.codegraph.languages.python.reader import Reader

_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_TRANSPARENT = frozenset({
    "Optional", "Annotated", "ClassVar", "Final", "Required", "NotRequired",
})  # fmt: skip
_NESTING = frozenset({
    "type", "binary_operator", "type_parameter", "union_type",
    "parenthesized_expression",
})  # fmt: skip
_PLAIN = frozenset({
    "Any", "bool", "bytes", "dict", "float", "int", "list", "object", "set", "str",
    "tuple", "None",
})  # fmt: skip


def declared_class(reader: Reader, node: Node) -> int | None:
    """Return the cell of the class an annotation names, where it names one."""
    kind = node.type
    if kind in {"identifier", "attribute"}:
        return _named(reader, reader.text(node))
    if kind == "string":
        found = _DOTTED.match(reader.text(node).strip("'\""))
        return _named(reader, found.group()) if found else None
    if kind in {"generic_type", "subscript"} and node.named_child_count > 1:
        head, *arguments = node.named_children
        if reader.text(head).rpartition(".")[2] in _TRANSPARENT:
            return _first(reader, arguments)
        return _named(reader, reader.text(head))
    return _first(reader, node.named_children) if kind in _NESTING else None


def _first(reader: Reader, nodes: list[Node]) -> int | None:
    for node in nodes:
        found = declared_class(reader, node)
        if found is not None:
            return found
    return None


def _named(reader: Reader, dotted: str) -> int | None:
    first, *rest = dotted.split(".")
    if first in _PLAIN and not rest:
        return None
    value = reader.lookup(first)
    for name in rest:
        if not isinstance(value, int):
            return None
        value = reader.attribute(value, name)
    return value if isinstance(value, int) else None
