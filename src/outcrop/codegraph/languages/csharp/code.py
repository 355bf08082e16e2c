"""C# code: which nodes declare, read, call and import."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.codegraph.parsed import ParsedImport
from outcrop.codegraph.syntax_tree import child_of
from outcrop.codegraph.typed import handlers as h

if TYPE_CHECKING:
    from tree_sitter import Node

    from outcrop.codegraph.typed.reader import Expression, TypedReader

BLOCKS = frozenset({
    "block", "for_statement", "foreach_statement", "using_statement", "catch_clause",
    "switch_section", "declaration_list",
})  # fmt: skip
_NAMES = ("qualified_name", "identifier", "generic_name", "alias_qualified_name")


def _using(reader: TypedReader, node: Node) -> Expression | None:
    names = [c for c in node.named_children if c.type in _NAMES]
    if not names:
        return None
    path = reader.text(names[-1])
    alias = reader.field(node, "name")
    if alias:
        reader.imports.append(ParsedImport(alias, path))
    else:
        static = child_of(node, "static") is not None
        reader.imports.append(ParsedImport("*", path, "static" if static else ""))
    return None


def _invocation(reader: TypedReader, node: Node) -> Expression | None:
    function = node.child_by_field_name("function")
    arguments = node.child_by_field_name("arguments")
    if function is not None and function.type in {"identifier", "generic_name"}:
        name = reader.text(function).partition("<")[0]
        return reader.call(reader.name(name), arguments)
    return reader.call(reader.visit(function), arguments)


def _member(reader: TypedReader, node: Node) -> Expression | None:
    return _get(reader, reader.visit(node.child_by_field_name("expression")), node)


def _get(reader: TypedReader, owner: Expression | None, node: Node) -> Expression:
    """Return the member that a node names, without its type arguments."""
    name = reader.field(node, "name").partition("<")[0]
    return ("get", owner or ("unknown",), name)


def _conditional(reader: TypedReader, node: Node) -> Expression | None:
    """Read `a?.B`, and `a?.B()` where the call is inside."""
    owner = reader.visit(node.child_by_field_name("condition"))
    for child in node.named_children[1:]:
        if child.type == "member_binding_expression":
            return _get(reader, owner, child)
        if child.type == "invocation_expression":
            binding = child.child_by_field_name("function")
            if binding is not None and binding.type == "member_binding_expression":
                callee = _get(reader, owner, binding)
                return reader.call(callee, child.child_by_field_name("arguments"))
        reader.visit(child)
    return None


def _creation(reader: TypedReader, node: Node) -> Expression | None:
    found = reader.new(
        reader.field(node, "type"), node.child_by_field_name("arguments")
    )
    reader.visit(node.child_by_field_name("initializer"))
    return found


def _declaration(reader: TypedReader, node: Node) -> Expression | None:
    type_ = reader.field(node, "type")
    value: Expression | None = None
    for declarator in node.named_children:
        if declarator.type != "variable_declarator":
            continue
        name = declarator.child_by_field_name("name")
        value = None
        for child in declarator.named_children:
            if name is not None and child.id != name.id:
                value = _initial(reader, child, type_)
        is_field = declarator.id in reader.places
        if not is_field:
            reader.declare(reader.text(name), "" if type_ == "var" else type_, value)
    return value


def _initial(reader: TypedReader, node: Node, type_: str) -> Expression | None:
    if node.type == "implicit_object_creation_expression":
        return reader.new(type_, child_of(node, "argument_list"))
    return reader.visit(node)


def _foreach(reader: TypedReader, node: Node) -> Expression | None:
    source = reader.visit(node.child_by_field_name("right"))
    type_ = reader.field(node, "type")
    left = node.child_by_field_name("left")
    with reader.block():
        if left is not None and left.type == "identifier":
            value = ("item", source) if source else None
            reader.declare(reader.text(left), "" if type_ == "var" else type_, value)
        reader.visit(node.child_by_field_name("body"))
    return None


def _typed_name(reader: TypedReader, node: Node) -> Expression | None:
    """Read a pattern or what is caught: a type and a name."""
    reader.declare(reader.field(node, "name"), reader.field(node, "type"))
    return None


def _constructor_call(reader: TypedReader, node: Node) -> Expression | None:
    which = "super" if child_of(node, "base") is not None else "this"
    reader.call(("typeof", (which,)), child_of(node, "argument_list"))
    return None


HANDLERS = {
    "argument": h.last,
    "as_expression": h.cast("right", "left"),
    "assignment_expression": h.assignment,
    "attribute_list": h.nothing,
    "await_expression": h.unwrap,
    "base": h.super_,
    "base_list": h.nothing,
    "boolean_literal": h.literal("bool"),
    "cast_expression": h.cast("type", "value"),
    "catch_declaration": _typed_name,
    "conditional_access_expression": _conditional,
    "conditional_expression": h.choice,
    "constructor_initializer": _constructor_call,
    "declaration_pattern": _typed_name,
    "element_access_expression": h.item("expression"),
    "foreach_statement": _foreach,
    "identifier": h.identifier,
    "integer_literal": h.literal("int"),
    "interpolated_string_expression": h.literal("string"),
    "invocation_expression": _invocation,
    "member_access_expression": _member,
    "modifier": h.nothing,
    "object_creation_expression": _creation,
    "parameter_list": h.nothing,
    "real_literal": h.literal("double"),
    "string_literal": h.literal("string"),
    "this": h.this,
    "using_directive": _using,
    "variable_declaration": _declaration,
    "verbatim_string_literal": h.literal("string"),
}
