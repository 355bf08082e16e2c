"""Rust code: which nodes declare, read, call and import."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.codegraph.names import bounded_name
from outcrop.codegraph.parsed import ParsedImport
from outcrop.codegraph.typed import handlers as h

if TYPE_CHECKING:
    from tree_sitter import Node

    from outcrop.codegraph.typed.reader import Expression, TypedReader

BLOCKS = frozenset({
    "block", "match_arm", "if_expression", "while_expression", "for_expression",
    "declaration_list",
})  # fmt: skip


def _use(reader: TypedReader, node: Node) -> Expression | None:
    argument = node.child_by_field_name("argument")
    public = any(child.type == "visibility_modifier" for child in node.children)
    if argument is not None:
        _imports(reader, argument, "", "pub" if public else "")
    return None


def _imports(reader: TypedReader, node: Node, prefix: str, mark: str) -> None:
    """Flatten a tree of imports into one fact a name."""
    kind = node.type
    if kind == "use_list":
        for child in node.named_children:
            _imports(reader, child, prefix, mark)
    elif kind == "scoped_use_list":
        path = bounded_name(_join(prefix, reader.field(node, "path")))
        for child in node.children_by_field_name("list"):
            _imports(reader, child, path, mark)
    elif kind == "use_as_clause":
        path = _join(prefix, reader.field(node, "path"))
        reader.imports.append(ParsedImport(reader.field(node, "alias"), path, mark))
    elif kind == "use_wildcard":
        inner = reader.text(node.named_children[0]) if node.named_child_count else ""
        reader.imports.append(ParsedImport("*", _join(prefix, inner), mark))
    elif kind == "self":
        alias = prefix.rpartition("::")[2]
        reader.imports.append(ParsedImport(alias, prefix, mark))
    elif kind in {"identifier", "scoped_identifier", "crate", "super"}:
        path = _join(prefix, reader.text(node))
        reader.imports.append(ParsedImport(path.rpartition("::")[2], path, mark))


def _join(prefix: str, path: str) -> str:
    return f"{prefix}::{path}" if prefix and path else prefix or path


def _impl(reader: TypedReader, node: Node) -> Expression | None:
    trait = node.child_by_field_name("trait")
    if trait is not None:
        type_ = reader.field(node, "type")
        owner = str(reader.symbol)
        reader.exports.append((type_, reader.text(trait), owner))
    reader.visit(node.child_by_field_name("body"))
    return None


def _scoped(reader: TypedReader, node: Node) -> Expression | None:
    path = node.child_by_field_name("path")
    name = reader.field(node, "name")
    if path is None:
        return ("name", name)
    if path.type in {"crate", "super", "self"}:
        owner: Expression | None = ("name", path.type)
    elif path.type == "bracketed_type":
        owner = ("typeof", ("cast", reader.text(path).strip("<>").partition(" as ")[0]))
    elif path.type == "generic_type":
        owner = ("name", reader.field(path, "type"))
    else:
        owner = reader.visit(path)
    return ("get", owner or ("unknown",), name)


def _type_name(reader: TypedReader, node: Node) -> Expression | None:
    return ("name", reader.text(node))


def _let(reader: TypedReader, node: Node) -> Expression | None:
    value = reader.visit(node.child_by_field_name("value"))
    pattern = node.child_by_field_name("pattern")
    if pattern is not None:
        bind(reader, pattern, reader.field(node, "type"), value)
    reader.visit(node.child_by_field_name("alternative"))
    return None


def bind(
    reader: TypedReader, pattern: Node, type_: str, value: Expression | None
) -> None:
    """Declare the names of a pattern."""
    kind = pattern.type
    if kind == "identifier":
        reader.declare(reader.text(pattern), type_, value)
    elif kind == "tuple_struct_pattern":
        wrapper = reader.field(pattern, "type")
        inner = ("unwrap", value) if value and wrapper in {"Some", "Ok"} else None
        for child in pattern.named_children[1:]:
            bind(reader, child, "", inner)
    elif kind in {"mut_pattern", "ref_pattern", "reference_pattern", "match_pattern"}:
        for child in pattern.named_children:
            bind(reader, child, type_, value)
    elif kind == "struct_pattern":
        _bind_fields(reader, pattern, value)
    elif kind in {"tuple_pattern", "slice_pattern", "or_pattern", "captured_pattern"}:
        for child in pattern.named_children:
            bind(reader, child, "", None)


def _bind_fields(reader: TypedReader, pattern: Node, value: Expression | None) -> None:
    for field in pattern.named_children:
        if field.type != "field_pattern":
            continue
        name = reader.field(field, "name")
        inner = field.child_by_field_name("pattern")
        found = ("get", value, name) if value else None
        if inner is not None:
            bind(reader, inner, "", found)
        else:
            reader.declare(name, "", found)


def _for(reader: TypedReader, node: Node) -> Expression | None:
    source = reader.visit(node.child_by_field_name("value"))
    pattern = node.child_by_field_name("pattern")
    with reader.block():
        if pattern is not None:
            bind(reader, pattern, "", ("item", source) if source else None)
        reader.visit(node.child_by_field_name("body"))
    return None


def _match(reader: TypedReader, node: Node) -> Expression | None:
    value = reader.visit(node.child_by_field_name("value"))
    body = node.child_by_field_name("body")
    results = []
    for arm in body.named_children if body is not None else []:
        with reader.block():
            pattern = arm.child_by_field_name("pattern")
            if pattern is not None:
                bind(reader, pattern, "", value)
            results.append(reader.visit(arm.child_by_field_name("value")))
    return next((result for result in results if result), None)


def _macro(reader: TypedReader, node: Node) -> Expression | None:
    """Read the calls inside a macro's tokens, which the grammar leaves apart."""
    name = reader.field(node, "macro")
    reader.calls.append((reader.symbol, ("call", ("name", f"{name}!"), ())))
    for child in node.named_children:
        if child.type == "token_tree":
            _tokens(reader, child)
    return ("lit", "string") if name == "format" else None


def _tokens(reader: TypedReader, tree: Node) -> None:
    chain: Expression | None = None
    joined = False
    for token in tree.children:
        text = reader.text(token)
        if token.type in {"identifier", "self"}:
            if chain is not None and joined:
                chain = ("get", chain, text)
            else:
                chain = ("this",) if text == "self" else reader.name(text)
            joined = False
        elif text in {".", "::"}:
            joined = True
        elif token.type == "token_tree":
            if chain is not None and text.startswith("("):
                chain = ("call", chain, ())
                reader.calls.append((reader.symbol, chain))
            else:
                chain = None
            _tokens(reader, token)
        else:
            chain, joined = None, False


def _value_of_block(reader: TypedReader, node: Node) -> Expression | None:
    """Read a block, whose last expression is its value."""
    with reader.block():
        values = reader.visit_all(node.named_children)
    children = node.named_children
    if children and not children[-1].type.endswith(("statement", "declaration")):
        return values[-1]
    return None


def _branches(reader: TypedReader, node: Node) -> Expression | None:
    with reader.block():
        reader.visit(node.child_by_field_name("condition"))
        value = reader.visit(node.child_by_field_name("consequence"))
    reader.visit(node.child_by_field_name("alternative"))
    return value


def _inner_type(reader: TypedReader, node: Node) -> Expression | None:
    return ("name", reader.field(node, "type"))


HANDLERS = {
    "attribute_item": h.nothing,
    "await_expression": h.unwrap,
    "block": _value_of_block,
    "call_expression": h.call("function", "arguments"),
    "const_item": h.part("value"),
    "enum_variant_list": h.nothing,
    "field_declaration_list": h.nothing,
    "field_expression": h.member("value", "field"),
    "field_initializer": h.part("value"),
    "for_expression": _for,
    "generic_function": h.part("function"),
    "generic_type": _inner_type,
    "identifier": h.identifier,
    "if_expression": _branches,
    "impl_item": _impl,
    "index_expression": h.index,
    "let_condition": _let,
    "let_declaration": _let,
    "macro_invocation": _macro,
    "match_expression": _match,
    "parameters": h.nothing,
    "closure_parameters": h.nothing,
    "scoped_identifier": _scoped,
    "self": h.this,
    "static_item": h.part("value"),
    "string_literal": h.literal("string"),
    "struct_expression": h.cast("name", "body"),
    "try_expression": h.unwrap,
    "type_cast_expression": h.cast("type", "value"),
    "type_identifier": _type_name,
    "use_declaration": _use,
}
