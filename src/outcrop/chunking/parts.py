"""Whether a part of a block is, by itself, a block of the same kind."""

from __future__ import annotations

from outcrop.markdown import Kind, parse
from outcrop.markdown.document import UNCLOSED

# Kinds of block whose parts have to parse alone where a block is split.
SELF_CONTAINED = frozenset({int(Kind.FENCE), int(Kind.INDENTED_CODE), int(Kind.TABLE)})

# All kinds that are split where they are over the limit: parts of the others need not
# mean anything by themselves.
SPLITTABLE = SELF_CONTAINED | {int(Kind.HTML), int(Kind.FRONT_MATTER)}

_HEADINGS = bytes([Kind.HEADING])


def is_same_block(content: str, kind: int, *, may_be_open: bool = False) -> bool:
    """Whether a text is one block of a kind, with nothing but headings before it.

    Args:
        content: The text of a chunk, repeated headings and openings included.
        kind: The `Kind` that is expected.
        may_be_open: Whether a fence may lack its end.
    """
    blocks = parse(content).blocks
    if blocks.kinds.lstrip(_HEADINGS) != bytes([kind]):
        return False
    return may_be_open or not blocks.flags[-1] & UNCLOSED
