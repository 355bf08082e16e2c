"""Models that other libraries load: embedders, and a reranker."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, ClassVar

from outcrop.errors import (
    ConfigError,
    EmbeddingError,
    MissingExtraError,
    RerankError,
    describe_failure,
)
from outcrop.providers.embedder import to_unit_length
from outcrop.text.tokens import replace_surrogates

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

_BATCH_SIZE = 64


class ModelEmbedder(ABC):
    """An embedder whose model is loaded on first use.

    Args:
        model: Name of the model, or a folder with its files.

    Raises:
        ConfigError: No model is named.
        MissingExtraError: The library is not installed.
    """

    # The kind in `kind:model`; the extra and the library are named like it.
    kind: ClassVar[str]
    # Most need no network, but are too slow for the names of all candidates.
    is_local: ClassVar[bool] = False

    def __init__(self, model: str) -> None:
        if find_spec(self.kind.replace("-", "_")) is None:
            raise MissingExtraError(f"the embedder {self.kind}", self.kind)
        if not model:
            raise ConfigError(f"{self.kind} needs a model; write {self.kind}:MODEL")
        # A folder is found again from any other.
        self.model = str(Path(model).resolve()) if Path(model).is_dir() else model
        self._loaded: Any = None
        self._dimension: int | None = None
        self._lock = Lock()

    @property
    def name(self) -> str:
        """The library and the model; a folder by its absolute path."""
        return f"{self.kind}:{self.model}"

    @property
    def dimension(self) -> int:
        """Length of every vector; the model is loaded to find out."""
        if self._dimension is None:
            self._dimension = self.embed(["dimension"]).shape[1]
        return self._dimension

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed texts; see `Embedder`.

        Texts of which the model knows no token all get the same vector.
        """
        if not texts:
            import numpy as np

            return np.empty((0, self.dimension), dtype=np.float32)
        return self._run(self._encode, texts)

    def embed_question(self, text: str) -> NDArray[np.float32]:
        """Embed a question, with the prefix that the model was trained with, if any."""
        row: NDArray[np.float32] = self._run(self._encode_questions, [text])[0]
        return row

    @abstractmethod
    def _load(self) -> Any:
        """Load the model."""

    @abstractmethod
    def _encode(self, texts: list[str]) -> Any:
        """Return a row per text, which need not be of unit length."""

    def _encode_questions(self, texts: list[str]) -> Any:
        return self._encode(texts)

    def _run(self, encode: Any, texts: Sequence[str]) -> NDArray[np.float32]:
        import numpy as np

        self._ensure_loaded()
        given = [replace_surrogates(text) or " " for text in texts]
        try:
            vectors = np.array(encode(given), dtype=np.float32)
        except Exception as error:
            raise EmbeddingError(
                f"{self.name} cannot embed: {describe_failure(error)}", stage="embed"
            ) from error
        if vectors.ndim != 2 or len(vectors) != len(texts):  # noqa: PLR2004 - rows and columns
            raise EmbeddingError(
                f"{self.name} gave an array of shape {vectors.shape}"
                f" for {len(texts)} texts",
                stage="embed",
            )
        vectors[~vectors.any(axis=1)] = 1.0
        return to_unit_length(vectors, self.name)

    def _ensure_loaded(self) -> None:
        with self._lock:
            if self._loaded is not None:
                return
            try:
                self._loaded = self._load()
            except Exception as error:
                raise EmbeddingError(
                    f"{self.kind} cannot load {self.model!r}: {describe_failure(error)}",
                    stage="embed",
                ) from error

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.model!r})"


class Model2VecEmbedder(ModelEmbedder):
    """Static models of model2vec: a row per token, fast on a processor."""

    kind = "model2vec"
    is_local = True

    def _load(self) -> Any:
        from model2vec import StaticModel

        # A model that was downloaded before works without a network.
        return StaticModel.from_pretrained(self.model, force_download=False)

    def _encode(self, texts: list[str]) -> Any:
        return self._loaded.encode(texts, use_multiprocessing=False)


class FastembedEmbedder(ModelEmbedder):
    """Models that fastembed runs with ONNX, without PyTorch.

    Args:
        model: Name of the model, one of `TextEmbedding.list_supported_models()`.
        folder: Folder with the model's files; by default they are downloaded once, to
            the folder that `FASTEMBED_CACHE_PATH` names.
    """

    kind = "fastembed"

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


class SentenceTransformersEmbedder(ModelEmbedder):
    """Models of sentence-transformers, on a GPU if there is one.

    Code that comes with a model is not run.
    """

    kind = "sentence-transformers"

    def _load(self) -> Any:
        from sentence_transformers import SentenceTransformer

        return SentenceTransformer(self.model, trust_remote_code=False)

    def _encode(self, texts: list[str]) -> Any:
        return self._loaded.encode_document(
            texts, batch_size=_BATCH_SIZE, show_progress_bar=False
        )

    def _encode_questions(self, texts: list[str]) -> Any:
        return self._loaded.encode_query(texts, show_progress_bar=False)


MODEL_EMBEDDERS: dict[str, type[ModelEmbedder]] = {
    each.kind: each
    for each in (Model2VecEmbedder, FastembedEmbedder, SentenceTransformersEmbedder)
}


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
        if find_spec("fastembed") is None:
            raise MissingExtraError("the reranker fastembed", "fastembed")
        if not model:
            raise ConfigError("fastembed needs a model; write fastembed:MODEL")
        self.model = model
        self.folder = folder
        self._loaded: Any = None
        self._lock = Lock()

    @property
    def name(self) -> str:
        """The library and the model."""
        return f"fastembed:{self.model}"

    def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """Score texts; see `Reranker`."""
        given = [replace_surrogates(text) or " " for text in texts]
        try:
            found = self._load().rerank(replace_surrogates(question), given)
            scores = [*map(float, found)]
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
                folder = (
                    {"specific_model_path": str(self.folder)} if self.folder else {}
                )
                self._loaded = TextCrossEncoder(self.model, **folder)
        return self._loaded

    def __repr__(self) -> str:
        return f"FastembedReranker({self.model!r})"
