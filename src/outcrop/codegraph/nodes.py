"""Small questions asked of syntax nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node


def text_of(node: Node | None) -> str:
    """Return the text of a node, nothing for no node."""
    return (node.text or b"").decode("utf-8", "replace") if node is not None else ""


def child_of(node: Node | None, *types: str) -> Node | None:
    """Return the first child of one of the types."""
    if node is not None:
        for child in node.children:
            if child.type in types:
                return child
    return None


def children_of(node: Node | None, *types: str) -> list[Node]:
    """Return the children of the types."""
    if node is None:
        return []
    return [child for child in node.children if child.type in types]


def after_annotations(node: Node, holder: str, marks: frozenset[str]) -> int:
    """Return where a definition starts once its leading annotations are left out.

    Args:
        node: The definition.
        holder: Type of the child that holds annotations and modifiers together.
        marks: Types of annotations.
    """
    start = node.start_byte
    for child in node.children:
        if child.type in marks or "comment" in child.type:
            continue
        if child.type != holder:
            return child.start_byte
        words = [c for c in child.children if c.type not in marks]
        if words:
            return words[0].start_byte
    return start
