"""Trivial members: getters, setters, empty constructors."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from outcrop.model.node import NodeKind

if TYPE_CHECKING:
    from outcrop.model.node import Node

_MAX_BODY_CHARS = 160  # a longer body is worth a chunk
_CALLABLE = frozenset({NodeKind.METHOD, NodeKind.FUNCTION})
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
