from dataclasses import replace

import numpy as np
import pytest

from outcrop.errors import EmbeddingError
from outcrop.pipeline.embed import Embed
from outcrop.text.search_text import search_text
from unit.pipeline.chunks import make_chunk, make_context, make_document


class Counting:
    """An embedder that counts what it is asked for."""

    name = "counting"
    dimension = 2

    def __init__(self, *, short=0):
        self.texts = []
        self.short = short

    def embed(self, texts):
        self.texts += texts
        return np.ones((len(texts) - self.short, 2), dtype=np.float32)


def test_a_chunk_gets_a_vector_words_and_can_be_found():
    embedder = Counting()
    chunk = make_chunk("def total(): ...", title="shop.cart.total")

    (facts,) = Embed().run([chunk], make_context(embedder=embedder))

    assert facts.values["emb"].shape == (2,)
    assert facts.values["embed_model"] == "counting"
    assert facts.values["indexable"] is True
    assert facts.values["terms"]["total"] >= 2
    assert facts.values["search_hash"] == search_text(chunk).hash


def test_a_text_that_has_a_vector_of_this_model_is_not_embedded_again():
    embedder = Counting()
    chunk = make_chunk("x = 1")
    known = replace(chunk, search_hash=search_text(chunk).hash, embed_model="counting")
    other = replace(known, embed_model="another", chunk_id="d")

    first, second = Embed().run([known, other], make_context(embedder=embedder))

    assert "emb" not in first.values
    assert "emb" in second.values
    assert len(embedder.texts) == 1


def test_too_few_vectors_fail_the_batch():
    with pytest.raises(EmbeddingError, match="0 vectors for 1"):
        Embed().run([make_chunk("x")], make_context(embedder=Counting(short=1)))


def test_code_is_found_by_path_qualified_name_and_text():
    chunk = make_chunk(
        "return sum(items)", path="shop/cart.py", title="shop.Cart.total"
    )
    terms = search_text(chunk).terms

    assert {"shop", "cart", "total", "shop.cart.total", "item", "sum"} <= set(terms)
    assert "py" not in terms


def test_documents_are_found_by_their_headings():
    chunk = make_document("Open the valve.", section_path=("Pumps", "Start"))
    found = search_text(chunk)

    assert found.embedded == "Pumps > Start\nOpen the valve."
    assert found.terms["pump"] == 2


def test_where_a_chunk_stands_does_not_change_its_hash():
    chunk = make_chunk("x = 1", title="m.x")

    assert search_text(replace(chunk, start_line=9)).hash == search_text(chunk).hash
    assert search_text(replace(chunk, title="m.y")).hash != search_text(chunk).hash
