"""Models of sentence-transformers, on a GPU if there is one."""

from __future__ import annotations

from typing import Any

from outcrop.providers.model_embedder import ModelEmbedder

_BATCH_SIZE = 64


class SentenceTransformersEmbedder(ModelEmbedder):
    """Embeds texts with a model of sentence-transformers.

    Code that comes with a model is not run.
    """

    kind = "sentence-transformers"
    module = "sentence_transformers"
    # It needs no network, but is too slow for the names of all candidates.
    is_local = False

    def _load(self) -> Any:
        from sentence_transformers import SentenceTransformer

        return SentenceTransformer(self.model, trust_remote_code=False)

    def _encode(self, texts: list[str]) -> Any:
        return self._loaded.encode_document(
            texts, batch_size=_BATCH_SIZE, show_progress_bar=False
        )

    def _encode_questions(self, texts: list[str]) -> Any:
        return self._loaded.encode_query(texts, show_progress_bar=False)
