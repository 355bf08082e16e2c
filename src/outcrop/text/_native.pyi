# Counting words, tokens and bits, written in C in the folder `native/text`.

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

class WordCounter:
    def __new__(cls, letters: str, joiners: str, /) -> Self: ...
    def count(
        self, text: str, items_of: Callable[[str], tuple[Any, ...]], /
    ) -> dict[Any, int] | None: ...
    def find(
        self,
        text: str,
        items_of: Callable[[str], tuple[Any, ...]],
        wanted: tuple[Any, ...],
        /,
    ) -> list[tuple[int, int]] | None: ...
    def count_numbers(
        self, text: str, items_of: Callable[[str], tuple[int, ...]], /
    ) -> tuple[bytes, bytes] | None: ...

class BytePairs:
    def __new__(
        cls, merges: bytes | NDArray[np.uint16], token_of_byte: bytes, /
    ) -> Self: ...
    def encode(self, word: str, /) -> list[int]: ...

def sum_rows(
    rows: NDArray[np.int8],
    scales: NDArray[np.float32],
    texts: list[tuple[bytes, bytes]],
    sums: NDArray[np.float32],
    /,
) -> None: ...
def count_differing(
    words: NDArray[np.uint64],
    query: NDArray[np.uint64],
    counts: NDArray[np.uint16],
    numbers: NDArray[np.int64],
    /,
) -> None: ...
def estimate(
    words: NDArray[np.uint64],
    places: NDArray[np.int64],
    values: NDArray[np.float32],
    estimates: NDArray[np.float32],
    /,
) -> None: ...
