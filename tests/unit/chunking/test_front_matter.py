"""A title in the front matter heads every path; the block itself is not searched."""

from __future__ import annotations

import pytest

from outcrop import ChunkConfig, MarkdownChunker

HEADS = ["---\ntitle: T\n---\n", '+++\ntitle = "T"\n+++\n', '{\n"title": "T"\n}\n']
BODY = "\nIntro.\n\n## A\n\nText a.\n\n### B\n\nText b.\n"


def _tree(text, **settings):
    chunker = MarkdownChunker(ChunkConfig(max_chunk_size=200, **settings))
    return chunker.chunk_hierarchical(text, separate_front_matter=True)


@pytest.mark.parametrize("head", HEADS)
def test_the_title_heads_every_path_of_the_tree(head):
    tree = _tree(head + BODY)
    fields = [(c.metadata["header_path"], c.metadata["headers"]) for c in tree.chunks]
    assert all(path == "/" + "/".join(headers) for path, headers in fields)
    leaves = [c.metadata["header_path"] for c in tree.get_flat_chunks()]
    assert leaves == ["/T", "/T", "/T/A", "/T/A/B"]
    root = tree.get_chunk(tree.root_id)
    assert root.content == "# T\n\nIntro."
    assert root.metadata["header_path"] == "/T"


@pytest.mark.parametrize("head", HEADS)
def test_front_matter_is_a_leaf_of_its_own_that_is_not_searched(head):
    leaves = _tree(head + BODY).get_flat_chunks()
    assert leaves[0].content == head.strip()
    assert [leaf.metadata["indexable"] for leaf in leaves] == [False, True, True, True]
    assert leaves[1].content == "Intro."
    assert leaves[1].metadata["boundary"]["rule"] == "after_front_matter"
    assert leaves[1].metadata["header_level"] == 1


@pytest.mark.parametrize("head", HEADS)
def test_front_matter_alone_can_be_found(head):
    (leaf,) = _tree(head).get_flat_chunks()
    assert leaf.metadata["indexable"]
    assert leaf.metadata["header_path"] == "/T"


def test_all_parts_of_long_front_matter_are_left_out():
    lines = "".join(f"key{n}: {'v' * 20}\n" for n in range(40))
    text = f"---\ntitle: T\n{lines}---\n\nIntro.\n"
    leaves = _tree(text, oversize_blocks="split").get_flat_chunks()
    assert len(leaves) > 3
    assert [leaf.content for leaf in leaves if leaf.metadata["indexable"]] == ["Intro."]


def test_front_matter_and_the_text_after_it_are_one_leaf_by_default():
    leaves = MarkdownChunker().chunk_hierarchical(HEADS[0] + BODY).get_flat_chunks()
    assert leaves[0].content == HEADS[0] + "\nIntro."
    assert all(leaf.metadata["indexable"] for leaf in leaves)


def test_flat_chunks_have_the_title_too():
    chunks = MarkdownChunker(ChunkConfig(max_chunk_size=40)).chunk(HEADS[0] + BODY)
    assert {chunk.metadata["headers"][0] for chunk in chunks} == {"T"}
    whole = MarkdownChunker().chunk(HEADS[0] + BODY)
    assert [chunk.content for chunk in whole] == [(HEADS[0] + BODY).strip()]
    assert whole[0].metadata["indexable"]


def test_a_very_long_title_is_shortened():
    (chunk,) = MarkdownChunker().chunk(f"---\ntitle: {'x' * 900}\n---\n\ntext\n")
    assert len(chunk.metadata["headers"][0]) == 300
