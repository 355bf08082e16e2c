"""Python functions and lambdas: parameters, receivers, bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.codegraph.flow.file_flow import (
    DOUBLE_STAR,
    KEYWORD,
    PLAIN,
    STAR,
    ClassReceiver,
    FunctionFlow,
    ParameterFlow,
    Receiver,
)
from outcrop.codegraph.languages.python.annotations import declare
from outcrop.codegraph.languages.python.literals import literal_cell
from outcrop.codegraph.languages.python.scopes import Scope

if TYPE_CHECKING:
    from tree_sitter import Node

    from outcrop.codegraph.languages.python.reader import Reader

_CLASS_METHODS = frozenset({"__new__", "__init_subclass__", "__class_getitem__"})


def define(reader: Reader, node: Node, symbol: int, kind: str) -> None:
    """Read a function: its parameters now, its body after the enclosing scope."""
    outer = reader.scope
    scope = Scope(symbol, symbol, outer)
    scope.result = result = reader.cell()
    scope.self_cell = None if outer.is_class else outer.self_cell
    scope.class_symbol = None if outer.is_class else outer.class_symbol
    is_lambda = node.type == "lambda"
    body = node.child_by_field_name("body")
    if not is_lambda and body is not None and _has_yield(reader, body):
        scope.yields = reader.cell()
    written = reader.symbols[symbol].parameters
    parameters = node.child_by_field_name("parameters")
    found = _parameters(reader, parameters, scope) if parameters is not None else []
    if outer.is_class and found:
        kind = _receive(reader, scope, outer.symbol, found, kind, symbol)
    returns = None if is_lambda else node.child_by_field_name("return_type")
    if returns is not None and scope.yields is None:
        declare(reader, result, returns, binding=True)
    required = sum(not p.optional and not p.variadic for p in written)
    for position, (_, cell, parameter_kind) in enumerate(found):
        if parameter_kind in {PLAIN, KEYWORD}:
            scope.parameters[cell] = position
    reader.functions[symbol] = FunctionFlow(
        kind, tuple(found), result, scope.yields, required, scope.passed
    )
    if body is not None:
        reader.deferred.append(lambda: _read_body(reader, scope, body))


def _read_body(reader: Reader, scope: Scope, body: Node) -> None:
    reader.scope = scope
    if body.type == "block":
        reader.block(body)
    else:
        reader.give_back(reader.visit(body))
    reader.scope = reader.module


def _receive(
    reader: Reader, scope: Scope, owner: int, found: list[ParameterFlow],
    kind: str, symbol: int,
) -> str:  # fmt: skip
    """Put the receiver into a method's first parameter; return the method's kind."""
    if kind == "static":
        return kind
    if reader.symbols[symbol].name in _CLASS_METHODS:
        kind = "class"
    _, cell, parameter_kind = found[0]
    if parameter_kind == PLAIN:
        is_class = kind == "class"
        reader.origins[cell] = ClassReceiver(owner) if is_class else Receiver(owner)
        scope.self_cell = cell
        scope.class_symbol = owner
    return "method" if kind == "function" else kind


def _parameters(reader: Reader, node: Node, scope: Scope) -> list[ParameterFlow]:
    found: list[ParameterFlow] = []
    kind = PLAIN
    for child in node.named_children:
        if child.type == "keyword_separator":
            kind = KEYWORD
            continue
        name_node, this_kind = _name_of(child, kind)
        if name_node is None:
            continue
        if this_kind == STAR:
            kind = KEYWORD
        name, cell = reader.text(name_node), reader.cell()
        default = child.child_by_field_name("value")
        if default is not None:
            value = reader.visit(default)
            reader.copy(value, cell)
            if not isinstance(value, int):
                reader.defaults.append((literal_cell(reader, default), cell))
        annotation = child.child_by_field_name("type")
        if annotation is not None and this_kind in {PLAIN, KEYWORD}:
            declare(reader, cell, annotation, binding=True)
        scope.bind(name, cell)
        reader.joined.append(cell)
        found.append(ParameterFlow(name, cell, this_kind))
    return found


def _name_of(node: Node, kind: int) -> tuple[Node | None, int]:
    """Return the identifier of a parameter and its kind."""
    if node.type == "identifier":
        return node, kind
    if node.type in {"list_splat_pattern", "dictionary_splat_pattern"}:
        kind = STAR if node.type.startswith("list") else DOUBLE_STAR
        inner = node.named_children[0] if node.named_child_count else None
        return inner, kind
    if node.type in {"default_parameter", "typed_default_parameter"}:
        return node.child_by_field_name("name"), kind
    if node.type == "typed_parameter" and node.named_child_count:
        return _name_of(node.named_children[0], kind)
    return None, kind


def _has_yield(reader: Reader, body: Node) -> bool:
    if reader.data.find(b"yield", body.start_byte, body.end_byte) < 0:
        return False
    pending = [body]
    while pending:
        node = pending.pop()
        if node.type == "yield":
            return True
        if node.type not in {"function_definition", "lambda", "class_definition"}:
            pending.extend(node.named_children)
    return False
