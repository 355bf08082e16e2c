"""What the benchmark of the tree makes of documents."""

from __future__ import annotations

import json

import hierarchy
import pytest
from _markdown_report import insert

from outcrop import ChunkConfig, MarkdownChunker

WORDS = "Some words that fill a line of ordinary documentation. "
TEXT = "# T\n\n" + "".join(f"## S{n}\n\n{WORDS * 16}\n\n" for n in range(20))


def test_the_fields_of_the_hierarchy_are_those_that_flat_chunks_have_not():
    chunker = MarkdownChunker(ChunkConfig(max_chunk_size=1000))
    (flat, *_), leaves = chunker.chunk(TEXT), chunker.chunk_hierarchical(TEXT)
    leaf = leaves.get_flat_chunks()[1]
    assert set(leaf.metadata) - set(flat.metadata) >= hierarchy.FIELDS
    assert not hierarchy.FIELDS & set(flat.metadata)


def test_only_leaves_of_the_asked_size_are_counted():
    leaves = hierarchy.find_leaves([TEXT, "# Short\n\ntext\n"], None)
    assert len(leaves) == 20
    assert all(800 <= len(leaf.content) <= 1000 for leaf in leaves)


def test_the_share_is_that_of_the_fields_in_the_json():
    (leaf, *_) = hierarchy.find_leaves([TEXT], 0)
    fields = {name: leaf.metadata[name] for name in hierarchy.FIELDS}
    share = hierarchy.share_of_fields([leaf])
    expected = len(json.dumps(fields)) / (len(leaf.content) + len(str(leaf.metadata)))
    assert share == pytest.approx(expected, rel=0.15)
    assert hierarchy.share_of_fields([]) == 0.0


def test_both_ways_are_timed_on_the_same_documents():
    found = hierarchy.time_both([TEXT, TEXT], 1000, rounds=1)
    assert found.chunks == 40
    assert found.nodes > found.chunks
    assert found.ratio == found.tree / found.flat > 0


def test_joined_documents_are_as_large_as_asked():
    joined = hierarchy.join(["# A\n", "# B\n"], 100)
    assert 95 <= len(joined) <= 110
    assert joined.startswith("# A\n\n\n# B\n")


def test_a_section_of_its_own_goes_between_its_own_marks():
    page = insert("# Benchmarks\n", "one")
    page = insert(page, "two", (hierarchy.START, hierarchy.END))
    page = insert(page, "three", (hierarchy.START, hierarchy.END))
    assert "one" in page
    assert "two" not in page
    assert page.count("three") == page.count(hierarchy.START) == 1
