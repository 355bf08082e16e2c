"""Go code: which nodes declare, read and call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.codegraph.parsed import ParsedImport
from outcrop.codegraph.syntax_tree import child_of, text_of
from outcrop.codegraph.typed import handlers as h

if TYPE_CHECKING:
    from tree_sitter import Node

    from outcrop.codegraph.typed.reader import Expression, TypedReader

BLOCKS = frozenset({
    "block", "for_statement", "if_statement", "expression_switch_statement",
    "type_switch_statement", "expression_case", "default_case", "communication_case",
})  # fmt: skip


def _import(reader: TypedReader, node: Node) -> Expression | None:
    path = reader.field(node, "path").strip('"`')
    alias = reader.field(node, "name")
    if alias == ".":
        reader.imports.append(ParsedImport("*", path))
    elif alias != "_":
        reader.imports.append(ParsedImport(alias, path))
    return None


def _method(reader: TypedReader, node: Node) -> Expression | None:
    receiver = child_of(node.child_by_field_name("receiver"), "parameter_declaration")
    if receiver is not None:
        reader.declare(reader.field(receiver, "name"), reader.field(receiver, "type"))
    reader.visit(node.child_by_field_name("body"))
    return None


def _short(reader: TypedReader, node: Node) -> Expression | None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    values = reader.visit_all(right.named_children) if right is not None else []
    names = left.named_children if left is not None else []
    for position, name in enumerate(names):
        value = values[position] if len(values) == len(names) else None
        if len(values) == 1 and position == 0:
            value = values[0]
        reader.declare(reader.text(name), "", value)
    return None


def _var(reader: TypedReader, node: Node) -> Expression | None:
    type_ = reader.field(node, "type")
    value_node = node.child_by_field_name("value")
    values = reader.visit_all(value_node.named_children) if value_node else []
    if node.id in reader.places:
        return values[0] if values else None
    for position, name in enumerate(node.children_by_field_name("name")):
        value = values[position] if position < len(values) else None
        reader.declare(reader.text(name), type_, value)
    return None


def _range(reader: TypedReader, node: Node) -> Expression | None:
    source = reader.visit(node.child_by_field_name("right"))
    left = node.child_by_field_name("left")
    names = left.named_children if left is not None else []
    for position, name in enumerate(names):
        value = ("item", source) if source and position == 1 else None
        reader.declare(reader.text(name), "", value)
    return None


def _call(reader: TypedReader, node: Node) -> Expression | None:
    function = node.child_by_field_name("function")
    arguments = node.child_by_field_name("arguments")
    if function is not None and function.type == "parenthesized_expression":
        reader.visit(function)
        reader.arguments(arguments)
        return ("cast", reader.text(function).strip("()"))
    if reader.text(function) == "new" and arguments is not None:
        reader.call(("name", "new"), None)
        made = arguments.named_children
        return ("cast", reader.text(made[0])) if made else None
    return reader.call(reader.visit(function), arguments)


def _conversion(reader: TypedReader, node: Node) -> Expression | None:
    """Read `f[T](x)`, which looks like a conversion to a generic type."""
    type_ = node.child_by_field_name("type")
    if type_ is not None and type_.type == "generic_type":
        name = reader.field(type_, "type")
        callee: Expression = reader.name(name)
        if "." in name:
            package, _, last = name.partition(".")
            callee = ("get", reader.name(package), last)
        return reader.call(callee, node)
    reader.visit(node.child_by_field_name("operand"))
    return ("cast", reader.text(type_))


def _keyed(reader: TypedReader, node: Node) -> Expression | None:
    reader.visit(node.child_by_field_name("value") or node.named_children[-1])
    return None


def _type_switch(reader: TypedReader, node: Node) -> Expression | None:
    alias = node.child_by_field_name("alias")
    name = reader.text(alias.named_children[0]) if alias is not None else ""
    reader.visit(node.child_by_field_name("value"))
    for case in node.named_children:
        if case.type == "type_case":
            types = case.children_by_field_name("type")
            with reader.block():
                reader.declare(name, text_of(types[0]) if len(types) == 1 else "")
                reader.visit_all(c for c in case.named_children if c not in types)
        elif case.type == "default_case":
            with reader.block():
                reader.declare(name)
                reader.visit_all(case.named_children)
    return None


def _return(reader: TypedReader, node: Node) -> Expression | None:
    holder = node.named_children[0] if node.named_child_count else None
    if holder is not None:
        reader.visit_all(holder.named_children)
    return None


HANDLERS = {
    "call_expression": _call,
    "composite_literal": h.cast("type", "body"),
    "float_literal": h.literal("float64"),
    "identifier": h.identifier,
    "import_spec": _import,
    "index_expression": h.item("operand"),
    "int_literal": h.literal("int"),
    "interpreted_string_literal": h.literal("string"),
    "keyed_element": _keyed,
    "method_declaration": _method,
    "package_clause": h.nothing,
    "parameter_list": h.nothing,
    "range_clause": _range,
    "raw_string_literal": h.literal("string"),
    "return_statement": _return,
    "selector_expression": h.member("operand", "field"),
    "short_var_declaration": _short,
    "slice_expression": h.first,
    "type_assertion_expression": h.cast("type", "operand"),
    "type_conversion_expression": _conversion,
    "type_switch_statement": _type_switch,
    "var_spec": _var,
    "const_spec": _var,
}
