"""Java code: which nodes declare, read and call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.codegraph.parsed import ParsedImport
from outcrop.codegraph.syntax_tree import child_of, text_of
from outcrop.codegraph.typed import handlers as h

if TYPE_CHECKING:
    from tree_sitter import Node

    from outcrop.codegraph.typed.reader import Expression, TypedReader

BLOCKS = frozenset({
    "block", "constructor_body", "for_statement", "enhanced_for_statement",
    "catch_clause", "try_with_resources_statement", "switch_block", "class_body",
    "switch_rule", "switch_block_statement_group",
})  # fmt: skip


def _import(reader: TypedReader, node: Node) -> Expression | None:
    path = text_of(child_of(node, "scoped_identifier", "identifier"))
    if child_of(node, "asterisk") is not None:
        reader.imports.append(ParsedImport("*", path))
    else:
        reader.imports.append(ParsedImport(path.rpartition(".")[2], path))
    return None


def _invocation(reader: TypedReader, node: Node) -> Expression | None:
    owner = node.child_by_field_name("object")
    name = reader.field(node, "name")
    callee: Expression = ("name", name)
    if owner is not None:
        callee = ("get", reader.visit(owner) or ("unknown",), name)
    return reader.call(callee, node.child_by_field_name("arguments"))


def _creation(reader: TypedReader, node: Node) -> Expression | None:
    found = reader.new(
        reader.field(node, "type"), node.child_by_field_name("arguments")
    )
    reader.visit(child_of(node, "class_body"))
    return found


def _constructor_call(reader: TypedReader, node: Node) -> Expression | None:
    callee = ("typeof", (reader.field(node, "constructor"),))
    reader.call(callee, node.child_by_field_name("arguments"))
    return None


def _local(reader: TypedReader, node: Node) -> Expression | None:
    type_ = reader.field(node, "type")
    for declarator in node.children_by_field_name("declarator"):
        value = reader.visit(declarator.child_by_field_name("value"))
        reader.declare(reader.field(declarator, "name"), type_, value)
    return None


def _for_each(reader: TypedReader, node: Node) -> Expression | None:
    source = reader.visit(node.child_by_field_name("value"))
    value = ("item", source) if source else None
    reader.declare(reader.field(node, "name"), reader.field(node, "type"), value)
    reader.visit(node.child_by_field_name("body"))
    return None


def _catch(reader: TypedReader, node: Node) -> Expression | None:
    types = child_of(node, "catch_type")
    named = types.named_children if types is not None else []
    type_ = text_of(named[0]) if len(named) == 1 else ""
    reader.declare(reader.field(node, "name"), type_)
    return None


def _typed_name(reader: TypedReader, node: Node) -> Expression | None:
    """Read a resource or a pattern: a type, a name and perhaps a value."""
    value = reader.visit(node.child_by_field_name("value"))
    reader.visit(node.child_by_field_name("left"))
    type_ = reader.field(node, "type") or reader.field(node, "right")
    reader.declare(reader.field(node, "name"), type_, value)
    return None


HANDLERS = {
    "array_access": h.item("array"),
    "assignment_expression": h.assignment,
    "class_literal": h.literal("class"),
    "cast_expression": h.cast("type", "value"),
    "catch_formal_parameter": _catch,
    "decimal_floating_point_literal": h.literal("double"),
    "decimal_integer_literal": h.literal("int"),
    "enhanced_for_statement": _for_each,
    "explicit_constructor_invocation": _constructor_call,
    "false": h.literal("boolean"),
    "field_access": h.member("object", "field"),
    "formal_parameters": h.nothing,
    "identifier": h.identifier,
    "import_declaration": _import,
    "instanceof_expression": _typed_name,
    "local_variable_declaration": _local,
    "method_invocation": _invocation,
    "method_reference": h.nothing,
    "modifiers": h.nothing,
    "object_creation_expression": _creation,
    "package_declaration": h.nothing,
    "resource": _typed_name,
    "string_literal": h.literal("string"),
    "super": h.super_,
    "ternary_expression": h.choice,
    "this": h.this,
    "true": h.literal("boolean"),
}
