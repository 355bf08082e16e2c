"""Python classes, functions and their decorators."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.codegraph.flow.constraints import Decorate, Derive
from outcrop.codegraph.flow.file_flow import SETTER, DefinedClass, DefinedFunction
from outcrop.codegraph.languages.python import functions
from outcrop.codegraph.languages.python.scopes import Scope

if TYPE_CHECKING:
    from tree_sitter import Node

    from outcrop.codegraph.languages.python.reader import Reader

# What a decorator makes of a function, by the last part of its name.
_KINDS = {
    "property": "property",
    "cached_property": "property",
    "abstractproperty": "property",
    "setter": "setter",
    "getter": "property",
    "deleter": "setter",
    "staticmethod": "static",
    "classmethod": "class",
    "abstractmethod": "",
    "overload": "",
    "override": "",
    "final": "",
}


def define_function(reader: Reader, node: Node) -> None:
    """Read an undecorated function."""
    name = node.child_by_field_name("name")
    symbol = reader.places.get(node.id)
    if name is None or symbol is None:
        return
    functions.define(reader, node, symbol, "function")
    reader.assign(reader.text(name), reader.origin(DefinedFunction(symbol)))


def define_class(reader: Reader, node: Node) -> None:
    """Read an undecorated class."""
    name = node.child_by_field_name("name")
    symbol = reader.places.get(node.id)
    if name is not None and symbol is not None:
        _read_class(reader, node, symbol)
        reader.assign(reader.text(name), reader.origin(DefinedClass(symbol)))


def _read_class(reader: Reader, node: Node, symbol: int) -> None:
    outer = reader.scope
    arguments = node.child_by_field_name("superclasses")
    bases: list[int] = []
    for base in arguments.named_children if arguments is not None else []:
        if base.type in {"keyword_argument", "comment"}:
            reader.visit(base.named_children[-1]) if base.named_child_count else None
            continue
        head = base.named_children[0] if base.type == "subscript" else base
        value = reader.visit(head)
        if isinstance(value, int):
            bases.append(value)
            reader.constrain(value, Derive(symbol, outer.caller))
    reader.bases[symbol] = tuple(bases)
    scope = Scope(symbol, outer.caller, outer, is_class=True)
    scope.self_cell, scope.class_symbol = outer.self_cell, outer.class_symbol
    reader.scope = scope
    body = node.child_by_field_name("body")
    if body is not None:
        reader.block(body)
    reader.scope = outer
    reader.members[symbol] = reader.close(scope)


def define_decorated(reader: Reader, node: Node) -> None:
    """Read a decorated function or class."""
    definition = node.child_by_field_name("definition")
    name = definition.child_by_field_name("name") if definition is not None else None
    symbol = reader.places.get(definition.id) if definition is not None else None
    if definition is None or name is None or symbol is None:
        return
    kind, calls = _decorators(reader, node)
    if kind == "setter":
        # `@x.setter` gives back the property: the name keeps its getter.
        functions.define(reader, definition, symbol, "method")
        if reader.scope.is_class:
            setter = f"{reader.text(name)}{SETTER}"
            reader.scope.bind(setter, reader.origin(DefinedFunction(symbol)))
        return
    if definition.type == "class_definition":
        _read_class(reader, definition, symbol)
        own = reader.origin(DefinedClass(symbol))
    else:
        functions.define(reader, definition, symbol, kind)
        own = reader.origin(DefinedFunction(symbol))
    value = own
    for decorator in reversed(calls):
        dst = reader.cell()
        reader.constrain(decorator, Decorate(dst, value, reader.scope.caller))
        reader.calls.append((decorator, reader.scope.caller, False))
        reader.decorated.append((decorator, dst, value))
        value = dst
    reader.assign(reader.text(name), value)


def _decorators(reader: Reader, node: Node) -> tuple[str, list[int]]:
    """Return the kind of function that decorators make, and those to be called."""
    kind, calls = "function", []
    for decorator in node.children:
        if decorator.type != "decorator" or not decorator.named_child_count:
            continue
        expression = decorator.named_children[0]
        last = reader.text(expression).rpartition(".")[2]
        if last in _KINDS:
            kind = _KINDS[last] or kind
            continue
        value = reader.visit(expression)
        if isinstance(value, int):
            calls.append(value)
    return kind, calls
