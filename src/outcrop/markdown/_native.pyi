# The block scanner and the maker of chunks, written in C in the folder `native/markdown`;
# `native.py` and `outcrop.chunking.metadata` call them.

from collections.abc import Callable
from typing import Any, TypeAlias

_Heading: TypeAlias = tuple[int, int, int, int, str | None, int]

def scan(
    data: str | bytes, mark: int, front_matter: int, /
) -> (
    tuple[
        bytes,
        bytearray,
        bytearray,
        bytearray,
        list[_Heading],
        list[tuple[int, int, int]],
        list[tuple[int, int]],
        bool,
    ]
    | None
): ...
def make_chunks(
    drafts: list[Any],
    text: str,
    kinds: bytearray,
    heading_blocks: list[int],
    titles: list[str],
    common: dict[str, Any],
    chunk_type: type[Any],
    path_of: Callable[[int], tuple[str, list[str], int]],
    content_type_of: Callable[[int, int, int], str],
    line_of_stack: Callable[[int], int],
    assign_id: Callable[[bytes], str],
    /,
) -> list[Any]: ...
