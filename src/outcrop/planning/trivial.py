"""Members that say nothing by themselves: getters, setters, empty constructors."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from outcrop.model.node import NodeKind

if TYPE_CHECKING:
    from outcrop.model.node import Node

_LONGEST = 400  # characters; more is worth a chunk whatever it does
_CALLABLE = frozenset({NodeKind.METHOD, NodeKind.FUNCTION})
_NAME = r"(?:(?:self|this|cls|super|base|@|&|\*|mut)\s*(?:\.|->|::)?\s*)*[\w$.]*\??!?"
# After the signature: an opening, at most one statement that only moves a value.
_BODY = re.compile(
    rf"""
    [\s{{:=>;]*
    (?: pass | \.\.\. | nil | None | null
      | (?:return|get|set)? \s* {_NAME} (?:\.clone\(\))? \s*
        (?: = \s* [\w$.]+ )?
      | super \s* \(? [^()\n]* \)? (?:\.__init__\([\w\s,=*]*\))?
    )?
    [\s;]* (?: end | [}}\s;,]* ) [\s;]*
    """,
    re.VERBOSE,
)


def is_trivial(node: Node) -> bool:
    """Whether a function only hands a value through, or does nothing."""
    if node.kind not in _CALLABLE or node.doc_comment or node.annotations:
        return False
    source = node.source_code
    if source is None or len(source) > _LONGEST:
        return False
    signature = node.signature or ""
    start = source.find(signature)
    if not signature or start < 0:
        return False
    return _BODY.fullmatch(source, start + len(signature)) is not None
