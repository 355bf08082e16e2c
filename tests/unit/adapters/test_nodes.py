from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from markdown_text import documents
from test_promises import configs

from outcrop import ChunkConfig, MarkdownChunker
from outcrop.adapters.nodes import NodeMaker, make_nodes
from trees import GUIDE

LONG = "# Guide\n\n## Setup\n\n" + "\n\n".join(
    f"Paragraph {n} says something about the setup." for n in range(20)
)


def tree(text=GUIDE, **config):
    return NodeMaker(ChunkConfig(**config), hierarchy=True).make(text, "a.md")


def flat(text=GUIDE, **config):
    return NodeMaker(ChunkConfig(**config), hierarchy=False).make(text, "a.md")


def check(text, nodes):
    """Assert what nodes of one document have to keep, a tree or not."""
    by_id = {node.id: node for node in nodes}
    assert len(by_id) == len(nodes)
    for node in nodes:
        assert node.text == text[node.start : node.end]
        if node.parent:
            assert node.id in by_id[node.parent].children
            assert node.level == by_id[node.parent].level + 1
        if node.next:
            assert by_id[node.next].previous == node.id
            assert by_id[node.next].parent == node.parent
        if node.previous:
            assert by_id[node.previous].next == node.id
        for child in node.children:
            assert by_id[child].parent == node.id
            assert node.start <= by_id[child].start <= by_id[child].end <= node.end


@given(documents(), configs())
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_texts_are_spans_and_links_lead_both_ways(text, config):
    for hierarchy in (True, False):
        nodes = NodeMaker(config, hierarchy=hierarchy).make(text, "a.md")
        check(text, nodes)
        roots = [node for node in nodes if node.parent is None]
        assert len(roots) == 1 or not hierarchy or not text.strip()


def test_a_section_holds_all_of_its_text():
    setup = next(
        node
        for node in tree()
        if node.chunk.metadata["headers"] == ["Guide", "Setup"] and node.children
    )
    assert setup.text.startswith("# Guide\n\n## Setup\n\nInstall it first.")
    assert setup.text.endswith("### Windows\n\nUse the installer.")


def test_a_flat_list_is_linked_in_reading_order():
    nodes = flat(LONG, max_chunk_size=200)
    assert [node.next for node in nodes[:-1]] == [node.id for node in nodes[1:]]
    assert nodes[0].previous is None
    assert nodes[-1].next is None


def test_ids_stay_when_another_part_of_the_document_changes():
    before = {node.text: node.id for node in tree(max_chunk_size=40)}
    after = {
        node.text: node.id
        for node in tree(GUIDE.replace("Run it.", "Walk it."), max_chunk_size=40)
    }
    same = before.keys() & after.keys()
    assert "### Linux\n\nUse the package." in same
    assert all(before[text] == after[text] for text in same)


def test_a_text_can_carry_what_its_chunk_repeats():
    config = ChunkConfig(max_chunk_size=200)
    maker = NodeMaker(config, hierarchy=False, repeat_context=True)
    nodes = maker.make(LONG, "a.md")
    chunks = MarkdownChunker(config).chunk(LONG)
    assert [node.text for node in nodes] == [chunk.content for chunk in chunks]
    assert [node.start_line for node in nodes] == [c.start_line for c in chunks]
    assert maker.texts(LONG) == [chunk.content for chunk in chunks]


def test_the_first_line_is_that_of_the_text():
    nodes = flat(LONG, max_chunk_size=200)
    assert any(node.chunk.prefix for node in nodes)
    for node in nodes:
        assert node.start_line == LONG.count("\n", 0, node.start) + 1


@pytest.mark.parametrize("hierarchy", [True, False])
def test_a_blank_document_has_no_nodes(hierarchy):
    assert NodeMaker(ChunkConfig(), hierarchy=hierarchy).make(" \n", "a.md") == []


def test_nodes_can_be_made_of_chunks_that_are_there():
    chunker = MarkdownChunker(ChunkConfig())
    assert make_nodes(chunker.chunk(GUIDE), GUIDE, "a.md", is_tree=False) == flat()
    chunks = chunker.chunk_hierarchical(GUIDE).chunks
    assert make_nodes(chunks, GUIDE, "a.md", is_tree=True) == tree()


def test_ids_can_be_uuids():
    maker = NodeMaker(ChunkConfig(), hierarchy=True, uuid_ids=True)
    nodes = maker.make(GUIDE, "a.md")
    check(GUIDE, nodes)
    assert {len(node.id) for node in nodes} == {36}
