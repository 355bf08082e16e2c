"""The interface of an embedder, defaults for its optional parts, and checks of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from outcrop.errors import ConfigError, EmbeddingError
from outcrop.providers.registry import is_bundled

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
class Embedder(OwnEmbedder, Protocol):
    """Turns texts into vectors of unit length.

    It may also have an attribute `is_local`: whether it embeds many short texts quickly,
    without a network call; an attribute `gpus`: how many GPUs one instance needs on a
    cluster; a method `min_cosine(text)`: the cosine with that text below which another
    text has nothing to do with it; and a method `embed_question(text)`: the vector of a
    question, for models that embed questions and passages differently.
    """

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


_MEMBERS = ("name", "dimension", "embed")
# How far the length of a vector may be from 1 by rounding alone.
_TOLERANCE = 1e-3


def check_embedder(embedder: OwnEmbedder) -> Embedder:
    """Return an embedder whose vectors have the promised shape and length.

    Raises:
        ConfigError: It lacks a part of an embedder, or its name is no text.
    """
    if isinstance(embedder, CheckedEmbedder):
        return embedder
    missing = [member for member in _MEMBERS if not hasattr(embedder, member)]
    if missing:
        raise ConfigError(
            f"embedder is of type {type(embedder).__name__}, without"
            f" {' and '.join(missing)}; it must be a name, or have name, dimension and"
            " embed(texts)"
        )
    if not isinstance(embedder.name, str) or not embedder.name:
        raise ConfigError(
            f"the name of the embedder is {embedder.name!r}, but it must be a text"
            " that tells its model from others"
        )
    return embedder if is_bundled(embedder) else CheckedEmbedder(embedder)


class CheckedEmbedder:
    """Passes texts on; returns rows of 32-bit numbers, of length 1 unless all zero."""

    def __init__(self, embedder: OwnEmbedder) -> None:
        self._embedder = embedder

    def __getattr__(self, name: str) -> Any:
        """Return an optional part of the embedder."""
        if name.startswith("_"):  # while it is unpickled, nothing is there to ask
            raise AttributeError(name)
        value = getattr(self._embedder, name)
        if name == "embed_question":
            return lambda text: self._check([value(text)], 1)[0]
        return value

    @property
    def name(self) -> str:
        """Name of the model."""
        return self._embedder.name

    @property
    def dimension(self) -> int:
        """Length of every vector."""
        dimension = self._embedder.dimension
        if isinstance(dimension, bool) or not isinstance(dimension, int):
            dimension = 0
        if dimension < 1:
            raise ConfigError(
                f"the dimension of embedder {self.name!r} is"
                f" {self._embedder.dimension!r}, but it must be a positive whole number"
            )
        return dimension

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed texts; any sequence or array of rows will do.

        Raises:
            EmbeddingError: The rows are not one finite vector for each text.
        """
        return self._check(self._embedder.embed(texts), len(texts))

    def _check(self, vectors: object, count: int) -> NDArray[np.float32]:
        import numpy as np

        try:
            rows: NDArray[np.float32] = np.asarray(vectors, dtype=np.float32)
        except (TypeError, ValueError):
            raise self._error(f"a {type(vectors).__name__}", count) from None
        if rows.shape != (count, self.dimension):
            shape = " x ".join(map(str, rows.shape)) or "no"
            raise self._error(f"{shape} numbers", count)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        if not np.isfinite(lengths).all():
            raise EmbeddingError(
                f"embedder {self.name!r} gave a vector that is not finite",
                stage="embed",
            )
        if (abs(lengths - 1) <= _TOLERANCE).all():
            return rows
        lengths[lengths == 0] = 1
        return rows / lengths  # type: ignore[no-any-return]  # numpy's division

    def _error(self, given: str, count: int) -> EmbeddingError:
        return EmbeddingError(
            f"embedder {self.name!r} gave {given} for {count} text"
            f"{'s' * (count != 1)}; it must give one vector of {self.dimension}"
            " numbers for each",
            stage="embed",
        )
