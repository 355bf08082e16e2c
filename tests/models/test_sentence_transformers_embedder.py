"""Embedding with a model of sentence-transformers that is made on the spot."""

from __future__ import annotations

import pytest

from outcrop.errors import EmbeddingError
from outcrop.providers import open_embedder
from outcrop.providers.embedder import embed_question

library = pytest.importorskip(
    "sentence_transformers", reason="needs the extra sentence-transformers"
)
np = pytest.importorskip("numpy")


@pytest.fixture
def folder(tmp_path, rows, tokenizer):
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding

    made = tmp_path / "static-model"
    module = StaticEmbedding(tokenizer, embedding_weights=rows)
    model = library.SentenceTransformer(
        modules=[module], device="cpu", prompts={"query": "query: ", "document": ""}
    )
    model.save(str(made))
    return made


def test_passages_are_embedded_in_batches_at_unit_length(folder, rows):
    embedder = open_embedder(f"sentence-transformers:{folder}")
    vectors = embedder.embed(["mail", *["parse dates"] * 150, ""])
    assert vectors.shape == (152, 4)
    assert embedder.dimension == 4
    assert np.allclose(vectors[0], rows[5] / np.linalg.norm(rows[5]), atol=1e-5)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_a_question_gets_the_prefix_of_the_model(folder):
    embedder = open_embedder(f"sentence-transformers:{folder}")
    expected, plain = embedder.embed(["query: mail", "mail"])
    found = embed_question(embedder, "mail")
    assert np.allclose(found, expected, atol=1e-5)
    assert not np.allclose(found, plain, atol=1e-2)


def test_code_that_comes_with_a_model_is_not_run(folder):
    (folder / "evil.py").write_text("raise SystemExit('run')\n")
    modules = folder / "modules.json"
    modules.write_text(
        '[{"idx": 0, "name": "0", "path": "", "type": "evil.Evil"}]', encoding="utf-8"
    )
    embedder = open_embedder(f"sentence-transformers:{folder}")
    with pytest.raises(EmbeddingError, match="sentence-transformers cannot load"):
        embedder.embed(["mail"])
