"""Protocols of embedders."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into vectors of unit length.

    An embedder may also have the property `is_local`; see `LocalityAware`.
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
            One row a text, `dimension` wide, each of length 1.

        Raises:
            EmbeddingError: There is no usable vector for one of the texts.
        """
        ...


@runtime_checkable
class LocalityAware(Protocol):
    """An optional part of an embedder: whether it runs on this machine."""

    @property
    def is_local(self) -> bool:
        """Whether it embeds many short texts in a moment, without a network call."""
        ...


def is_local(embedder: Embedder) -> bool:
    """Return whether an embedder runs on this machine; False if it does not say."""
    return isinstance(embedder, LocalityAware) and embedder.is_local
