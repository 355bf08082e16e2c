from __future__ import annotations

import json

import pytest

from outcrop import ChunkConfig, ChunkLevel, HierarchyBuilder, MarkdownChunker
from outcrop.errors import InputError
from trees import GUIDE, shape, tree_of


def test_sections_with_subsections_are_inner_nodes():
    assert shape(tree_of(GUIDE)) == (
        "Guide",
        [("Setup", ["Setup", "Linux", "Windows"]), "Usage"],
    )


def test_own_text_of_a_section_is_its_first_child_of_the_same_level():
    tree = tree_of(GUIDE)
    setup = tree.get_children(tree.root_id)[0]
    own, *_ = tree.get_children(setup.chunk_id)
    assert own.metadata["header_level"] == setup.metadata["header_level"] == 2
    assert own.content.endswith("Install it first.")


def test_inner_node_spans_its_whole_section_and_is_not_indexable():
    tree = tree_of(GUIDE)
    setup = tree.get_children(tree.root_id)[0]
    span = GUIDE[setup.start_offset : setup.end_offset]
    assert span.startswith("# Guide\n\n## Setup")
    assert span.endswith("Use the installer.")
    assert setup.content == "## Setup\n\nInstall it first."
    assert not setup.metadata["indexable"]
    assert not setup.metadata["is_leaf"]


def test_title_without_text_is_the_root():
    tree = tree_of(GUIDE)
    root = tree.get_chunk(tree.root_id)
    assert root.metadata["is_root"]
    assert root.metadata["header_path"] == "/Guide"
    assert root.content == "# Guide\n\nInstall it first."
    assert "Guide" not in [c.metadata["headers"][-1] for c in tree.chunks[1:]]


def test_leaf_takes_the_headings_above_it_that_have_no_text():
    leaves = tree_of(GUIDE).get_flat_chunks()
    assert leaves[0].content == "# Guide\n\n## Setup\n\nInstall it first."


def test_ancestors_lead_from_parent_to_root():
    tree = tree_of(GUIDE)
    linux = next(c for c in tree.chunks if c.metadata["header_path"].endswith("Linux"))
    paths = [c.metadata["header_path"] for c in tree.get_ancestors(linux.chunk_id)]
    assert paths == ["/Guide/Setup", "/Guide"]


def test_siblings_include_the_node_itself_and_the_root_has_only_itself():
    tree = tree_of(GUIDE)
    first, second = tree.get_children(tree.root_id)
    assert tree.get_siblings(second.chunk_id) == [first, second]
    assert tree.get_siblings(tree.root_id) == [tree.get_chunk(tree.root_id)]


def test_nodes_are_found_by_level():
    tree = tree_of(GUIDE)
    assert len(tree.get_by_level(ChunkLevel.DOCUMENT)) == 1
    titles = {c.metadata["headers"][-1] for c in tree.get_by_level(2)}
    assert titles == {"Setup", "Usage"}


def test_breadcrumb_and_outline_show_the_way():
    tree = tree_of(GUIDE)
    windows = tree.get_by_level(ChunkLevel.PARAGRAPH)[-1]
    assert tree.breadcrumb(windows.chunk_id) == "Guide > Setup > Windows"
    assert tree.outline() == "- Setup\n  - Linux\n  - Windows\n- Usage"


def test_unknown_id_gives_nothing():
    tree = tree_of(GUIDE)
    assert tree.get_chunk("nope") is None
    assert tree.get_parent("nope") is None
    assert tree.get_children("nope") == []
    assert tree.get_siblings("nope") == []
    assert tree.get_ancestors("nope") == []
    assert tree.breadcrumb("nope") == ""


def test_tree_dict_has_no_cycle_and_holds_every_node():
    tree = tree_of(GUIDE)

    def count(node):
        return 1 + sum(count(child) for child in node["children"])

    assert count(json.loads(json.dumps(tree.to_tree_dict()))) == len(tree.chunks)


def test_document_without_headings_is_a_root_and_a_leaf():
    tree = tree_of("Just plain text.")
    root, leaf = tree.chunks
    assert root.content == "# Document\n\nJust plain text."
    assert leaf.content == "Just plain text."
    assert tree.get_flat_chunks() == [leaf]


def test_headings_without_any_text_are_sibling_leaves():
    tree = tree_of("# H1\n\n## H2\n\n### H3")
    leaves = tree.get_children(tree.root_id)
    assert [leaf.content for leaf in leaves] == ["# H1", "## H2", "### H3"]
    assert all(leaf.metadata["is_leaf"] for leaf in leaves)


def test_empty_subsections_are_leaves_of_their_section():
    tree = tree_of("# T\n\nintro\n\n## A\n\ntext\n\n### B\n\n### C\n")
    assert shape(tree) == ("T", [("T", ["T", ("A", ["A", "B", "C"])])])


def test_preamble_is_a_child_of_the_root_and_its_summary():
    tree = tree_of("Some preamble text.\n\n# Main\n\nContent.")
    preamble = tree.get_children(tree.root_id)[0]
    assert preamble.metadata["content_type"] == "preamble"
    assert tree.get_chunk(tree.root_id).content == "# Main\n\nSome preamble text."


def test_h3_without_h2_hangs_on_the_h1():
    tree = tree_of("# A\n\nintro\n\n### C\n\ndeep")
    assert shape(tree) == ("A", [("A", ["A", "C"])])


def test_only_h1_sections_are_flat_siblings():
    tree = tree_of("# One\n\na\n\n# Two\n\nb\n\n# Three\n\nc")
    assert shape(tree) == ("One", ["One", "Two", "Three"])


def test_six_levels_keep_their_path_and_end_at_level_three():
    text = "".join(f"{'#' * n} L{n}\n" for n in range(1, 7)) + "\nDeep content.\n"
    tree = tree_of(text)
    (leaf,) = tree.get_flat_chunks()
    assert leaf.metadata["header_path"] == "/L1/L2/L3/L4/L5/L6"
    assert leaf.metadata["hierarchy_level"] == ChunkLevel.PARAGRAPH
    assert len(tree.get_ancestors(leaf.chunk_id)) == 5


def test_same_title_twice_under_one_parent_makes_two_nodes():
    text = "# D\n\n## S\n\na\n\n### X\n\nb\n\n## S\n\nc\n\n### X\n\nd"
    assert shape(tree_of(text)) == (
        "D",
        [("S", ["S", "X"]), ("S", ["S", "X"])],
    )


def test_parts_of_a_split_section_are_siblings():
    body = "\n\n".join(f"Paragraph {n}. " * 8 for n in range(10))
    tree = tree_of(f"# Doc\n\n## Long\n\n{body}", max_chunk_size=300)
    leaves = tree.get_flat_chunks()
    assert len(leaves) > 3
    assert {leaf.metadata["parent_id"] for leaf in leaves} == {tree.root_id}
    assert tree.outline() == "- Long"


def test_blank_document_is_an_empty_tree():
    tree = tree_of(" \n\t\n")
    assert (tree.chunks, tree.root_id, tree.strategy_used) == ([], "", "none")
    assert tree.to_tree_dict() == {}
    assert tree.outline() == ""


def test_without_summary_there_is_still_one_tree():
    tree = tree_of(GUIDE, include_document_summary=False)
    assert tree.get_chunk(tree.root_id).content == "# Guide"
    assert shape(tree) == shape(tree_of(GUIDE))


def test_long_opening_is_cut_at_a_sentence():
    sentence = "This sentence is exactly what it says it is. "
    tree = tree_of("# T\n\n" + sentence * 40)
    summary = tree.get_chunk(tree.root_id).content.removeprefix("# T\n\n")
    assert 250 < len(summary) <= 500
    assert summary.endswith("says it is.")


def test_front_matter_is_no_summary():
    tree = tree_of("---\ntitle: x\n---\n\n# T\n\nReal words.")
    assert tree.get_chunk(tree.root_id).content == "# T\n\nReal words."


def test_builder_takes_flat_chunks_too():
    chunks = MarkdownChunker(ChunkConfig(max_chunk_size=60)).chunk(GUIDE)
    tree = HierarchyBuilder().build(chunks, GUIDE)
    assert [c.content for c in tree.get_flat_chunks()] == [c.content for c in chunks]


@pytest.mark.parametrize("wrong", [None, b"# x", 3])
def test_what_is_no_text_is_refused(wrong):
    with pytest.raises(TypeError, match=type(wrong).__name__):
        MarkdownChunker().chunk_hierarchical(wrong)


def test_hierarchy_fields_are_a_small_share_of_the_json():
    words = "Some words that fill up a line of ordinary documentation. "
    text = "# T\n\n" + "".join(f"## S{n}\n\n{words * 15}\n\n" for n in range(50))
    leaves = tree_of(text, max_chunk_size=1000).get_flat_chunks()
    own = {
        "parent_id", "children_ids", "prev_sibling_id", "next_sibling_id",
        "hierarchy_level", "is_leaf", "is_root",
    }  # fmt: skip
    whole = sum(
        len(json.dumps({"content": c.content, "metadata": c.metadata})) for c in leaves
    )
    fields = sum(
        len(json.dumps({k: v for k, v in c.metadata.items() if k in own}))
        for c in leaves
    )
    assert 800 <= len(leaves[5].content) <= 1000
    assert fields / whole <= 0.15


def test_row_2_49_children_come_in_pages():
    tree = tree_of("# Top\n\n" + "".join(f"## S{n}\n\nText.\n\n" for n in range(5)))
    every = tree.get_children(tree.root_id)
    assert tree.get_children(tree.root_id, limit=2, offset=1) == every[1:3]
    assert tree.get_children(tree.root_id, offset=3) == every[3:]
    assert tree.get_children(tree.root_id, limit=0) == []
    assert tree.get_children("unknown", limit=2) == []
    for wrong in ({"limit": -1}, {"offset": -1}):
        with pytest.raises(InputError, match="must be at least 0"):
            tree.get_children(tree.root_id, **wrong)
