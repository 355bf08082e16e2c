"""JavaScript and TypeScript code: which nodes declare, read, call and export."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.codegraph.parsed import ParsedImport
from outcrop.codegraph.syntax_tree import child_of, children_of, text_of
from outcrop.codegraph.typed import handlers as h

if TYPE_CHECKING:
    from tree_sitter import Node

    from outcrop.codegraph.typed.reader import Expression, TypedReader

BLOCKS = frozenset({
    "statement_block", "for_statement", "catch_clause", "class_body", "switch_body",
})  # fmt: skip
_QUOTES = "'\"`"


def _path(node: Node | None) -> str:
    return text_of(node).strip(_QUOTES)


def _import(reader: TypedReader, node: Node) -> Expression | None:
    path = _path(node.child_by_field_name("source"))
    clause = child_of(node, "import_clause")
    for part in clause.named_children if clause is not None else []:
        if part.type == "identifier":
            reader.imports.append(ParsedImport(reader.text(part), path, "default"))
        elif part.type == "namespace_import":
            alias = reader.text(part.named_children[-1])
            reader.imports.append(ParsedImport(alias, path))
        elif part.type == "named_imports":
            for one in children_of(part, "import_specifier"):
                name = reader.field(one, "name")
                alias = reader.field(one, "alias") or name
                reader.imports.append(ParsedImport(alias, path, name))
    return None


def _export(reader: TypedReader, node: Node) -> Expression | None:
    path = _path(node.child_by_field_name("source"))
    clause = child_of(node, "export_clause")
    for one in children_of(clause, "export_specifier"):
        name = reader.field(one, "name")
        reader.exports.append((reader.field(one, "alias") or name, path, name))
    namespace = child_of(node, "namespace_export")
    if namespace is not None:
        reader.exports.append((reader.text(namespace.named_children[-1]), path, ""))
    elif child_of(node, "*") is not None:
        reader.exports.append(("*", path, ""))
    declaration = node.child_by_field_name("declaration")
    value = node.child_by_field_name("value")
    if child_of(node, "default") is not None:
        name = reader.field(declaration, "name") if declaration is not None else ""
        if value is not None and value.type == "identifier":
            name = reader.text(value)
        if name:
            reader.exports.append(("default", "", name))
    reader.visit(declaration)
    reader.visit(value)
    return None


def _required(reader: TypedReader, node: Node | None) -> tuple[str, str] | None:
    """Return (path, member) of `require("path").member`."""
    if node is None:
        return None
    if node.type == "member_expression":
        found = _required(reader, node.child_by_field_name("object"))
        return (found[0], reader.field(node, "property")) if found else None
    if node.type == "call_expression" and reader.field(node, "function") == "require":
        arguments = node.child_by_field_name("arguments")
        named = arguments.named_children if arguments is not None else []
        if len(named) == 1 and named[0].type == "string":
            return _path(named[0]), ""
    return None


def _declarator(reader: TypedReader, node: Node) -> Expression | None:
    name = node.child_by_field_name("name")
    value_node = node.child_by_field_name("value")
    if name is None:
        return None
    required = _required(reader, value_node)
    if required is not None:
        path, member = required
        if name.type == "identifier":
            reader.imports.append(ParsedImport(reader.text(name), path, member or "="))
        else:
            for alias, key in _pattern(reader, name):
                reader.imports.append(ParsedImport(alias, path, key))
        return None
    value = reader.visit(value_node)
    if name.type == "identifier":
        is_function = value_node is not None and value_node.id in reader.places
        if is_function or node.id in reader.places:
            return value
        reader.declare(reader.text(name), reader.field(node, "type"), value)
    else:
        for alias, key in _pattern(reader, name):
            item = ("get", value, key) if value and key else None
            reader.declare(alias, "", item)
    return value


def _pattern(reader: TypedReader, node: Node) -> list[tuple[str, str]]:
    """Return (local name, member) for each name in `{ a, b: c }`."""
    found = []
    for child in node.named_children:
        if child.type == "shorthand_property_identifier_pattern":
            found.append((reader.text(child), reader.text(child)))
        elif child.type == "pair_pattern":
            value = child.child_by_field_name("value")
            if value is not None and value.type == "identifier":
                found.append((reader.text(value), reader.field(child, "key")))
        elif child.type == "identifier":
            found.append((reader.text(child), ""))
    return found


def _for_in(reader: TypedReader, node: Node) -> Expression | None:
    source = reader.visit(node.child_by_field_name("right"))
    left = node.child_by_field_name("left")
    operator = node.child_by_field_name("operator")
    if left is not None and left.type == "identifier":
        is_of = operator is not None and operator.type == "of"
        value = ("item", source) if source and is_of else None
        reader.declare(reader.text(left), "", value)
    reader.visit(node.child_by_field_name("body"))
    return None


def _assignment(reader: TypedReader, node: Node) -> Expression | None:
    left = node.child_by_field_name("left")
    right = node.child_by_field_name("right")
    value = reader.visit(right)
    if left is None:
        return value
    text = reader.text(left)
    if text == "module.exports":
        _module_exports(reader, right)
    elif left.type == "member_expression":
        owner = left.child_by_field_name("object")
        name = reader.field(left, "property")
        if reader.text(owner) in {"exports", "module.exports"} and right is not None:
            local = reader.text(right) if right.type == "identifier" else name
            reader.exports.append((name, "", local))
        elif reader.text(owner) == "this" and value is not None:
            _set_field(reader, name, value)
        else:
            reader.visit(left)
    return value


def _set_field(reader: TypedReader, name: str, value: Expression) -> None:
    symbol = reader.symbol
    while symbol > 0 and reader.symbols[symbol].kind != "CLASS":
        symbol = reader.symbols[symbol].parent
    reader.assign(symbol, name, value)


def _module_exports(reader: TypedReader, right: Node | None) -> None:
    if right is None:
        return
    if right.type == "identifier":
        reader.exports.append(("=", "", reader.text(right)))
    for part in right.named_children if right.type == "object" else []:
        if part.type == "shorthand_property_identifier":
            reader.exports.append((reader.text(part), "", reader.text(part)))
        elif part.type == "pair":
            value = part.child_by_field_name("value")
            if value is not None and value.type == "identifier":
                key = reader.field(part, "key")
                reader.exports.append((key, "", reader.text(value)))


def _new(reader: TypedReader, node: Node) -> Expression | None:
    made = node.child_by_field_name("constructor")
    type_ = reader.text(made) + text_of(child_of(node, "type_arguments"))
    if made is not None and made.type == "identifier":
        known = reader.name(reader.text(made))
        if known[0] == "var":
            return reader.call(known, node.child_by_field_name("arguments"))
    return reader.new(type_, node.child_by_field_name("arguments"))


def _call(reader: TypedReader, node: Node) -> Expression | None:
    function = node.child_by_field_name("function")
    arguments = node.child_by_field_name("arguments")
    if function is not None and function.type == "super":
        return reader.call(("typeof", ("super",)), arguments)
    if function is not None and function.type == "import":
        reader.arguments(arguments)
        return None
    return reader.call(reader.visit(function), arguments)


def _return(reader: TypedReader, node: Node) -> Expression | None:
    reader.give(reader.walk(node))
    return None


def _arrow(reader: TypedReader, node: Node) -> Expression | None:
    body = node.child_by_field_name("body")
    value = reader.visit(body)
    if body is not None and body.type != "statement_block":
        reader.give(value)
    return None


def _cast(reader: TypedReader, node: Node) -> Expression | None:
    reader.visit(node.named_children[0])
    return ("cast", reader.text(node.named_children[-1]))


def _catch(reader: TypedReader, node: Node) -> Expression | None:
    reader.declare(reader.field(node, "parameter"))
    reader.visit(node.child_by_field_name("body"))
    return None


HANDLERS = {
    "array": h.literal("array"),
    "arrow_function": _arrow,
    "as_expression": _cast,
    "assignment_expression": _assignment,
    "await_expression": h.unwrap,
    "call_expression": _call,
    "catch_clause": _catch,
    "comment": h.nothing,
    "decorator": h.nothing,
    "export_statement": _export,
    "false": h.literal("boolean"),
    "field_definition": h.part("value"),
    "for_in_statement": _for_in,
    "formal_parameters": h.nothing,
    "identifier": h.identifier,
    "import_statement": _import,
    "member_expression": h.member("object", "property"),
    "new_expression": _new,
    "non_null_expression": h.first,
    "number": h.literal("number"),
    "public_field_definition": h.part("value"),
    "return_statement": _return,
    "string": h.literal("string"),
    "subscript_expression": h.item("object"),
    "super": h.super_,
    "template_string": h.literal("string"),
    "ternary_expression": h.choice,
    "this": h.this,
    "true": h.literal("boolean"),
    "type_annotation": h.nothing,
    "type_arguments": h.nothing,
    "variable_declarator": _declarator,
}
