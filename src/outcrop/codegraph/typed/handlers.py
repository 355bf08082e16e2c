"""Handlers for shapes of code that most languages share."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Node

    from outcrop.codegraph.typed.reader import Expression, TypedReader

    Handler = Callable[[TypedReader, Node], Expression | None]


def identifier(reader: TypedReader, node: Node) -> Expression | None:
    """Read a name."""
    return reader.name(reader.text(node))


def this(reader: TypedReader, node: Node) -> Expression | None:
    """Read `this` or `self`."""
    del reader, node
    return ("this",)


def super_(reader: TypedReader, node: Node) -> Expression | None:
    """Read `super` or `base`."""
    del reader, node
    return ("super",)


def literal(type_: str) -> Handler:
    """Return a handler for literals of a type."""

    def handle(reader: TypedReader, node: Node) -> Expression | None:
        if node.named_child_count:
            reader.visit_all(node.named_children)
        return ("lit", type_)

    return handle


def member(owner: str, name: str) -> Handler:
    """Return a handler for `owner.name`, given the names of the two fields."""

    def handle(reader: TypedReader, node: Node) -> Expression | None:
        target = reader.visit(node.child_by_field_name(owner))
        return ("get", target or ("unknown",), reader.field(node, name))

    return handle


def call(function: str, arguments: str) -> Handler:
    """Return a handler for calls, given the names of the two fields."""

    def handle(reader: TypedReader, node: Node) -> Expression | None:
        callee = reader.visit(node.child_by_field_name(function))
        return reader.call(callee, node.child_by_field_name(arguments))

    return handle


def item(owner: str) -> Handler:
    """Return a handler for `owner[index]`."""

    def handle(reader: TypedReader, node: Node) -> Expression | None:
        target = node.child_by_field_name(owner)
        found = reader.visit(target)
        for child in node.named_children:
            if target is None or child.id != target.id:
                reader.visit(child)
        return ("item", found or ("unknown",))

    return handle


def index(reader: TypedReader, node: Node) -> Expression | None:
    """Read `owner[index]` where the grammar names no fields."""
    values = reader.visit_all(node.named_children)
    return ("item", values[0]) if values and values[0] else None


def cast(type_: str, value: str) -> Handler:
    """Return a handler for values of a written type, given the names of two fields.

    A cast is one, and so is an object written with its fields, as `T { … }`.
    """

    def handle(reader: TypedReader, node: Node) -> Expression | None:
        reader.visit(node.child_by_field_name(value))
        return ("cast", reader.field(node, type_))

    return handle


def part(name: str) -> Handler:
    """Return a handler for code of which one field alone matters."""

    def handle(reader: TypedReader, node: Node) -> Expression | None:
        return reader.visit(node.child_by_field_name(name))

    return handle


def assignment(reader: TypedReader, node: Node) -> Expression | None:
    """Read `left = right`."""
    reader.visit(node.child_by_field_name("left"))
    return reader.visit(node.child_by_field_name("right"))


def unwrap(reader: TypedReader, node: Node) -> Expression | None:
    """Read `await x`, `x?`: the value inside."""
    found = reader.walk(node)
    return ("unwrap", found) if found else None


def first(reader: TypedReader, node: Node) -> Expression | None:
    """Read parts of which the first gives the value, as in `x!` or a choice."""
    values = reader.visit_all(node.named_children)
    return next((value for value in values if value), None)


def last(reader: TypedReader, node: Node) -> Expression | None:
    """Read the last part alone, as in `name: value`."""
    return reader.visit(node.named_children[-1]) if node.named_child_count else None


def choice(reader: TypedReader, node: Node) -> Expression | None:
    """Read `condition ? a : b`, `if` and `when`."""
    values = reader.visit_all(node.named_children)
    return next((value for value in values[1:] if value), None)


def nothing(reader: TypedReader, node: Node) -> Expression | None:
    """Pass over code that holds no calls."""
    del reader, node
    return None
