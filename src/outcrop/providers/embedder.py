"""The interface of an embedder, with defaults for its optional parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

from outcrop.errors import EmbeddingError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import ArrayLike, NDArray


class OwnEmbedder(Protocol):
    """An embedder of the caller's own, whose rows need no certain type or length."""

    @property
    def name(self) -> str:
        """Names the model; vectors of different names are not comparable."""
        ...

    @property
    def dimension(self) -> int:
        """Length of every vector."""
        ...

    def embed(self, texts: Sequence[str]) -> ArrayLike:
        """Embed texts: one row of `dimension` numbers for each, in lists or an array."""
        ...


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into vectors of unit length.

    It may also have an attribute `is_local`: whether it embeds many short texts quickly,
    without a network call; an attribute `gpus`: how many GPUs one instance needs on a
    cluster; a method `min_cosine(text)`: the cosine with that text below which another
    text has nothing to do with it; and a method `embed_question(text)`: the vector of a
    question, for models that embed questions and passages differently.
    """

    @property
    def name(self) -> str:
        """Names the model; vectors of different names are not comparable."""
        ...

    @property
    def dimension(self) -> int:
        """Length of every vector."""
        ...

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed texts.

        Returns:
            One row per text, `dimension` wide, each of length 1.

        Raises:
            EmbeddingError: A text has no usable vector.
        """
        ...


def min_cosine(embedder: Embedder, text: str) -> float:
    """Return the lowest cosine that means something; -1 if the embedder has none."""
    find = getattr(embedder, "min_cosine", None)
    return -1.0 if find is None else float(find(text))


def embed_question(embedder: Embedder, text: str) -> NDArray[np.float32]:
    """Return the vector of a question; as that of any text if there is no other."""
    find = getattr(embedder, "embed_question", None)
    row: NDArray[np.float32] = embedder.embed([text])[0] if find is None else find(text)
    return row


def is_local(embedder: Embedder) -> bool:
    """Return whether an embedder runs on this machine; False if it does not say."""
    return bool(getattr(embedder, "is_local", False))


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
