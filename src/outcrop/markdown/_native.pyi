# The block scanner, written in C in the folder `native/markdown`; `native.py` calls it.

from typing import TypeAlias

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
