"""Models that fastembed runs with ONNX, without PyTorch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from outcrop.providers.model_embedder import ModelEmbedder

if TYPE_CHECKING:
    from pathlib import Path

_BATCH_SIZE = 64


class FastembedEmbedder(ModelEmbedder):
    """Embeds texts with a model that fastembed knows.

    Args:
        model: Name of the model, one of `TextEmbedding.list_supported_models()`.
        folder: Folder with the model's files; by default they are downloaded once, to
            the folder that `FASTEMBED_CACHE_PATH` names.
    """

    kind = "fastembed"
    module = "fastembed"
    # It needs no network, but is too slow for the names of all candidates.
    is_local = False

    def __init__(self, model: str, *, folder: Path | None = None) -> None:
        super().__init__(model)
        self.folder = folder

    def _load(self) -> Any:
        from fastembed import TextEmbedding

        if self.folder is None:
            return TextEmbedding(self.model)
        return TextEmbedding(self.model, specific_model_path=str(self.folder))

    def _encode(self, texts: list[str]) -> Any:
        return list(self._loaded.passage_embed(texts, batch_size=_BATCH_SIZE))

    def _encode_questions(self, texts: list[str]) -> Any:
        return list(self._loaded.query_embed(texts))
