"""Python calls: callee, arguments, and the builtins that pass values on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.codegraph.flow.constraints import (
    ReadAttributeBy,
    ReadPrefixed,
    Super,
    WriteAttribute,
)
from outcrop.codegraph.languages.python import expressions
from outcrop.codegraph.languages.python.scopes import (
    key_of,
    literal_variable,
    prefix_of,
)

if TYPE_CHECKING:
    from tree_sitter import Node

    from outcrop.codegraph.languages.python.reader import Reader
    from outcrop.codegraph.languages.python.scopes import Value

# The result types of builtin functions, where later calls depend on it.
_RESULTS = {
    "str": "str", "repr": "str", "int": "int", "float": "float", "bytes": "bytes",
    "format": "str", "chr": "str", "ascii": "str", "input": "str",
}  # fmt: skip
_CASTS = frozenset({"cast", "t.cast", "typing.cast"})
_MAX_CAST_LENGTH = max(map(len, _CASTS))
_STRING_METHODS = frozenset({
    "capitalize", "casefold", "center", "decode", "expandtabs", "format", "join",
    "ljust", "lower", "lstrip", "removeprefix", "removesuffix", "replace", "rjust",
    "rstrip", "strip", "swapcase", "title", "translate", "upper", "zfill",
})  # fmt: skip


def visit_call(reader: Reader, node: Node) -> Value:
    """Read a call and return the value of its result."""
    parts = node.named_children
    if len(parts) != 2:  # noqa: PLR2004 - comments are among them
        parts = [part for part in parts if part.type != "comment"]
    if not parts:
        return None
    function, arguments = parts[0], parts[1] if len(parts) > 1 else None
    if reader.has_cast and arguments is not None and _is_cast(reader, function):
        given = arguments.named_children
        if len(given) == 2:  # noqa: PLR2004 - a type and a value
            reader.external_calls.append((reader.scope.caller, "typing.cast"))
            return reader.visit(given[1])
    if function.type == "attribute":
        literal, callee = _method(reader, function)
        if literal is not None:
            _arguments(reader, arguments)
            return literal or None
    else:
        callee = reader.visit(function)
    builtin = reader.builtin_names.get(callee) if isinstance(callee, int) else None
    if builtin is not None:
        handled, value = _builtin(reader, builtin, arguments)
        if handled:
            return value
    args, kwargs, star, dstar = _arguments(reader, arguments)
    result = reader.call(callee, args, kwargs, star, dstar)
    return _RESULTS.get(builtin, result) if builtin else result


def _is_cast(reader: Reader, function: Node) -> bool:
    length = function.end_byte - function.start_byte
    return length <= _MAX_CAST_LENGTH and reader.text(function) in _CASTS


def _method(reader: Reader, function: Node) -> tuple[str | None, Value]:
    """Return the type of the result where the receiver is a literal, and the callee."""
    parts = function.named_children
    target = reader.visit(parts[0])
    name = reader.text(parts[-1])
    if isinstance(target, str):
        reader.external_calls.append((reader.scope.caller, f"builtins.{target}.{name}"))
        return ("str" if target == "str" and name in _STRING_METHODS else ""), None
    if isinstance(target, int):
        return None, reader.attribute(target, name)
    return None, None


def _builtin(reader: Reader, name: str, arguments: Node | None) -> tuple[bool, Value]:
    """Read a call of a builtin; return whether that is all there is to it."""
    nodes = arguments.named_children if arguments is not None else []
    scope = reader.scope
    if name == "super" and len(nodes) in {0, 2}:
        reader.external_calls.append((scope.caller, "builtins.super"))
        if scope.receiver_variable is None or scope.class_symbol is None:
            return True, None
        dst = reader.new_variable()
        reader.constrain(scope.receiver_variable, Super(dst, scope.class_symbol))
        reader.paths[dst] = (scope.receiver_variable, f"super {scope.class_symbol}")
        return True, dst
    if name == "getattr" and len(nodes) > 1:
        value = _getattr(reader, nodes)
        if value is not None:
            return True, value
    if name == "setattr" and len(nodes) > 2:  # noqa: PLR2004 - object, name, value
        return _setattr(reader, nodes)
    if name in expressions.MODELLED:
        return False, None
    reader.external_calls.append((scope.caller, f"builtins.{name}"))
    _arguments(reader, arguments)
    return True, _RESULTS.get(name)


def _getattr(reader: Reader, nodes: list[Node]) -> Value:
    """Read `getattr(x, "name")`, or any that starts so: `getattr(x, "visit_" + n)`."""
    key = key_of(reader, nodes[1])
    prefix = "" if isinstance(key, str) else prefix_of(reader, nodes[1])
    if not isinstance(key, str) and not prefix:
        return _getattr_by(reader, nodes)
    reader.external_calls.append((reader.scope.caller, "builtins.getattr"))
    values = [reader.visit(node) for node in nodes]
    found: Value = None
    if isinstance(values[0], int):
        if isinstance(key, str):
            found = reader.attribute(values[0], key)
        else:
            found = reader.new_variable()
            reader.joined.append(found)
            reader.constrain(values[0], ReadPrefixed(found, prefix))
    return reader.join([found, *values[2:]])


def _getattr_by(reader: Reader, nodes: list[Node]) -> Value:
    """Read `getattr(x, name)`, where the name is a value that may be known."""
    reader.external_calls.append((reader.scope.caller, "builtins.getattr"))
    target, name, *default = (reader.visit(node) for node in nodes)
    if not isinstance(target, int) or not isinstance(name, int):
        return reader.join(default)
    found = reader.new_variable()
    reader.joined.append(found)
    reader.keys.append(name)
    reader.constrain(target, ReadAttributeBy(found, name, reader.scope.caller))
    return reader.join([found, *default])


def _setattr(reader: Reader, nodes: list[Node]) -> tuple[bool, Value]:
    key = key_of(reader, nodes[1])
    target, _, value = (reader.visit(node) for node in nodes[:3])
    reader.external_calls.append((reader.scope.caller, "builtins.setattr"))
    if isinstance(key, str) and isinstance(target, int) and isinstance(value, int):
        reader.constrain(target, WriteAttribute(key, value, reader.scope.caller))
    return True, None


def _arguments(
    reader: Reader, node: Node | None
) -> tuple[list[int | None], list[tuple[str, int]], int | None, int | None]:
    """Return positional and keyword arguments, and the variables after `*` and `**`."""
    args: list[int | None] = []
    kwargs: list[tuple[str, int]] = []
    star: int | None = None
    dstar: int | None = None
    if node is None:
        return args, kwargs, star, dstar
    if node.type == "generator_expression":
        value = reader.visit(node)
        return [value if isinstance(value, int) else None], kwargs, star, dstar
    for child in node.named_children:
        kind = child.type
        if kind == "comment":
            continue
        if kind == "keyword_argument":
            parts = child.named_children
            variable = _argument(reader, parts[-1])
            if variable is not None:
                kwargs.append((reader.text(parts[0]), variable))
        elif kind == "list_splat":
            star = _latest(_argument(reader, child.named_children[-1]), star)
        elif kind == "dictionary_splat":
            dstar = _latest(_argument(reader, child.named_children[-1]), dstar)
        else:
            args.append(_argument(reader, child))
    return args, kwargs, star, dstar


def _latest(variable: int | None, other: int | None) -> int | None:
    """Return the variable that was made last: of several `*` one alone is followed."""
    if variable is None or other is None:
        return other if variable is None else variable
    return max(variable, other)


def _argument(reader: Reader, node: Node) -> int | None:
    value = reader.visit(node)
    return value if isinstance(value, int) else literal_variable(reader, node)
