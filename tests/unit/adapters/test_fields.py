from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from markdown_text import documents

from outcrop import ChunkConfig
from outcrop.adapters.fields import (
    EMBEDDED,
    HeadingLevels,
    haystack_fields,
    haystack_hierarchy,
    hit_fields,
    langchain_fields,
    node_fields,
)
from outcrop.adapters.nodes import NodeMaker
from outcrop.markdown import parse
from outcrop.model.hit import Hit
from trees import GUIDE

SINGLE = (str, int, float, bool)


def nodes_of(text, *, hierarchy=False, **config):
    return NodeMaker(ChunkConfig(**config), hierarchy=hierarchy).make(text, "a.md")


@pytest.mark.parametrize("hierarchy", [True, False])
def test_fields_are_single_values(hierarchy):
    for node in nodes_of(GUIDE, hierarchy=hierarchy):
        fields = node_fields(node)
        assert all(isinstance(value, SINGLE) for value in fields.values())
        assert fields.keys() >= EMBEDDED
        assert fields["chunk_id"] == node.id


def test_a_boundary_is_a_stage_and_a_rule():
    assert node_fields(nodes_of(GUIDE)[0])["boundary"] == "document/start"


def test_langchain_documents_are_flat_on_request():
    for node in nodes_of(GUIDE, hierarchy=True):
        fields = langchain_fields(node, HeadingLevels(GUIDE), flat=True)
        assert all(isinstance(value, SINGLE) for value in fields.values())


def test_langchain_documents_name_their_neighbours():
    first, second = nodes_of(GUIDE, max_chunk_size=50, min_chunk_size=1)[:2]
    levels = HeadingLevels(GUIDE)
    assert langchain_fields(first, levels)["next_id"] == second.id
    assert langchain_fields(second, levels)["previous_id"] == first.id
    assert "previous_id" not in langchain_fields(first, levels)


def test_haystack_documents_name_their_headings():
    node = next(n for n in nodes_of(GUIDE, hierarchy=True) if "Linux" in n.text[:9])
    fields = haystack_fields(node, "source", 3)
    assert fields["header"] == "Linux"
    assert fields["parent_headers"] == ["Guide", "Setup"]
    assert GUIDE[fields["split_idx_start"] : fields["split_idx_end"]] == node.text
    assert (fields["source_id"], fields["split_id"]) == ("source", 3)


def test_haystack_reads_links_from_names_of_its_own():
    root, *others = nodes_of(GUIDE, hierarchy=True)
    fields = haystack_hierarchy(root, 100)
    assert fields["__parent_id"] is None
    assert fields["__level"] == 0
    assert fields["__block_size"] == 0
    below = [o.id for o in others if haystack_hierarchy(o, 1)["__parent_id"] == root.id]
    assert fields["__children_ids"] == below
    leaf = next(other for other in others if other.is_leaf)
    assert haystack_hierarchy(leaf, 100)["__block_size"] == 100


@given(documents())
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_titles_have_the_levels_of_their_headings(text):
    document = parse(text)
    levels = HeadingLevels(text)
    known = {(f"Header {each.level}", each.title) for each in document.headings}
    known |= {("Header 1", document.title)} if document.title else set()
    for node in nodes_of(text, max_chunk_size=100):
        found = levels.titles(node.chunk)
        assert set(found.items()) <= known
        assert list(found.values()) == node.chunk.metadata["headers"]


def test_a_skipped_level_stays_skipped():
    text = "# A\n\n### B\n\nText.\n\n###### C\n\nMore.\n"
    last = nodes_of(text, max_chunk_size=20, min_chunk_size=1)[-1]
    found = HeadingLevels(text).titles(last.chunk)
    assert found == {"Header 1": "A", "Header 3": "B", "Header 6": "C"}


def test_equal_paths_of_other_levels_are_told_apart():
    text = "# A\n\n## B\n\n#### C\n\nOne.\n\n# A\n\n### B\n\n#### C\n\nTwo.\n"
    found = [
        list(HeadingLevels(text).titles(node.chunk))
        for node in nodes_of(text, max_chunk_size=30, min_chunk_size=1)
    ]
    assert found == [
        ["Header 1", "Header 2", "Header 4"],
        ["Header 1", "Header 3", "Header 4"],
    ]


def test_a_hit_is_described_by_single_values_that_are_there():
    hit = Hit(
        id="0123456789abcdef", path="docs/a.md", content="Text.", start_line=3,
        end_line=3, start_offset=10, end_offset=15, header_path="/A", headers=("A",),
        breadcrumb="a.md > A", score=1.5, kind="section",
    )  # fmt: skip
    fields = hit_fields(hit)
    assert fields["source"] == "docs/a.md"
    assert "summary" not in fields
    assert json.loads(json.dumps(fields)) == fields
    assert all(isinstance(value, SINGLE) for value in fields.values())
