"""Why a chunk may exceed the limit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.markdown.document import OPENS_ITEM, Kind

if TYPE_CHECKING:
    from outcrop.markdown.document import Blocks

TABLE_INTEGRITY = "table_integrity"
LIST_ITEM_INTEGRITY = "list_item_integrity"
CODE_BLOCK_INTEGRITY = "code_block_integrity"
CODE_POINT_INTEGRITY = "code_point_integrity"


def oversize_reason(blocks: Blocks, block: int) -> str:
    """Return the reason for keeping an atomic block whole."""
    if blocks.kinds[block] == Kind.TABLE:
        return TABLE_INTEGRITY
    opens_item = blocks.flags[block] & OPENS_ITEM
    return LIST_ITEM_INTEGRITY if opens_item else CODE_BLOCK_INTEGRITY
