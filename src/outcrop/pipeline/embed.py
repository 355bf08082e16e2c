"""Stage `embed`: the vector of a chunk and its search terms.

A chunk becomes searchable by this stage, which sets `indexable`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.errors import EmbeddingError
from outcrop.model.stored import ChunkValues, StageOutcome
from outcrop.text.search_text import search_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outcrop.model.stored import StoredChunk
    from outcrop.pipeline.stage import StageContext

NAME = "embed"


class Embed:
    """Fills the embedding and the terms."""

    name = NAME

    def run(
        self, batch: Sequence[StoredChunk], context: StageContext
    ) -> list[StageOutcome]:
        """Embed chunks; see `Stage`.

        A chunk keeps the vector it has of the same text by the same model.
        """
        found = [search_text(chunk) for chunk in batch]
        values = [
            ChunkValues(search_hash=text.hash, terms=text.terms, indexable=True)
            for text in found
        ]
        missing = [
            place
            for place, chunk in enumerate(batch)
            if chunk.search_hash != values[place]["search_hash"]
            or chunk.embed_model != context.embedder.name
        ]
        if missing:
            vectors = context.embedder.embed([found[at].embedded for at in missing])
            if len(vectors) != len(missing):
                raise EmbeddingError(
                    f"{context.embedder.name} gave {len(vectors)} vectors for "
                    f"{len(missing)} texts",
                    stage=NAME,
                )
            for place, vector in zip(missing, vectors, strict=True):
                values[place]["emb"] = vector
                values[place]["embed_model"] = context.embedder.name
        return [
            StageOutcome(chunk_id=chunk.id, values=given)
            for chunk, given in zip(batch, values, strict=True)
        ]
