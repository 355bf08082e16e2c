"""A future chunk: numbers only, until the boundaries are final."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from outcrop.markdown.document import OPENS_ITEM, Kind

if TYPE_CHECKING:
    from outcrop.markdown.document import Blocks

# Why a chunk may exceed the limit.
TABLE_INTEGRITY = "table_integrity"
LIST_ITEM_INTEGRITY = "list_item_integrity"
CODE_BLOCK_INTEGRITY = "code_block_integrity"
CODE_POINT_INTEGRITY = "code_point_integrity"
WITHIN_TOLERANCE = "within_tolerance"

# The reasons that allow a chunk to exceed the tolerance too.
INTEGRITY_REASONS = frozenset(
    {
        TABLE_INTEGRITY,
        LIST_ITEM_INTEGRITY,
        CODE_BLOCK_INTEGRITY,
        CODE_POINT_INTEGRITY,
    }
)


@dataclass(slots=True)
class Draft:
    """A stretch of a document on its way to becoming a chunk.

    Attributes:
        first: Index of the block that holds `start`.
        stop: Index after the last block that it reaches into.
        start: Where its own text starts.
        end: Where its own text ends; white space at the end is dropped later.
        stage: The stage that made the boundary before it.
        rule: The rule of that stage.
        prefix: Repeated headings, or a re-opened fence or table.
        repeats_from: Where the source of the prefix starts.
        suffix: A closing fence.
        oversize_reason: Why it may exceed the limit, or empty.
        heading_moved: Whether a heading was moved here from the draft before.
        is_merged: Whether the draft before vanished into this one.
        metadata: Fields of the chunk it was made of, if a strategy made one.
    """

    first: int
    stop: int
    start: int
    end: int
    stage: str
    rule: str
    prefix: str = ""
    repeats_from: int = -1
    suffix: str = ""
    oversize_reason: str = ""
    heading_moved: bool = False
    is_merged: bool = False
    metadata: dict[str, Any] | None = None


def oversize_reason(blocks: Blocks, block: int) -> str:
    """Return the reason for keeping an atomic block whole."""
    if blocks.kinds[block] == Kind.TABLE:
        return TABLE_INTEGRITY
    opens_item = blocks.flags[block] & OPENS_ITEM
    return LIST_ITEM_INTEGRITY if opens_item else CODE_BLOCK_INTEGRITY
