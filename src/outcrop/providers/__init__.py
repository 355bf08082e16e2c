"""Embedders and language models: a local default, and any compatible endpoint."""

from __future__ import annotations

from outcrop.providers.embedder import Embedder
from outcrop.providers.endpoint import Endpoint
from outcrop.providers.language_model import LanguageModel
from outcrop.providers.registry import (
    open_embedder,
    open_language_model,
    open_summarizer,
)

__all__ = [
    "Embedder",
    "Endpoint",
    "LanguageModel",
    "open_embedder",
    "open_language_model",
    "open_summarizer",
]
