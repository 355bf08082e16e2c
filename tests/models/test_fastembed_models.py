"""Embedding and reranking with ONNX models that are made on the spot."""

from __future__ import annotations

from uuid import uuid4

import pytest

from outcrop.errors import EmbeddingError, RerankError
from outcrop.providers import open_embedder, open_reranker
from outcrop.providers.embedder import embed_question
from outcrop.providers.library_models import FastembedEmbedder, FastembedReranker

fastembed = pytest.importorskip("fastembed", reason="needs the extra fastembed")
onnx = pytest.importorskip("onnx", reason="makes the models")
np = pytest.importorskip("numpy")

INPUTS = ("input_ids", "attention_mask")


def save_model(file, nodes, table, output):
    """Write a model whose first node looks tokens up in a table."""
    from onnx import TensorProto, helper, numpy_helper

    sequence = ["batch", "sequence"]
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info(n, TensorProto.INT64, sequence) for n in INPUTS],
        [helper.make_tensor_value_info(*output)],
        [numpy_helper.from_array(table, "table")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    onnx.save(model, file)


@pytest.fixture
def embedder(onnx_folder, rows):
    from fastembed.common.model_description import ModelSource, PoolingType
    from onnx import TensorProto, helper

    look_up = helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"])
    shape = ["batch", "sequence", 4]
    save_model(
        onnx_folder / "model.onnx",
        [look_up],
        rows,
        ("last_hidden_state", TensorProto.FLOAT, shape),
    )
    name = f"test/{uuid4().hex}"  # known to the process from now on
    fastembed.TextEmbedding.add_custom_model(
        model=name,
        pooling=PoolingType.MEAN,
        normalization=True,
        sources=ModelSource(hf=name),
        dim=4,
        model_file="model.onnx",
    )
    return FastembedEmbedder(name, folder=onnx_folder)


def test_passages_are_embedded_in_batches_at_unit_length(embedder, rows):
    vectors = embedder.embed(["mail", *["parse dates"] * 150, ""])
    assert vectors.shape == (152, 4)
    assert embedder.dimension == 4
    assert np.allclose(vectors[0], rows[5] / np.linalg.norm(rows[5]), atol=1e-5)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_a_question_is_embedded_as_the_model_wants(embedder):
    [expected] = embedder.embed(["mail"])
    assert np.allclose(embed_question(embedder, "mail"), expected, atol=1e-5)


def test_an_unknown_model_is_an_embedding_error():
    embedder = open_embedder("fastembed:no/such-model")
    with pytest.raises(EmbeddingError, match="cannot load 'no/such-model'"):
        embedder.embed(["mail"])


@pytest.fixture
def reranker(onnx_folder):
    """A cross-encoder that likes mail: the score is the mean over all tokens."""
    from fastembed.common.model_description import ModelSource
    from fastembed.rerank.cross_encoder import TextCrossEncoder
    from onnx import TensorProto, helper

    table = np.zeros((8, 1), dtype=np.float32)
    table[5] = 1.0
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["rows"]),
        helper.make_node("ReduceMean", ["rows"], ["logits"], axes=[1], keepdims=0),
    ]
    save_model(
        onnx_folder / "model.onnx",
        nodes,
        table,
        ("logits", TensorProto.FLOAT, ["batch", 1]),
    )
    name = f"test/{uuid4().hex}"
    TextCrossEncoder.add_custom_model(
        model=name, sources=ModelSource(hf=name), model_file="model.onnx"
    )
    return FastembedReranker(name, folder=onnx_folder)


def test_a_cross_encoder_scores_each_text(reranker):
    scores = reranker.score("send", ["parse dates", "mail mail", ""])
    assert scores[1] > scores[0] == scores[2]
    assert reranker.score("send", []) == []


def test_an_unknown_cross_encoder_is_a_rerank_error():
    reranker = open_reranker("fastembed:no/such-model")
    with pytest.raises(RerankError, match="fastembed:no/such-model cannot rerank"):
        reranker.score("send", ["mail"])
