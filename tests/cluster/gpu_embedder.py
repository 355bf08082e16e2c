"""An embedder that works only where it was given a GPU."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from outcrop.errors import EmbeddingError
from outcrop.providers.local_embedder import LocalEmbedder

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray


class GpuEmbedder(LocalEmbedder):
    """The local embedder, as if it needed a GPU."""

    name = "needs-a-gpu"
    gpus = 1

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if os.environ.get("CUDA_VISIBLE_DEVICES") != "0":
            raise EmbeddingError("there is no GPU", stage="embed")
        return super().embed(texts)
