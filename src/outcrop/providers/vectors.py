"""Checking the vectors that a model returns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.errors import EmbeddingError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def to_unit_length(vectors: NDArray[np.float32], model: str) -> NDArray[np.float32]:
    """Return rows scaled to length 1.

    Raises:
        EmbeddingError: A row is zero or not finite.
    """
    import numpy as np

    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or not lengths.all():
        raise EmbeddingError(
            f"{model} gave a vector that is zero or not finite", stage="embed"
        )
    return vectors / lengths  # type: ignore[no-any-return]  # numpy's division
