"""Python expressions: which variable holds the value of each."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from outcrop.codegraph.flow.constraints import (
    Iterate,
    Operate,
    ReadItem,
    ReadItemBy,
    Slice,
)
from outcrop.codegraph.flow.file_flow import KEYS, DefinedFunction, NewContainer
from outcrop.codegraph.languages.python.definitions import define_callable
from outcrop.codegraph.languages.python.scopes import key_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Node

    from outcrop.codegraph.languages.python.reader import Reader
    from outcrop.codegraph.languages.python.scopes import Value

# Builtins whose calls pass values on; calls of all others are only recorded.
MODELLED = frozenset({
    "all", "any", "dict", "enumerate", "filter", "frozenset", "iter", "list", "map",
    "max", "min", "next", "reversed", "set", "sorted", "sum", "super", "tuple", "type",
    "zip", "len", "str", "repr", "bool", "int", "float", "abs", "hash", "vars",
    "getattr", "setattr", "staticmethod",
})  # fmt: skip

_BINARY = {
    "+": "__add__", "-": "__sub__", "*": "__mul__", "/": "__truediv__",
    "//": "__floordiv__", "%": "__mod__", "**": "__pow__", "@": "__matmul__",
    "&": "__and__", "|": "__or__", "^": "__xor__", "<<": "__lshift__",
    ">>": "__rshift__",
}  # fmt: skip
_COMPARISON = {
    "<": "__lt__", "<=": "__le__", ">": "__gt__", ">=": "__ge__", "==": "__eq__",
    "!=": "__ne__",
}  # fmt: skip
_NUMBERS = frozenset({"int", "float"})
_CONTAINING = frozenset({"in", "not in"})
_UNARY = {"-": "__neg__", "+": "__pos__", "~": "__invert__"}


def _identifier(reader: Reader, node: Node) -> Value:
    plain = reader.plain
    if plain is None:
        return reader.lookup(reader.text(node))
    name = plain[node.start_byte : node.end_byte]
    env = reader.scope.env
    # Most names are bound where they are used: no further question then.
    return env[name] if name in env and not reader.written else reader.lookup(name)


def _attribute(reader: Reader, node: Node) -> Value:
    parts = node.named_children
    target = reader.visit(parts[0])
    if isinstance(target, int) and len(parts) > 1:
        return reader.attribute(target, reader.text(parts[-1]))
    return None


def _literal(type_name: str | None) -> Callable[[Reader, Node], Value]:
    def literal(reader: Reader, node: Node) -> Value:
        del reader, node
        return type_name

    return literal


def _string(reader: Reader, node: Node) -> Value:
    first = reader.data[node.start_byte]
    if first in b"'\"":  # only a string with a prefix can hold expressions
        return "str"
    if node.named_child_count > 3:  # noqa: PLR2004 - start, content, end: no braces
        _interpolations(reader, node)
    else:
        for child in node.named_children:
            if child.type == "interpolation":
                reader.visit(child)
    return "bytes" if first in b"bB" else "str"


def _interpolations(reader: Reader, node: Node) -> None:
    for child in node.named_children:
        if child.type in {"interpolation", "string"}:
            reader.visit(child)


def _concatenated(reader: Reader, node: Node) -> Value:
    for child in node.named_children:
        reader.visit(child)
    return "str"


def _last(reader: Reader, node: Node) -> Value:
    """Return the value of the last expression: parentheses, `await`."""
    value: Value = None
    for child in node.named_children:
        value = reader.visit(child)
    return value


def _any(reader: Reader, node: Node) -> Value:
    """Return the union of the operands of `and` and `or`."""
    return reader.join([reader.visit(child) for child in node.named_children])


def _conditional(reader: Reader, node: Node) -> Value:
    values = [reader.visit(child) for child in node.named_children]
    if len(values) != 3:  # noqa: PLR2004 - body, condition, alternative
        return reader.join(values)
    return reader.join([values[0], values[2]])


def _named(reader: Reader, node: Node) -> Value:
    parts = node.named_children
    value = reader.visit(parts[-1])
    reader.assign(reader.text(parts[0]), value)
    return value


def _binary(reader: Reader, node: Node) -> Value:
    operands = node.named_children
    left, right = reader.visit(operands[0]), reader.visit(operands[-1])
    operator = node.child_by_field_name("operator")
    if operator is None:
        return None
    method = _BINARY.get(operator.type)
    if isinstance(left, int):
        return operate(reader, left, method, right)
    if isinstance(right, int) and left in _NUMBERS and method is not None:
        return operate(reader, right, f"__r{method[2:]}", left)
    return left if isinstance(left, str) and operator.type in "+%*" else None


def operate(reader: Reader, left: int, method: str | None, right: Value) -> Value:
    """Return the result of an operator's special method."""
    if method is None:
        return None
    dst = reader.new_variable()
    other = right if isinstance(right, int) else None
    reader.constrain(left, Operate(dst, method, other, reader.scope.caller))
    return dst


def _comparison(reader: Reader, node: Node) -> Value:
    children = [child for child in node.children if child.type != "comment"]
    left = reader.visit(children[0])
    for place in range(1, len(children) - 1, 2):
        operator = children[place].type
        right = reader.visit(children[place + 1])
        if operator in _CONTAINING and isinstance(right, int):
            operate(reader, right, "__contains__", left)
        elif isinstance(left, int) and operator in _COMPARISON:
            operate(reader, left, _COMPARISON[operator], right)
        left = right
    return None


def _unary(reader: Reader, node: Node) -> Value:
    value = _last(reader, node)
    operator = node.child_by_field_name("operator")
    if isinstance(value, int) and operator is not None:
        return operate(reader, value, _UNARY.get(operator.type), None)
    return None


def _subscript(reader: Reader, node: Node) -> Value:
    parts = node.named_children
    target = reader.visit(parts[0])
    if len(parts) == 2 and parts[1].type == "slice":  # noqa: PLR2004
        reader.visit(parts[1])
        return target if isinstance(target, str) else _slice(reader, target, parts[1])
    keys = [reader.visit(part) for part in parts[1:]]
    if not isinstance(target, int):
        return None
    if len(keys) != 1:
        return _item(reader, target, None)
    key = item_key(reader, target, parts[1])
    value = keys[0]
    if key is None and isinstance(value, int):
        dst = reader.new_variable()
        reader.keys.append(value)
        reader.constrain(target, ReadItemBy(dst, value, reader.scope.caller))
        return dst
    items = reader.scope.items
    if (target, key) in items:
        return items[target, key]
    return _item(reader, target, key)


def _item(reader: Reader, target: int, key: str | int | None) -> int:
    dst = reader.new_variable()
    reader.constrain(target, ReadItem(dst, key, reader.scope.caller))
    return dst


def item_key(reader: Reader, target: int, node: Node) -> str | int | None:
    """Return the constant that an item is under, counted from the front."""
    key = key_of(reader, node)
    if isinstance(key, int) and key < 0:
        return reader.lengths.get(target, 0) + key if target in reader.lengths else key
    return key


def _slice(reader: Reader, target: Value, node: Node) -> Value:
    if not isinstance(target, int):
        return None
    bounds: list[int | None] = [None]
    for child in node.children:
        if child.type == ":":
            bounds.append(None)
        else:
            found = key_of(reader, child)
            bounds[-1] = found if isinstance(found, int) else None
    site = reader.origin(NewContainer("list"))
    start, stop = bounds[0], bounds[1] if len(bounds) > 1 else None
    reader.constrain(target, Slice(site, start, stop, reader.scope.caller))
    return site


def _sequence(type_name: str, reader: Reader, node: Node) -> Value:
    values: list[tuple[int | None, Value]] = []
    position: int | None = 0
    plain = True
    for child in node.named_children:
        kind = child.type
        if kind == "comment":
            continue
        if kind in {"list_splat", "parenthesized_list_splat"}:
            value = reader.visit(child.named_children[-1])
            plain = False
            if isinstance(value, int):
                values.append((None, iterate(reader, value)))
            position = None
            continue
        value = reader.visit(child)
        plain = plain and not isinstance(value, int)
        values.append((position if type_name != "set" else None, value))
        position = position + 1 if position is not None else None
    if plain and values:
        return type_name
    site = container(reader, type_name, values)
    if position is not None:
        reader.lengths[site] = position
    return site


def container(reader: Reader, type_name: str, values: list[tuple[Any, Value]]) -> int:
    """Return the variable of a new container with these items."""
    site = reader.origin(NewContainer(type_name))
    reader.sites.add(site)
    items = [(key, value) for key, value in values if isinstance(value, int)]
    if items:
        reader.displays[site] = items
    return site


def iterate(reader: Reader, value: Value) -> Value:
    """Return what iterating over a value gives."""
    if not isinstance(value, int):
        return "str" if value == "str" else None
    dst = reader.new_variable()
    reader.constrain(value, Iterate(dst, reader.scope.caller))
    return dst


def _dictionary(reader: Reader, node: Node) -> Value:
    values: list[tuple[Any, Value]] = []
    plain = True
    for child in node.named_children:
        if child.type == "pair":
            parts = child.named_children
            key = parts[0]
            name = reader.visit(key)
            value = reader.visit(parts[-1])
            if isinstance(name, int):
                plain = False
                values.append((KEYS, name))
            plain = plain and not isinstance(value, int)
            values.append((key_of(reader, key), value))
        elif child.type == "dictionary_splat":
            plain = False
            value = reader.visit(child.named_children[-1])
            if isinstance(value, int):
                dst = reader.new_variable()
                reader.constrain(value, ReadItem(dst, None, reader.scope.caller))
                values.append((None, dst))
    if plain and values:
        return "dict"
    return container(reader, "dict", values)


def _comprehension(type_name: str, reader: Reader, node: Node) -> Value:
    scope = reader.scope
    saved, looping = dict(scope.env), scope.looping
    scope.looping = frozenset()
    children = node.named_children
    for clause in children[1:]:
        if clause.type == "for_in_clause":
            parts = clause.named_children
            source = reader.visit(parts[-1])
            reader.bind(parts[0], iterate(reader, source))
        else:
            reader.visit(clause)
    body = children[0]
    if body.type == "pair":
        reader.visit(body.named_children[0])
        value = reader.visit(body.named_children[-1])
    else:
        value = reader.visit(body)
    fresh = {name for name in scope.env if name not in saved}
    scope.looping = looping
    scope.env = saved
    for name in fresh:
        scope.bindings.pop(name, None)
    return container(reader, type_name, [(None, value)])


def _lambda(reader: Reader, node: Node) -> Value:
    symbol = reader.places.get(node.id)
    if symbol is None:
        return None
    define_callable(reader, node, symbol, "function")
    return reader.origin(DefinedFunction(symbol))


def _yield(reader: Reader, node: Node) -> Value:
    scope = reader.scope
    children = node.named_children
    value = reader.visit(children[0]) if children else None
    if scope.yields is None:
        return None
    if any(child.type == "from" for child in node.children):
        value = iterate(reader, value)
    reader.copy(value, scope.yields)
    return None


HANDLERS: dict[str, Callable[[Reader, Node], Value]] = {
    "attribute": _attribute,
    "await": _last,
    "binary_operator": _binary,
    "boolean_operator": _any,
    "comment": _literal(None),
    "comparison_operator": _comparison,
    "concatenated_string": _concatenated,
    "conditional_expression": _conditional,
    "dictionary": _dictionary,
    "dictionary_comprehension": partial(_comprehension, "dict"),
    "ellipsis": _literal(None),
    "expression_list": partial(_sequence, "tuple"),
    "false": _literal(None),
    "float": _literal("float"),
    "generator_expression": partial(_comprehension, "generator"),
    "identifier": _identifier,
    "integer": _literal("int"),
    "lambda": _lambda,
    "list": partial(_sequence, "list"),
    "list_comprehension": partial(_comprehension, "list"),
    "named_expression": _named,
    "none": _literal(None),
    "parenthesized_expression": _last,
    "set": partial(_sequence, "set"),
    "set_comprehension": partial(_comprehension, "set"),
    "string": _string,
    "subscript": _subscript,
    "true": _literal(None),
    "tuple": partial(_sequence, "tuple"),
    "type": _literal(None),
    "unary_operator": _unary,
    "yield": _yield,
}
"""How each type of expression is read, calls excepted."""
