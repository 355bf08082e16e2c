"""Python statements: bindings, branches, loops and definitions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.codegraph.flow.constraints import Enter, Instantiate, Raise
from outcrop.codegraph.languages.python import definitions
from outcrop.codegraph.languages.python.annotations import declare
from outcrop.codegraph.languages.python.bindings import (
    PATTERNS,
    assigned_names,
    bind_pairs,
    narrow,
    widen,
)
from outcrop.codegraph.languages.python.expressions import iterate, operate
from outcrop.codegraph.languages.python.scopes import literal_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Node

    from outcrop.codegraph.languages.python.reader import Reader
    from outcrop.codegraph.languages.python.scopes import Value

_AUGMENTED = {
    "+=": ("__iadd__", "__add__"), "-=": ("__isub__", "__sub__"),
    "*=": ("__imul__", "__mul__"), "|=": ("__ior__", "__or__"),
    "&=": ("__iand__", "__and__"), "/=": ("__itruediv__", "__truediv__"),
}  # fmt: skip
ENDINGS = frozenset({
    "return_statement", "raise_statement", "continue_statement", "break_statement",
})  # fmt: skip
"""Statements after which the end of their block is not reached."""


def _expression_statement(reader: Reader, node: Node) -> None:
    for child in node.named_children:
        kind = child.type
        if kind == "assignment":
            _assignment(reader, child)
        elif kind == "augmented_assignment":
            _augmented(reader, child)
        elif kind != "string":
            reader.visit(child)


def _assignment(reader: Reader, node: Node) -> Value:
    left = node.child_by_field_name("left")
    right = node.child_by_field_name("right")
    annotation = node.child_by_field_name("type")
    if left is None:
        return None
    if right is None:
        if annotation is not None and left.type == "identifier":
            _declare(reader, left, annotation)
        return None
    if right.type == "assignment":
        value = _assignment(reader, right)
        reader.bind(left, value)
        return value
    if (
        left.type in PATTERNS
        and right.type in {"expression_list", "tuple", "list"}
        and all(child.type != "list_splat" for child in right.named_children)
    ):
        values = [reader.visit(child) for child in right.named_children]
        bind_pairs(reader, left, values)
        return None
    value = reader.visit(right)
    if left.type == "identifier" and not isinstance(value, int):
        value = literal_of(reader, right, value)
    elif annotation is not None and isinstance(value, int):
        declare(reader, value, annotation)
    reader.bind(left, value)
    return value


def _declare(reader: Reader, left: Node, annotation: Node) -> None:
    """Read `name: Type`, which says what the name will hold."""
    variable = reader.new_variable()
    if declare(reader, variable, annotation):
        reader.joined.append(variable)
        reader.assign(reader.text(left), variable)


def _augmented(reader: Reader, node: Node) -> None:
    left = node.child_by_field_name("left")
    right = node.child_by_field_name("right")
    operator = node.child_by_field_name("operator")
    if left is None or right is None or operator is None:
        return
    old, new = reader.visit(left), reader.visit(right)
    if not isinstance(old, int):
        return
    result: Value = old
    for method in _AUGMENTED.get(operator.type, ()):
        operate(reader, old, method, new)
    if isinstance(new, int):
        result = reader.join([old, new])
    reader.bind(left, result)


def _if(reader: Reader, node: Node) -> None:
    scope = reader.scope
    condition = node.child_by_field_name("condition")
    if condition is not None:
        reader.visit(condition)
    ends: list[dict[str, Value]] = []
    before = scope.env
    exhaustive = False
    test: Node | None
    for branch in node.children:
        if branch.type == "block":
            body, test = branch, condition
        elif branch.type == "elif_clause":
            scope.env = dict(before)
            test = branch.child_by_field_name("condition")
            if test is not None:
                reader.visit(test)
            before = scope.env
            body = branch.child_by_field_name("consequence") or branch
        elif branch.type == "else_clause":
            exhaustive = True
            body, test = branch.child_by_field_name("body") or branch, None
        else:
            continue
        scope.env = dict(before)
        narrowed = narrow(reader, test, body)
        if not reader.block(body):
            widen(scope, narrowed)
            ends.append(scope.env)
    if not exhaustive:
        ends.append(before)
    scope.env = merge(reader, ends) if ends else dict(before)


def merge(reader: Reader, ends: list[dict[str, Value]]) -> dict[str, Value]:
    """Return what names hold where branches meet."""
    first = ends[0]
    if len(ends) == 1:
        return first
    known = first.items()
    # Mostly branches leave nearly all names alone, which sets of pairs tell at once.
    differing = {name for env in ends[1:] for name, _ in known ^ env.items()}
    merged = dict(first)
    for name in sorted(differing):
        joined = reader.join([env[name] for env in ends if name in env])
        merged[name] = joined
        if isinstance(joined, int):
            reader.scope.bind(name, joined)
    return merged


def _loop(reader: Reader, node: Node) -> None:
    scope = reader.scope
    source: Value = None
    right = node.child_by_field_name("right")
    condition = node.child_by_field_name("condition")
    left = node.child_by_field_name("left")
    if right is not None:
        source = iterate(reader, reader.visit(right))
    names = assigned_names(reader, node)
    for name in sorted(names - scope.looping):
        if name in scope.global_names:
            continue
        old = scope.env.get(name)
        variable = reader.join_into(reader.new_variable(), [old])
        scope.env = {**scope.env}
        scope.bind(name, variable)
    outer, scope.looping = scope.looping, scope.looping | names
    if left is not None:
        reader.bind(left, source)
    if condition is not None:
        reader.visit(condition)
    before = dict(scope.env)
    body = node.child_by_field_name("body")
    if body is not None:
        reader.block(body)
    scope.env = merge(reader, [before, scope.env])
    scope.looping = outer
    alternative = node.child_by_field_name("alternative")
    if alternative is not None:
        reader.block(alternative.child_by_field_name("body") or alternative)


def _try(reader: Reader, node: Node) -> None:
    scope = reader.scope
    before = dict(scope.env)
    ends: list[dict[str, Value]] = []
    body_end = before
    ended = False
    for child in node.named_children:
        kind = child.type
        if kind == "block":
            ended = reader.block(child)
            body_end = dict(scope.env)
        elif kind == "else_clause":
            ended = reader.block(child.child_by_field_name("body") or child)
        elif kind in {"except_clause", "except_group_clause"}:
            if not ends and not ended:
                ends.append(scope.env)
            scope.env = merge(reader, [dict(before), dict(body_end)])
            if not _except(reader, child):
                ends.append(scope.env)
        elif kind == "finally_clause":
            scope.env = merge(reader, ends) if ends else scope.env
            ends = []
            reader.block(next((c for c in child.children if c.type == "block"), child))
    if ends:
        scope.env = merge(reader, ends)


def _except(reader: Reader, node: Node) -> bool:
    ended = False
    for child in node.named_children:
        if child.type == "block":
            ended = reader.block(child)
        elif child.type == "as_pattern":
            parts = child.named_children
            classes, alias = parts[0], parts[-1]
            value = reader.visit(classes)
            if classes.type == "tuple":
                value = iterate(reader, value)
            instance: Value = None
            if isinstance(value, int):
                instance = reader.new_variable()
                reader.constrain(value, Instantiate(instance))
            reader.bind(alias, instance)
        else:
            reader.visit(child)
    return ended


def _with(reader: Reader, node: Node) -> None:
    for clause in node.named_children:
        if clause.type == "with_clause":
            for item in clause.named_children:
                _with_item(reader, item)
        elif clause.type == "block":
            reader.block(clause)


def _with_item(reader: Reader, item: Node) -> None:
    value_node = item.child_by_field_name("value") or item
    alias = None
    if value_node.type == "as_pattern":
        alias = value_node.child_by_field_name("alias")
        value_node = value_node.named_children[0]
    value = reader.visit(value_node)
    entered: Value = None
    if isinstance(value, int):
        entered = reader.new_variable()
        reader.constrain(value, Enter(entered, reader.scope.caller))
    if alias is not None:
        reader.bind(alias, entered)


def _return(reader: Reader, node: Node) -> None:
    for child in node.named_children:
        reader.give_back(reader.visit(child))


def _raise(reader: Reader, node: Node) -> None:
    for child in node.named_children:
        value = reader.visit(child)
        if isinstance(value, int):
            reader.constrain(value, Raise(reader.scope.caller))
            reader.calls[value, reader.scope.caller, True] = None


def _global(reader: Reader, node: Node) -> None:
    names = [reader.text(child) for child in node.named_children]
    if node.type == "global_statement":
        reader.scope.global_names.update(names)
    else:
        reader.scope.outer_names.update(names)


def _match(reader: Reader, node: Node) -> None:
    scope = reader.scope
    subject = node.child_by_field_name("subject")
    value = reader.visit(subject) if subject is not None else None
    before = scope.env
    ends = [before]
    body = node.child_by_field_name("body")
    for case in body.named_children if body is not None else []:
        scope.env = dict(before)
        for child in case.named_children:
            if child.type == "case_pattern":
                _pattern(reader, child, value)
            elif child.type == "block":
                if not reader.block(child):
                    ends.append(scope.env)
            else:
                reader.visit(child)
    scope.env = merge(reader, ends)


def _pattern(reader: Reader, node: Node, value: Value) -> None:
    for child in node.named_children:
        if child.type == "dotted_name" and child.named_child_count == 1:
            reader.assign(reader.text(child), value)
        elif child.type == "as_pattern":
            names = [c for c in child.named_children if c.type == "identifier"]
            for name in names:
                reader.assign(reader.text(name), value)


def _nothing(reader: Reader, node: Node) -> None:
    del reader, node


HANDLERS: dict[str, Callable[[Reader, Node], None]] = {
    "class_definition": definitions.define_class,
    "comment": _nothing,
    "decorated_definition": definitions.define_decorated,
    "expression_statement": _expression_statement,
    "for_statement": _loop,
    "function_definition": definitions.define_function,
    "future_import_statement": _nothing,
    "global_statement": _global,
    "if_statement": _if,
    "import_from_statement": definitions.read_from,
    "import_statement": definitions.read_import,
    "match_statement": _match,
    "nonlocal_statement": _global,
    "pass_statement": _nothing,
    "raise_statement": _raise,
    "return_statement": _return,
    "try_statement": _try,
    "type_alias_statement": _nothing,
    "while_statement": _loop,
    "with_statement": _with,
}
"""How each type of statement is read; all others are expressions."""
