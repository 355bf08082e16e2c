"""Kotlin code: which nodes declare, read and call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.codegraph.parsed import ParsedImport
from outcrop.codegraph.syntax_tree import child_of, children_of, text_of
from outcrop.codegraph.typed import handlers as h

if TYPE_CHECKING:
    from tree_sitter import Node

    from outcrop.codegraph.typed.reader import Expression, TypedReader

BLOCKS = frozenset({
    "block", "for_statement", "catch_block", "when_entry", "class_body",
    "enum_class_body", "control_structure_body",
})  # fmt: skip
_TYPES = ("user_type", "nullable_type", "function_type")


def _import(reader: TypedReader, node: Node) -> Expression | None:
    path = text_of(child_of(node, "qualified_identifier", "identifier"))
    if child_of(node, "*") is not None or text_of(node).rstrip().endswith("*"):
        reader.imports.append(ParsedImport("*", path.removesuffix(".*")))
        return None
    names = children_of(node, "identifier")
    alias = text_of(names[-1]) if names and "." in path else path.rpartition(".")[2]
    reader.imports.append(ParsedImport(alias, path))
    return None


def _call(reader: TypedReader, node: Node) -> Expression | None:
    function = node.named_children[0]
    arguments = child_of(node, "value_arguments")
    trailing = child_of(node, "annotated_lambda")
    if function.type == "call_expression" and arguments is None:
        # `f(a) { … }` is one call, its last argument after the parentheses.
        arguments = child_of(function, "value_arguments")
        function = function.named_children[0]
    return reader.call(reader.visit(function), arguments, trailing)


def _navigation(reader: TypedReader, node: Node) -> Expression | None:
    parts = node.named_children
    owner = reader.visit(parts[0])
    return ("get", owner or ("unknown",), reader.text(parts[-1]))


def _property(reader: TypedReader, node: Node) -> Expression | None:
    several = child_of(node, "multi_variable_declaration")
    declared = child_of(node, "variable_declaration")
    values = [
        reader.visit(child)
        for child in node.named_children
        if child.type not in _DECLARATION_PARTS
    ]
    value = next((v for v in values if v), None)
    if several is not None:
        for one in several.named_children:
            reader.declare(text_of(child_of(one, "identifier")))
    elif declared is not None:
        type_ = text_of(child_of(declared, *_TYPES))
        reader.declare(text_of(child_of(declared, "identifier")), type_, value)
    return value


_DECLARATION_PARTS = frozenset({
    "modifiers", "variable_declaration", "multi_variable_declaration", "type_parameters",
})  # fmt: skip


def _body(reader: TypedReader, node: Node) -> Expression | None:
    """Read a function's body; `= expression` is also its result."""
    value = reader.walk(node)
    if child_of(node, "=") is not None:
        reader.give(value)
    return value


def _delegate(reader: TypedReader, node: Node) -> Expression | None:
    """Read `by lazy { … }`: the value is what the lambda gives."""
    reader.visit_all(node.named_children)
    return None


def _for(reader: TypedReader, node: Node) -> Expression | None:
    children = node.named_children
    declared = children[0]
    source = reader.visit(children[1]) if len(children) > 1 else None
    if declared.type == "variable_declaration":
        type_ = text_of(child_of(declared, *_TYPES))
        value = ("item", source) if source else None
        reader.declare(text_of(child_of(declared, "identifier")), type_, value)
    reader.visit_all(children[2:])
    return None


def _catch(reader: TypedReader, node: Node) -> Expression | None:
    reader.declare(
        text_of(child_of(node, "identifier")), text_of(child_of(node, *_TYPES))
    )
    reader.visit(child_of(node, "block"))
    return None


def _test(reader: TypedReader, node: Node) -> Expression | None:
    reader.visit(node.child_by_field_name("left"))
    return None


def _constructor_call(reader: TypedReader, node: Node) -> Expression | None:
    """Read `: this(…)` and `: super(…)` of a secondary constructor."""
    which = "super" if child_of(node, "super") is not None else "this"
    reader.call(("typeof", (which,)), child_of(node, "value_arguments"))
    return None


def _base_call(reader: TypedReader, node: Node) -> Expression | None:
    """Read `: Base(…)` of a class."""
    reader.new(text_of(child_of(node, "user_type")), child_of(node, "value_arguments"))
    return None


HANDLERS = {
    "annotation": h.nothing,
    "as_expression": h.cast("right", "left"),
    "call_expression": _call,
    "callable_reference": h.nothing,
    "catch_block": _catch,
    "class_parameters": h.nothing,
    "constructor_delegation_call": _constructor_call,
    "constructor_invocation": _base_call,
    "elvis_expression": h.first,
    "for_statement": _for,
    "function_body": _body,
    "function_value_parameters": h.nothing,
    "identifier": h.identifier,
    "if_expression": h.choice,
    "import": _import,
    "index_expression": h.index,
    "is_expression": _test,
    "lambda_parameters": h.nothing,
    "modifiers": h.nothing,
    "navigation_expression": _navigation,
    "number_literal": h.literal("int"),
    "package_header": h.nothing,
    "property_declaration": _property,
    "property_delegate": _delegate,
    "string_literal": h.literal("kotlin string"),
    "super_expression": h.super_,
    "this_expression": h.this,
    "type_test": h.nothing,
    "user_type": h.nothing,
    "nullable_type": h.nothing,
    "value_argument": h.last,
    "when_expression": h.choice,
}
