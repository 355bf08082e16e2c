"""Type annotations: what a parameter, result or attribute is said to hold."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from outcrop.codegraph.flow import ops

if TYPE_CHECKING:
    from tree_sitter import Node

    from outcrop.codegraph.languages.python.reader import Reader

_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_TRANSPARENT = frozenset({
    "Optional", "Annotated", "ClassVar", "Final", "Required", "NotRequired", "Union",
    "Awaitable", "Coroutine",
})  # fmt: skip
_TUPLES = frozenset({"Tuple", "tuple"})
# Which argument of a container's type is that of its items.
_ELEMENTS = {
    **dict.fromkeys((
        "Collection", "Deque", "FrozenSet", "Generator", "Iterable", "Iterator", "List",
        "Sequence", "Set", "Tuple", "deque", "frozenset", "list", "set", "tuple",
        "AsyncIterator", "AsyncIterable", "MutableSequence", "AbstractSet",
    ), 0),
    **dict.fromkeys((
        "DefaultDict", "Dict", "Mapping", "MutableMapping", "OrderedDict",
        "defaultdict", "dict",
    ), 1),
}  # fmt: skip
_NESTING = frozenset({
    "type", "binary_operator", "type_parameter", "union_type",
    "parenthesized_expression",
})  # fmt: skip
_PLAIN = frozenset({
    "Any", "bool", "bytes", "dict", "float", "int", "list", "object", "set", "str",
    "tuple", "None",
})  # fmt: skip


def declare(reader: Reader, cell: int, annotation: Node) -> bool:
    """Note what an annotation says a cell holds; return whether it says anything."""
    before = len(reader.declared)
    _declare(reader, cell, annotation)
    return len(reader.declared) > before


def _declare(reader: Reader, cell: int, node: Node) -> None:
    kind = node.type
    if kind in {"identifier", "attribute"}:
        _declare_name(reader, cell, reader.text(node))
    elif kind == "string":
        found = _DOTTED.match(reader.text(node).strip("'\""))
        if found:
            _declare_name(reader, cell, found.group())
    elif kind in {"generic_type", "subscript"} and node.named_child_count > 1:
        _declare_generic(reader, cell, node)
    elif kind in _NESTING:
        for child in node.named_children:
            _declare(reader, cell, child)


def _declare_name(reader: Reader, cell: int, dotted: str) -> None:
    named = _named(reader, dotted)
    if named is not None:
        reader.declared.append((cell, named, ops.INSTANCE_OF))


def _declare_generic(reader: Reader, cell: int, node: Node) -> None:
    head, *arguments = node.named_children
    if arguments[0].type == "type_parameter":
        arguments = arguments[0].named_children
    name = reader.text(head)
    last = name.rpartition(".")[2]
    if last in _TRANSPARENT:
        for argument in arguments:
            _declare(reader, cell, argument)
    elif last in {"Type", "type"}:
        before = len(reader.declared)
        _declare(reader, cell, arguments[0])
        for place in range(before, len(reader.declared)):
            reader.declared[place] = (*reader.declared[place][:2], ops.CLASS_ITSELF)
    elif last in _ELEMENTS and arguments:
        _declare_items(reader, cell, last, arguments)
    else:
        _declare_name(reader, cell, name)


def _declare_items(reader: Reader, cell: int, name: str, arguments: list[Node]) -> None:
    """Read `list[X]`: a container, whose items hold what X says."""
    item = reader.cell()
    chosen = arguments if name in _TUPLES else arguments[_ELEMENTS[name] :][:1]
    before = len(reader.declared)
    for argument in chosen:
        _declare(reader, item, argument)
    if len(reader.declared) == before:
        return
    type_name = "dict" if _ELEMENTS[name] else "list"
    site = reader.seed(ops.CONTAINER, type_name)
    reader.joined.append(item)
    reader.constrain(site, (ops.SETITEM, None, item, reader.scope.caller))
    reader.declared.append((cell, site, ops.SAME_AS))


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
