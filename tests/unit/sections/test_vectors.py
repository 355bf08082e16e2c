"""Vectors for sections."""

from dataclasses import replace

import pytest

from outcrop.providers import open_embedder
from outcrop.sections import MarkdownSplitter, embed_sections

np = pytest.importorskip("numpy")
pytest.importorskip("tokenizers")


def test_sections_get_the_vectors_of_their_contents():
    sections = MarkdownSplitter().split("# A\n\none\n\n# B\n\ntwo\n", "a.md", "h")
    dirty = [replace(section, is_dirty=True) for section in sections]
    embedder = open_embedder()
    embedded = embed_sections(dirty, embedder)
    for section, vector in zip(
        embedded, embedder.embed([s.content for s in sections]), strict=True
    ):
        assert np.array_equal(np.array(section.vector, dtype=np.float32), vector)
    assert sections == [replace(section, vector=None) for section in embedded]


def test_no_sections_give_none():
    assert embed_sections([], open_embedder()) == []


def test_an_embedder_may_give_lists():
    class Lists:
        def embed(self, texts):
            return [[float(len(text)), 1] for text in texts]

    [section] = embed_sections(MarkdownSplitter().split("one\n", "a.md", "h"), Lists())
    assert section.vector == (4.0, 1.0)
