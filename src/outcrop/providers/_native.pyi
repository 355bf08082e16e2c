# The network of the local reranker, written in C in the folder `native/reranker`.

from typing import Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

_Floats: TypeAlias = NDArray[np.float32]
_Integers: TypeAlias = NDArray[np.int8]

# The instruction sets that this machine has a network for, the fastest first.
KERNELS: tuple[str, ...]

class Network:
    def __new__(
        cls,
        tables: tuple[_Integers, _Floats, _Integers, _Floats],
        vectors: tuple[_Floats, ...],
        exp_table: NDArray[np.int32],
        mean_strength: float,
        layers: tuple[tuple[_Integers, _Floats, _Floats], ...],
        kernel: str | None = None,
    ) -> Self: ...
    def score(self, query: bytes, tokens: bytes, lengths: bytes, /) -> bytes: ...
