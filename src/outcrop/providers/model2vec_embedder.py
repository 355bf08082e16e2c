"""Static models of model2vec: a row per token, fast on a processor."""

from __future__ import annotations

from typing import Any

from outcrop.providers.model_embedder import ModelEmbedder


class Model2VecEmbedder(ModelEmbedder):
    """Embeds texts with a model of model2vec."""

    kind = "model2vec"
    module = "model2vec"
    is_local = True

    def _load(self) -> Any:
        from model2vec import StaticModel

        # A model that was downloaded before works without a network.
        return StaticModel.from_pretrained(self.model, force_download=False)

    def _encode(self, texts: list[str]) -> Any:
        return self._loaded.encode(texts, use_multiprocessing=False)
