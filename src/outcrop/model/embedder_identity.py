"""The identity of an embedding model, as an index records it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedderIdentity:
    """The embedder an index was built with.

    Attributes:
        name: Names the model; vectors of different names are not comparable.
        dimension: Length of its vectors.
    """

    name: str
    dimension: int

    def __str__(self) -> str:
        return f"{self.name!r} ({self.dimension} dimensions)"
