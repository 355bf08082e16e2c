"""The names that a piece of Python code assigns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.codegraph.languages.python import targets

if TYPE_CHECKING:
    from tree_sitter import Node

    from outcrop.codegraph.languages.python.reader import Reader

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
    elif target.type in targets.PATTERNS or target.type in {
        "as_pattern_target",
        "list_splat_pattern",
    }:
        for child in target.named_children:
            _collect(reader, child, names)
