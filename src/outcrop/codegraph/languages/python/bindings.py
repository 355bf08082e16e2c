"""What binds Python names: assignment targets, and conditions on a name's type.

After `if isinstance(x, A)`, x is an A until the end of the body.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.codegraph.flow.constraints import (
    Narrow,
    ReadItem,
    WriteAttribute,
    WriteItem,
)
from outcrop.codegraph.flow.file_flow import INSTANCE_OF
from outcrop.codegraph.languages.python import expressions

if TYPE_CHECKING:
    from tree_sitter import Node

    from outcrop.codegraph.languages.python.reader import Reader
    from outcrop.codegraph.languages.python.scopes import Scope, Value


PATTERNS = frozenset({
    "pattern_list", "tuple_pattern", "list_pattern", "expression_list", "tuple", "list",
})  # fmt: skip
_SPLATS = frozenset({"list_splat_pattern", "list_splat"})


def bind(reader: Reader, target: Node, value: Value) -> None:
    """Bind a target to a value."""
    kind = target.type
    if kind == "identifier":
        reader.assign(reader.text(target), value)
    elif kind == "attribute":
        parts = target.named_children
        owner = reader.visit(parts[0])
        if isinstance(owner, int):
            src = value if isinstance(value, int) else None
            name, caller = reader.text(parts[-1]), reader.scope.caller
            reader.constrain(owner, WriteAttribute(name, src, caller))
    elif kind == "subscript":
        _bind_item(reader, target, value)
    elif kind in PATTERNS:
        _unpack(reader, target.named_children, value)
    elif kind in _SPLATS or kind in {"as_pattern_target", "parenthesized_expression"}:
        for child in target.named_children:
            bind(reader, child, value)


def _bind_item(reader: Reader, target: Node, value: Value) -> None:
    parts = target.named_children
    owner = reader.visit(parts[0])
    for part in parts[1:]:
        reader.visit(part)
    if isinstance(owner, int):
        key = expressions.item_key(reader, owner, parts[1]) if len(parts) > 1 else None
        src = value if isinstance(value, int) else None
        if key is not None and owner in reader.sites:
            reader.scope.items[owner, key] = src
        reader.constrain(owner, WriteItem(key, src, reader.scope.caller))


def _unpack(reader: Reader, targets: list[Node], value: Value) -> None:
    starred = False
    for position, target in enumerate(targets):
        if target.type in _SPLATS:
            starred = True
            rest = expressions.iterate(reader, value)
            bind(reader, target, expressions.container(reader, "list", [(None, rest)]))
            continue
        item: Value = None
        if isinstance(value, int):
            item = reader.new_variable()
            key = position - len(targets) if starred else position
            reader.constrain(value, ReadItem(item, key, reader.scope.caller))
        bind(reader, target, item)


def bind_pairs(reader: Reader, target: Node, values: list[Value]) -> None:
    """Bind a pattern to as many values as a display on the right side has."""
    targets = target.named_children
    star = next((i for i, t in enumerate(targets) if t.type in _SPLATS), None)
    if star is None:
        for one, value in zip(targets, values, strict=False):
            bind(reader, one, value)
        return
    after = len(targets) - star - 1
    middle = values[star : len(values) - after]
    for one, value in zip(targets[:star], values, strict=False):
        bind(reader, one, value)
    items = list(enumerate(middle))
    bind(reader, targets[star], expressions.container(reader, "list", list(items)))
    tail = values[len(values) - after :] if after else []
    for one, value in zip(targets[star + 1 :], tail, strict=False):
        bind(reader, one, value)


_ASSIGNING = frozenset({"assignment", "augmented_assignment", "for_statement"})
_NAMING = frozenset({"as_pattern_target", "named_expression"})
_DEFINING = frozenset({"function_definition", "class_definition", "lambda"})
_HOLDING = frozenset({
    "as_pattern", "block", "case_clause", "decorated_definition", "elif_clause",
    "else_clause", "except_clause", "except_group_clause", "expression_statement",
    "finally_clause", "for_statement", "if_statement", "match_statement",
    "try_statement", "while_statement", "with_clause", "with_item", "with_statement",
})  # fmt: skip
"""Statements, and what may bind names without being an expression."""


def assigned_names(reader: Reader, node: Node) -> frozenset[str]:
    """Return the names that code assigns, nested functions left aside."""
    names: set[str] = set()
    pending = [node]
    while pending:
        current = pending.pop()
        kind = current.type
        if kind in _ASSIGNING:
            target = current.child_by_field_name("left")
            if target is not None:
                _collect(reader, target, names)
        elif kind in _NAMING:
            _collect(reader, current, names)
        elif kind in _DEFINING:
            name = current.child_by_field_name("name")
            if name is not None:
                names.add(reader.text(name))
            continue
        if kind in _HOLDING or reader.has_walrus:
            pending.extend(current.named_children)
    return frozenset(names)


def _collect(reader: Reader, target: Node, names: set[str]) -> None:
    if target.type == "identifier":
        names.add(reader.text(target))
    elif target.type == "named_expression":
        names.add(reader.text(target.named_children[0]))
    elif target.type in PATTERNS or target.type in {
        "as_pattern_target",
        "list_splat_pattern",
    }:
        for child in target.named_children:
            _collect(reader, child, names)


_ARGUMENTS = 2


def narrow(
    reader: Reader, condition: Node | None, body: Node
) -> list[tuple[str, int, int]]:
    """Bind the names that a condition which holds tells something about.

    Returns:
        (name, variable it was bound to, variable it is bound to in the body).
    """
    if condition is None or not reader.has_isinstance:
        return []
    calls = [part for part in _conjuncts(condition) if part.type == "call"]
    found = (_narrow_one(reader, call, body) for call in calls)
    return [one for one in found if one is not None]


def widen(scope: Scope, narrowed: list[tuple[str, int, int]]) -> None:
    """Give the names back what they were bound to, unless they were bound again."""
    for name, held, inside in narrowed:
        if scope.env.get(name) == inside:
            scope.env[name] = held


def _conjuncts(node: Node) -> list[Node]:
    """Return the parts that all hold where a condition does."""
    if node.type == "parenthesized_expression" and node.named_child_count:
        return _conjuncts(node.named_children[0])
    operator = node.child_by_field_name("operator")
    if node.type == "boolean_operator" and operator and operator.type == "and":
        return [part for child in node.named_children for part in _conjuncts(child)]
    return [node]


def _narrow_one(reader: Reader, call: Node, body: Node) -> tuple[str, int, int] | None:
    parts = call.named_children
    if len(parts) != _ARGUMENTS or reader.text(parts[0]) != "isinstance":
        return None
    given = [node for node in parts[1].named_children if node.type != "comment"]
    if len(given) != _ARGUMENTS or given[0].type != "identifier":
        return None
    name = reader.text(given[0])
    held = reader.scope.env.get(name)
    # What scope and imports bind for certain, needs no narrowing.
    if not isinstance(held, int) or held in reader.origins or name in reader.written:
        return None
    scope = reader.scope
    if name in scope.looping and name in assigned_names(reader, body):
        return None
    classes = [reader.visit(node) for node in _classes(given[1])]
    variables = [value for value in classes if isinstance(value, int)]
    if not variables or len(variables) < len(classes):
        return None
    narrowed = reader.new_variable()
    reader.joined.append(narrowed)
    reader.constrain(held, Narrow(narrowed, tuple(variables)))
    reader.declared.extend((narrowed, variable, INSTANCE_OF) for variable in variables)
    scope.env[name] = narrowed
    if held in scope.parameters:
        scope.parameters[narrowed] = scope.parameters[held]
    return name, held, narrowed


def _classes(node: Node) -> list[Node]:
    if node.type == "tuple":
        return [child for child in node.named_children if child.type != "comment"]
    return [node]
