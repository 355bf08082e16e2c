"""The definitions that `symbols.scm` describes, found without visiting every node.

Python's definitions are statements, lambdas apart, and statements are few beside the
expressions in them. Walking statements alone takes a fraction of the time that the
query takes; a test holds the two against each other.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

    from outcrop.codegraph.language import Capture

_LAMBDA = re.compile(rb"lambda\b")
_MAX_LAMBDAS = 100
"""Each is looked up from the root; above this number the query is faster."""
_CAPTURES = {"class_definition": "class", "function_definition": "function"}
_COMPOUND = frozenset({
    "block", "case_clause", "elif_clause", "else_clause", "except_clause",
    "except_group_clause", "finally_clause", "for_statement", "if_statement",
    "match_statement", "try_statement", "while_statement", "with_statement",
})  # fmt: skip


def find_definitions(root: Node, data: bytes) -> list[Capture] | None:
    """Return the definitions of a file, or None where only the query will do."""
    places = [found.start() for found in _LAMBDA.finditer(data)]
    if root.has_error or len(places) > _MAX_LAMBDAS:
        return None
    found: list[Capture] = []
    pending: list[tuple[Node, bool]] = [(root, True)]
    while pending:
        holder, binds_fields = pending.pop()
        for child in holder.named_children:
            kind = child.type
            if kind == "expression_statement":
                _fields(found, child, binds_fields=binds_fields)
            elif kind in _COMPOUND:
                pending.append((child, False))
            elif kind == "decorated_definition":
                pending += _definition(found, child.child_by_field_name("definition"))
            elif kind in _CAPTURES:
                pending += _definition(found, child)
    for place in places:
        _lambda(found, root, place)
    return found


def _definition(found: list[Capture], node: Node | None) -> list[tuple[Node, bool]]:
    """Add a class or function; return its body, to be walked too."""
    if node is None:
        return []
    body = node.child_by_field_name("body")
    capture = _CAPTURES[node.type]
    found.append((capture, node, node.child_by_field_name("name"), body))
    return [] if body is None else [(body, capture == "class")]


def _fields(found: list[Capture], statement: Node, *, binds_fields: bool) -> None:
    node = statement.named_child(0)
    direct = binds_fields
    while node is not None and node.type == "assignment":
        left = node.child_by_field_name("left")
        if left is not None and left.type == "identifier":
            if direct:
                found.append(("field", node, left, None))
        elif left is not None and left.type == "attribute":
            owner = left.child_by_field_name("object")
            if (
                owner is not None
                and owner.type == "identifier"
                and owner.text == b"self"
            ):
                name = left.child_by_field_name("attribute")
                found.append(("field", node, name, None))
        node = node.child_by_field_name("right")
        direct = False


def _lambda(found: list[Capture], root: Node, place: int) -> None:
    word = root.descendant_for_byte_range(place, place + len("lambda"))
    if word is None or word.is_named or word.type != "lambda":
        return
    node = word.parent
    if node is not None and node.type == "lambda":
        found.append(("lambda", node, None, node.child_by_field_name("body")))
