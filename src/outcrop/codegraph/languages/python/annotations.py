"""Type annotations: what a parameter, result or attribute is said to hold."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from outcrop.codegraph.flow.file_flow import (
    CLASS_ITSELF,
    INSTANCE_OF,
    SAME_AS,
    NewContainer,
)

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
_UNIONS = frozenset({"Optional", "Union", "Final"})
_SCALARS = frozenset({
    "bool", "bytes", "dict", "float", "int", "list", "set", "str", "tuple",
})  # fmt: skip
_VAGUE = frozenset({"Any", "object"})


Alternatives = list[int | str] | None
"""The classes that an annotation allows, each a variable or the name of a builtin; None
where that is unknown."""


def declare(
    reader: Reader, variable: int, annotation: Node, *, binding: bool = False
) -> bool:
    """Note what an annotation says a variable holds.

    Args:
        reader: The file.
        variable: What is annotated.
        annotation: The annotation.
        binding: It is believed even where other values seem to come in.

    Returns:
        Whether it says anything.
    """
    before = len(reader.declared)
    alternatives = _declare(reader, variable, annotation)
    if binding and alternatives is not None:
        reader.allowed.append((variable, tuple(alternatives)))
    return len(reader.declared) > before


def _declare(reader: Reader, variable: int, node: Node) -> Alternatives:
    kind = node.type
    if kind in {"identifier", "attribute"}:
        return _declare_name(reader, variable, reader.text(node))
    if kind == "none":
        return []
    if kind == "string":
        text = reader.text(node).strip("'\"")
        found = _DOTTED.match(text)
        alternatives = _declare_name(reader, variable, found.group()) if found else None
        return alternatives if found and found.group() == text else None
    if kind in {"generic_type", "subscript"} and node.named_child_count > 1:
        return _declare_generic(reader, variable, node)
    if kind in _NESTING:
        return _declare_all(reader, variable, node.named_children)
    return None


def _declare_all(reader: Reader, variable: int, nodes: list[Node]) -> Alternatives:
    found = [_declare(reader, variable, node) for node in nodes]
    if any(alternatives is None for alternatives in found):
        return None
    return [one for alternatives in found for one in alternatives or ()]


def _declare_name(reader: Reader, variable: int, dotted: str) -> Alternatives:
    if dotted in _SCALARS:
        return [f"builtins.{dotted}"]
    if dotted == "None":
        return []
    named = _named(reader, dotted)
    if named is None:
        return None
    reader.declared.append((variable, named, INSTANCE_OF))
    return [named]


def _declare_generic(reader: Reader, variable: int, node: Node) -> Alternatives:
    head, *arguments = node.named_children
    if arguments[0].type == "type_parameter":
        arguments = arguments[0].named_children
    name = reader.text(head)
    last = name.rpartition(".")[2]
    if last in _TRANSPARENT:
        found = _declare_all(reader, variable, arguments)
        return found if last in _UNIONS else None
    if last in {"Type", "type"}:
        before = len(reader.declared)
        _declare(reader, variable, arguments[0])
        for place in range(before, len(reader.declared)):
            reader.declared[place] = (*reader.declared[place][:2], CLASS_ITSELF)
        return None
    if last in _ELEMENTS and arguments:
        _declare_items(reader, variable, last, arguments)
        return [f"builtins.{last.lower()}"] if last.lower() in _SCALARS else None
    return _declare_name(reader, variable, name)


def _declare_items(
    reader: Reader, variable: int, name: str, arguments: list[Node]
) -> None:
    """Read `list[X]`: a container, whose items hold what X says."""
    item = reader.new_variable()
    chosen = arguments if name in _TUPLES else arguments[_ELEMENTS[name] :][:1]
    before = len(reader.declared)
    for argument in chosen:
        _declare(reader, item, argument)
    if len(reader.declared) == before:
        return
    type_name = "dict" if _ELEMENTS[name] else "list"
    site = reader.origin(NewContainer(type_name))
    reader.joined.append(item)
    reader.displays[site] = [(None, item)]
    reader.declared.append((variable, site, SAME_AS))


def _named(reader: Reader, dotted: str) -> int | None:
    first, *rest = dotted.split(".")
    if first in _VAGUE and not rest:
        return None
    value = reader.lookup(first)
    for name in rest:
        if not isinstance(value, int):
            return None
        value = reader.attribute(value, name)
    return value if isinstance(value, int) else None
