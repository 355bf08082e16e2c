"""Opening embedders and models by name."""

import sys
from importlib.machinery import ModuleSpec
from types import ModuleType

import pytest

from outcrop.errors import ConfigError, MissingExtraError
from outcrop.providers import (
    Endpoint,
    open_embedder,
    open_language_model,
    open_reranker,
    open_summarizer,
)
from outcrop.providers.registry import EMBEDDERS


@pytest.mark.parametrize(
    ("open_it", "known"),
    [
        (open_embedder, ", ".join(EMBEDDERS)),
        (open_summarizer, "extractive, openai"),
        (open_language_model, "openai"),
    ],
)
def test_unknown_name_is_refused_with_the_known_ones(open_it, known):
    with pytest.raises(ConfigError, match="'nonsense:x'; choose one of") as caught:
        open_it("nonsense:x")
    assert known in str(caught.value)


def test_the_names_that_indexes_and_settings_may_have_are_known():
    models = {"outcrop-static-256-v1", "wordllama-l2-supercat-256"}
    assert {"local", "wordllama", "openai"} | models <= EMBEDDERS.keys()


@pytest.mark.parametrize("open_it", [open_embedder, open_summarizer])
def test_model_of_something_that_has_one_only_is_refused(open_it):
    kind = "local" if open_it is open_embedder else "extractive"
    with pytest.raises(ConfigError, match="'large' is unknown"):
        open_it(f"{kind}:large")


LIBRARIES = {
    "model2vec": "model2vec",
    "fastembed": "fastembed",
    "sentence-transformers": "sentence_transformers",
}


@pytest.mark.parametrize("kind", LIBRARIES)
def test_missing_library_of_a_model_names_the_extra(kind, monkeypatch):
    monkeypatch.setitem(sys.modules, LIBRARIES[kind], None)
    expected = rf"the embedder {kind} .*pip install 'outcrop\[{kind}\]'"
    with pytest.raises(MissingExtraError, match=expected):
        open_embedder(f"{kind}:model")


def test_missing_library_of_a_reranker_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "fastembed", None)
    with pytest.raises(MissingExtraError, match=r"the reranker .*outcrop\[fastembed\]"):
        open_reranker("fastembed:model")


@pytest.mark.parametrize("kind", LIBRARIES)
def test_a_library_without_a_model_is_refused(kind, monkeypatch):
    module = ModuleType(LIBRARIES[kind])
    module.__spec__ = ModuleSpec(LIBRARIES[kind], None)
    monkeypatch.setitem(sys.modules, LIBRARIES[kind], module)
    with pytest.raises(ConfigError, match=f"{kind} needs a model; write {kind}:MODEL"):
        open_embedder(kind)


def test_dimension_that_is_no_number_is_refused():
    with pytest.raises(ConfigError, match="dimension is 'big'"):
        open_embedder("openai:text-embedding-3-small@big")


def test_missing_client_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "openai", None)
    for open_it in (open_embedder, open_summarizer, open_language_model):
        with pytest.raises(MissingExtraError, match=r"outcrop\[openai\]"):
            open_it("openai:model")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"attempts": 0}, "attempts is 0"),
        ({"timeout": 0.0}, "timeout is 0.0"),
        ({"base_url": "user:secret@host"}, "base_url is 'host'"),
        ({"base_url": "localhost:11434"}, "base_url is 'localhost:11434'"),
    ],
)
def test_wrong_setting_of_an_endpoint_is_refused(settings, message):
    with pytest.raises(ConfigError, match=message):
        Endpoint(**settings)
