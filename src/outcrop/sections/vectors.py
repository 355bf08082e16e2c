"""Vectors for sections."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from outcrop.model.section import Section


class SectionEmbedder(Protocol):
    """Turns texts into one row of numbers each; every `Embedder` does."""

    def embed(self, texts: Sequence[str]) -> Any:
        """Embed texts, in lists or an array."""
        ...


def embed_sections(
    sections: Iterable[Section], embedder: SectionEmbedder
) -> list[Section]:
    """Give every section the vector of its content.

    Returns:
        New sections in the same order, none of them dirty.
    """
    given = list(sections)
    rows = embedder.embed([section.content for section in given])
    return [
        replace(section, vector=tuple(map(float, row)), is_dirty=False)
        for section, row in zip(given, rows, strict=True)
    ]
