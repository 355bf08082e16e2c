"""Where an embedder runs."""

from __future__ import annotations

import numpy as np
import pytest

from outcrop.providers.embedder import Embedder, is_local
from outcrop.providers.local_embedder import LocalEmbedder
from outcrop.providers.openai_models import OpenAIEmbedder


class OwnEmbedder:
    """An embedder as a user may write one: the three members of the protocol alone."""

    name = "own"
    dimension = 2

    def embed(self, texts):
        return np.ones((len(texts), 2), np.float32)


def test_the_bundled_model_runs_here():
    assert is_local(LocalEmbedder())


def test_an_endpoint_does_not_run_here(monkeypatch):
    pytest.importorskip("openai")
    monkeypatch.setenv("OPENAI_API_KEY", "any")
    assert not is_local(OpenAIEmbedder())


def test_an_embedder_that_does_not_say_counts_as_remote():
    assert isinstance(OwnEmbedder(), Embedder)
    assert not is_local(OwnEmbedder())


def test_an_embedder_can_say_that_it_runs_here():
    embedder = OwnEmbedder()
    embedder.is_local = True
    assert is_local(embedder)
