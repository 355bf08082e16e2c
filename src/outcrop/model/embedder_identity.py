"""The identity of an embedding model, as an index records it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedderIdentity:
    """The embedder an index was built with."""

    name: str  # names the model; vectors of different names are not comparable
    dimension: int  # length of its vectors

    def __str__(self) -> str:
        return f"{self.name!r} ({self.dimension} dimensions)"
