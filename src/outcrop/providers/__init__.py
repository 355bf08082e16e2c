"""Embedders, rerankers and language models: a local default, and compatible endpoints."""

from __future__ import annotations

from outcrop.providers.embedder import Embedder
from outcrop.providers.endpoint import Endpoint
from outcrop.providers.openai_models import LanguageModel
from outcrop.providers.registry import (
    open_embedder,
    open_language_model,
    open_reranker,
    open_summarizer,
)
from outcrop.providers.reranker import Reranker

__all__ = [
    "Embedder",
    "Endpoint",
    "LanguageModel",
    "Reranker",
    "open_embedder",
    "open_language_model",
    "open_reranker",
    "open_summarizer",
]
