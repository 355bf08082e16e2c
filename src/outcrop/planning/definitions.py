"""The definitions of a file as a tree, nested by their text ranges."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from outcrop.model.node import Node, NodeKind

if TYPE_CHECKING:
    from collections.abc import Iterable

_TYPES = frozenset({NodeKind.CLASS, NodeKind.INTERFACE, NodeKind.ENUM})
_CALLABLE = frozenset({NodeKind.METHOD, NodeKind.FUNCTION})
_NAMESPACES = frozenset({NodeKind.MODULE, NodeKind.PACKAGE})
# A route repeats the text of its handler.
_WITHOUT_TEXT = frozenset({NodeKind.ENDPOINT})
# Code that nests deeper is generated, and stays part of the surrounding definition.
_MAX_DEPTH = 60

_MAX_BODY_CHARS = 160  # a longer body is worth a chunk
_NAME = r"[@&*]?(?:mut\s+)?[\w$.]+(?:(?:->|::)[\w$]+)*[?!]?"
# What the brackets may contain: at most a value that is passed on.
_STATEMENT = re.compile(
    rf"""
    (?: pass | \.\.\. | nil | None | null
      | (?:(?:return|get|set)\s+)? {_NAME} (?:\.clone\(\))?
      | {_NAME} \s* = \s* [\w$.]+
      | super (?: \([^()\n]*\) )? (?: \.__init__\([\w\s,=*]*\) )?
    )?
    """,
    re.VERBOSE,
)


@dataclass(slots=True)
class Definition:
    """A definition and those inside it.

    Attributes:
        node: The node; None for a file without a node.
        start: Where its text starts in the file.
        end: Where it ends, exclusive.
        members: Definitions directly inside it, in order.
    """

    node: Node | None
    start: int
    end: int
    members: list[Definition] = field(default_factory=list)

    @property
    def is_type(self) -> bool:
        """Whether it is a class, interface or enum."""
        return self.node is not None and self.node.kind in _TYPES

    @property
    def is_callable(self) -> bool:
        """Whether it is a function with a name."""
        return (
            self.node is not None
            and self.node.kind in _CALLABLE
            and not self.node.name.startswith("<")
        )

    @property
    def is_namespace(self) -> bool:
        """Whether it only holds other definitions: a module within a file."""
        return self.node is not None and self.node.kind in _NAMESPACES


def read_tree(nodes: Iterable[Node], size: int) -> Definition:
    """Return a file of `size` characters as a definition, with all others inside.

    Nodes without a range are left out, and so are those that partly overlap the one
    before: definitions nest, so such a node is not from this text.
    """
    root = Definition(None, 0, size)
    open_ = [root]
    for start, end, node in _placed(nodes, size):
        while open_[-1].end <= start and len(open_) > 1:
            open_.pop()
        if end > open_[-1].end or len(open_) > _MAX_DEPTH:
            continue
        if _is_file(node, start, end, size) and root.node is None:
            root.node = node
            continue
        found = Definition(node, start, end)
        open_[-1].members.append(found)
        open_.append(found)
    return root


def _placed(nodes: Iterable[Node], size: int) -> list[tuple[int, int, Node]]:
    found = [
        (node.start_offset, node.end_offset, node)
        for node in nodes
        if node.start_offset is not None
        and node.end_offset is not None
        and 0 <= node.start_offset < node.end_offset <= size
        and node.kind not in _WITHOUT_TEXT
    ]
    return sorted(found, key=lambda item: (item[0], -item[1]))


def _is_file(node: Node, start: int, end: int, size: int) -> bool:
    return start == 0 and end == size and node.kind in _NAMESPACES


def is_trivial(node: Node) -> bool:
    """Whether a function only passes a value on, or does nothing."""
    if node.kind not in _CALLABLE or node.doc_comment or node.annotations:
        return False
    source, signature = node.source_code, node.signature
    if not source or not signature:
        return False
    start = source.find(signature)
    if start < 0 or len(source) - start - len(signature) > _MAX_BODY_CHARS:
        return False
    body = source[start + len(signature) :].lstrip(" \t\r\n{:=>;")
    body = body.rstrip(" \t\r\n};,").removesuffix("end").rstrip(" \t\r\n;")
    return _STATEMENT.fullmatch(body) is not None
