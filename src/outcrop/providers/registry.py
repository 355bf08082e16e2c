"""Embedders and models by name, each in one table."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from outcrop.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TypeGuard, TypeVar

    from outcrop.providers.embedder import Embedder, OwnEmbedder
    from outcrop.providers.endpoint import Endpoint
    from outcrop.providers.openai_models import LanguageModel, OpenAIChatModel
    from outcrop.providers.reranker import Reranker
    from outcrop.sections.summaries import Summarizer

    _T = TypeVar("_T")

DEFAULT_EMBEDDER = "local"
_CODE_ALONE, _WITH_DOCUMENTS = "code", "documents"
# What the bundled models call themselves, without loading them.
LOCAL_MODEL = "outcrop-static-256-v1"
WORDLLAMA_MODEL = "wordllama-l2-supercat-256"
LOCAL_RERANKER = "outcrop-rerank-128-v2"
DEFAULT_SUMMARIZER = "extractive"


def open_embedder(
    name: str = DEFAULT_EMBEDDER, *, endpoint: Endpoint | None = None
) -> Embedder:
    """Open an embedder.

    Args:
        name: `local`, `wordllama` for the one of earlier releases, `openai:<model>` for
            a model at an OpenAI-compatible endpoint, or a model on this machine:
            `model2vec:<model>`, `fastembed:<model>` or `sentence-transformers:<model>`;
            a name that an embedder calls itself works too.
        endpoint: Of a remote model; by default from the environment.

    Raises:
        ConfigError: The embedder is unknown, or a setting is invalid.
        MissingExtraError: Its library is not installed.
    """
    return _open(EMBEDDERS, "embedder", name, endpoint)


def is_bundled(embedder: OwnEmbedder) -> TypeGuard[Embedder]:
    """Return whether any process can open the same embedder by its name, without network."""
    if embedder.name not in {model for model, _ in BUNDLED.values()}:
        return False
    return type(embedder) is type(open_embedder(embedder.name))


def default_embedder(bound: str | None) -> str:
    """Return the embedder to use for an index where none was chosen.

    Args:
        bound: Name of the embedder that the index was built with, if there is one. That
            of earlier releases is kept, so that such an index works until it is
            embedded again.
    """
    return WORDLLAMA_MODEL if bound == WORDLLAMA_MODEL else DEFAULT_EMBEDDER


def describe_outdated(name: str) -> str | None:
    """Return a notice if an index keeps the embedder of earlier releases."""
    if name != WORDLLAMA_MODEL:
        return None
    return (
        f"{name} is the embedder of earlier releases;"
        " run: outcrop reembed, to use the present one"
    )


def open_summarizer(
    name: str = DEFAULT_SUMMARIZER, *, endpoint: Endpoint | None = None
) -> Summarizer:
    """Open a model that writes summaries.

    Args:
        name: `extractive`, or `openai:<model>`.
        endpoint: Of a remote model; by default from the environment.

    Raises:
        ConfigError: The model is unknown, or a setting is invalid.
        MissingExtraError: Its library is not installed.
    """
    return _open(SUMMARIZERS, "summarizer", name, endpoint)


def open_language_model(
    name: str = "openai", *, endpoint: Endpoint | None = None
) -> LanguageModel:
    """Open a language model.

    Args:
        name: `openai:<model>`.
        endpoint: Of a remote model; by default from the environment.

    Raises:
        ConfigError: The model is unknown, or a setting is invalid.
        MissingExtraError: Its library is not installed.
    """
    return _open(LANGUAGE_MODELS, "language model", name, endpoint)


def open_reranker(name: str) -> Reranker:
    """Open a reranker.

    Args:
        name: `local` for the one that comes with the package, which orders code and
            sections of documents (`local:documents` is the same); `local:code` if it is
            to order code alone,
            `endpoint:<url>#<model>` for an endpoint that takes `documents`,
            `tei:<url>` for Text Embeddings Inference, or `fastembed:<model>`.

    Raises:
        ConfigError: The reranker is unknown, or its address is invalid.
        MissingExtraError: Its library is not installed.
    """
    return _open(RERANKERS, "reranker", name, None)


def _open(
    table: Mapping[str, Callable[[str, Endpoint | None], _T]],
    role: str,
    name: str,
    endpoint: Endpoint | None,
) -> _T:
    kind, _, model = name.partition(":")
    if kind not in table:
        known = ", ".join(table)
        shown = name.rpartition("@")[2] if "://" in name else name  # without a password
        raise ConfigError(f"unknown {role} {shown!r}; choose one of: {known}")
    return table[kind](model, endpoint)


def _open_local(model: str, _endpoint: Endpoint | None) -> Embedder:
    from outcrop.providers.local_embedder import LocalEmbedder

    _reject_model("local", model)
    return LocalEmbedder()


def _open_wordllama(model: str, _endpoint: Endpoint | None) -> Embedder:
    from outcrop.providers.wordllama_embedder import WordllamaEmbedder

    _reject_model("wordllama", model)
    return WordllamaEmbedder()


def _open_openai_embedder(model: str, endpoint: Endpoint | None) -> Embedder:
    from outcrop.providers.openai_models import (
        DEFAULT_EMBEDDING_MODEL,
        OpenAIEmbedder,
    )

    model, _, dimension = (model or DEFAULT_EMBEDDING_MODEL).partition("@")
    if dimension and not dimension.isdecimal():
        raise ConfigError(f"dimension is {dimension!r}, but it must be a number")
    return OpenAIEmbedder(
        model, dimension=int(dimension) if dimension else None, endpoint=endpoint
    )


def _open_model(model: str, _endpoint: Endpoint | None, *, kind: str) -> Embedder:
    from outcrop.providers.library_models import MODEL_EMBEDDERS

    return MODEL_EMBEDDERS[kind](model)


def _open_extractive(model: str, _endpoint: Endpoint | None) -> Summarizer:
    from outcrop.providers.extractive import ExtractiveSummarizer

    _reject_model("extractive", model)
    return ExtractiveSummarizer()


def _open_openai_chat(model: str, endpoint: Endpoint | None) -> OpenAIChatModel:
    from outcrop.providers.openai_models import DEFAULT_CHAT_MODEL, OpenAIChatModel

    return OpenAIChatModel(model or DEFAULT_CHAT_MODEL, endpoint=endpoint)


def _open_local_reranker(model: str, _endpoint: Endpoint | None) -> Reranker:
    from outcrop.providers.local_reranker import LocalReranker

    if model not in ("", _WITH_DOCUMENTS, _CODE_ALONE):
        raise ConfigError(
            f"reranker is 'local:{model}', but it is local or local:{_CODE_ALONE}"
        )
    return LocalReranker(documents=model != _CODE_ALONE)


def _open_endpoint_reranker(
    address: str, _endpoint: Endpoint | None, *, texts_field: str = "documents"
) -> Reranker:
    from outcrop.providers.endpoint_reranker import EndpointReranker

    return EndpointReranker(address, texts_field=texts_field)


def _open_fastembed_reranker(model: str, _endpoint: Endpoint | None) -> Reranker:
    from outcrop.providers.library_models import FastembedReranker

    return FastembedReranker(model)


def _reject_model(kind: str, model: str) -> None:
    if model:
        raise ConfigError(f"{kind} has only one model; {model!r} is unknown")


BUNDLED: Mapping[str, tuple[str, Callable[[str, Endpoint | None], Embedder]]] = {
    "local": (LOCAL_MODEL, _open_local),
    "wordllama": (WORDLLAMA_MODEL, _open_wordllama),
}
"""Embedders that need no network: what each calls itself, and how it is opened."""

EMBEDDERS: Mapping[str, Callable[[str, Endpoint | None], Embedder]] = {
    name: opener
    for short, (model, opener) in BUNDLED.items()
    for name in (short, model)
} | {
    "openai": _open_openai_embedder,
    "model2vec": partial(_open_model, kind="model2vec"),
    "fastembed": partial(_open_model, kind="fastembed"),
    "sentence-transformers": partial(_open_model, kind="sentence-transformers"),
}
SUMMARIZERS: Mapping[str, Callable[[str, Endpoint | None], Summarizer]] = {
    "extractive": _open_extractive,
    "openai": _open_openai_chat,
}
LANGUAGE_MODELS: Mapping[str, Callable[[str, Endpoint | None], LanguageModel]] = {
    "openai": _open_openai_chat,
}
RERANKERS: Mapping[str, Callable[[str, Endpoint | None], Reranker]] = {
    "local": _open_local_reranker,
    "endpoint": _open_endpoint_reranker,
    "tei": partial(_open_endpoint_reranker, texts_field="texts"),
    "fastembed": _open_fastembed_reranker,
}
