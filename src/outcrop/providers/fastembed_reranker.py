"""Cross-encoders that fastembed runs with ONNX."""

from __future__ import annotations

import math
from importlib.util import find_spec
from threading import Lock
from typing import TYPE_CHECKING, Any

from outcrop.errors import (
    ConfigError,
    MissingExtraError,
    RerankError,
    describe_failure,
)
from outcrop.text.tokens import replace_surrogates

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_KIND = "fastembed"


class FastembedReranker:
    """Scores texts with a cross-encoder that fastembed knows.

    Args:
        model: Name of the model, one of `TextCrossEncoder.list_supported_models()`.
        folder: Folder with the model's files; by default they are downloaded once, to
            the folder that `FASTEMBED_CACHE_PATH` names.

    Raises:
        ConfigError: No model is named.
        MissingExtraError: The library is not installed.
    """

    def __init__(self, model: str, *, folder: Path | None = None) -> None:
        if find_spec(_KIND) is None:
            raise MissingExtraError(f"the reranker {_KIND}", _KIND)
        if not model:
            raise ConfigError(f"{_KIND} needs a model; write {_KIND}:MODEL")
        self.model = model
        self.folder = folder
        self._loaded: Any = None
        self._lock = Lock()

    @property
    def name(self) -> str:
        """The library and the model."""
        return f"{_KIND}:{self.model}"

    def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """Score texts; see `Reranker`."""
        given = [replace_surrogates(text) or " " for text in texts]
        try:
            loaded = self._load()
            scores = list(
                map(float, loaded.rerank(replace_surrogates(question), given))
            )
        except Exception as error:
            raise RerankError(
                f"{self.name} cannot rerank: {describe_failure(error)}", stage="rerank"
            ) from error
        if len(scores) != len(texts) or not all(map(math.isfinite, scores)):
            raise RerankError(
                f"{self.name} gave no score for some of {len(texts)} texts",
                stage="rerank",
            )
        return scores

    def _load(self) -> Any:
        from fastembed.rerank.cross_encoder import TextCrossEncoder

        with self._lock:
            if self._loaded is None:
                options = (
                    {}
                    if self.folder is None
                    else {"specific_model_path": str(self.folder)}
                )
                self._loaded = TextCrossEncoder(self.model, **options)
        return self._loaded

    def __repr__(self) -> str:
        return f"FastembedReranker({self.model!r})"
