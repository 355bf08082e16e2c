from __future__ import annotations

import json

import pytest

from outcrop import (
    ChunkConfig,
    ChunkLevel,
    HierarchyBuilder,
    InvariantValidator,
    MarkdownChunker,
)
from trees import GUIDE, shape, tree_of

WORDS = "Some words that fill up a line of ordinary documentation. "


def lines_of(text, chunk):
    """First and last line of a node's own span, counted from 1."""
    return (
        text.count("\n", 0, chunk.start_offset) + 1,
        text.count("\n", 0, chunk.end_offset - 1) + 1,
    )


def test_several_h1_with_text_are_children_of_one_root():
    text = "# One\n\na\n\n## A\n\nb\n\n# Two\n\nc\n\n## B\n\nd\n"
    assert shape(tree_of(text)) == (
        "One",
        [("One", ["One", "A"]), ("Two", ["Two", "B"])],
    )


def test_h2_and_h3_without_any_h1_make_a_tree():
    text = "## 1.1\n\n### Added\n\na\n\n### Fixed\n\nb\n\n## 1.0\n\n### Added\n\nc\n"
    tree = tree_of(text)
    assert shape(tree) == (
        "1.1",
        [("1.1", ["Added", "Fixed"]), ("1.0", ["Added"])],
    )
    assert tree.outline() == ("- 1.1\n  - Added\n  - Fixed\n- 1.0\n  - Added")


def test_a_deeper_heading_before_a_higher_one_is_its_sibling():
    text = "# T\n\nintro\n\n#### Deep\n\na\n\n## Two\n\nb\n\n### Three\n\nc\n"
    assert shape(tree_of(text)) == (
        "T",
        [("T", ["T", "Deep", ("Two", ["Two", "Three"])])],
    )


def test_setext_headings_make_the_same_tree():
    text = "Guide\n=====\n\nSetup\n-----\n\nInstall it first.\n\n### Linux\n\nUse it.\n"
    tree = tree_of(text)
    assert shape(tree) == ("Guide", [("Setup", ["Setup", "Linux"])])
    assert tree.chunks[1].content == "Setup\n-----\n\nInstall it first."


def test_headings_in_lists_quotes_and_code_are_no_nodes():
    text = (
        "# T\n\n- # item\n\n> ## quote\n\n```\n### code\n```\n\n<div>\n# html\n</div>\n"
    )
    assert shape(tree_of(text)) == ("T", ["T"])


def test_line_ends_and_a_byte_order_mark_change_nothing_in_the_tree():
    text = "\ufeff" + GUIDE.replace("\n", "\r\n")
    tree, plain = tree_of(text), tree_of(GUIDE)
    assert shape(tree) == shape(plain)
    assert [(c.start_line, c.end_line) for c in tree.chunks] == [
        (c.start_line, c.end_line) for c in plain.chunks
    ]


def test_front_matter_alone_before_the_title_is_a_preamble():
    tree = tree_of("---\ntitle: x\n---\n\n# T\n\n## A\n\nw\n")
    first, second = tree.get_children(tree.root_id)
    assert first.metadata["content_type"] == "preamble"
    assert first.metadata["header_path"] == "/__preamble__"
    assert second.metadata["header_path"] == "/T/A"
    assert tree.breadcrumb(first.chunk_id) == "T"


def test_parts_of_own_text_come_before_the_subsections():
    tree = tree_of(f"# T\n\n{WORDS * 12}\n\n## A\n\na\n", max_chunk_size=200)
    (section,) = tree.get_children(tree.root_id)
    *parts, last = tree.get_children(section.chunk_id)
    assert len(parts) > 2
    assert [part.metadata["split_index"] for part in parts] == list(range(len(parts)))
    assert {part.metadata["header_path"] for part in parts} == {"/T"}
    assert last.metadata["header_path"] == "/T/A"
    assert tree.get_siblings(parts[1].chunk_id) == [*parts, last]
    assert tree.outline() == "- T\n  - A"


def test_a_later_part_repeats_the_heading_but_lies_inside_its_parent():
    text = f"# T\n\nintro\n\n## A\n\n{WORDS * 12}\n\n### B\n\nb\n"
    tree = tree_of(text, max_chunk_size=200)
    section = next(c for c in tree.chunks if c.metadata["header_path"] == "/T/A")
    parts = tree.get_children(section.chunk_id)
    assert parts[1].prefix == "## A\n\n"
    for part in parts:
        assert section.start_offset <= part.start_offset
        assert part.end_offset <= section.end_offset
    first, last = lines_of(text, section)
    assert (first, last) == (section.start_line, section.end_line) == (5, 11)


@pytest.mark.parametrize("blocks", ["keep", "split"])
def test_large_blocks_are_leaves_of_their_section(blocks):
    code = "```py\n" + "x = 1\n" * 60 + "```\n"
    text = f"# T\n\n## Code\n\n{code}\n## After\n\nb\n"
    tree = tree_of(text, max_chunk_size=120, oversize_blocks=blocks)
    leaves = tree.get_flat_chunks()
    assert shape(tree)[0] == "T"
    assert {leaf.metadata["parent_id"] for leaf in leaves} == {tree.root_id}
    assert (len(leaves) > 2) == (blocks == "split")
    assert all(leaf.content.count("```") in {0, 2} for leaf in leaves)


def test_sections_of_a_document_with_much_code_are_not_merged():
    text = "# T\n\na\n\n```\nx\n```\n\n## A\n\nb\n\n```\ny\n```\n\n## B\n\nc\n"
    tree = tree_of(text)
    assert tree.strategy_used == "code_aware"
    assert shape(tree) == ("T", [("T", ["T", "A", "B"])])


def test_an_inner_node_without_own_text_opens_with_that_of_its_subsections():
    text = "# T\n\nintro\n\n## A\n\n### B\n\n#### C\n\nFirst words.\n\n### D\n\nLast.\n"
    tree = tree_of(text)
    contents = {c.metadata["header_path"]: c.content for c in reversed(tree.chunks)}
    assert contents["/T/A"] == "## A\n\nFirst words."
    assert contents["/T/A/B"] == "### B\n\nFirst words."


@pytest.mark.parametrize("text", [GUIDE, "Intro.\n\n# A\n\n## B\n\n### C\n\nx\n"])
def test_no_inner_node_is_a_heading_alone_where_there_is_text(text):
    inner = [node for node in tree_of(text).chunks if not node.metadata["is_leaf"]]
    assert len(inner) > 1
    assert all("\n\n" in node.content for node in inner)


def test_a_list_as_opening_is_cut_at_a_line():
    text = "# T\n\n" + "".join(f"- item {n} of the list\n" for n in range(60))
    summary = tree_of(text).chunks[0].content.removeprefix("# T\n\n")
    assert 250 < len(summary) <= 500
    assert all(line.endswith("of the list") for line in summary.split("\n"))


def test_a_long_preamble_is_cut_like_any_other_opening():
    tree = tree_of(f"{WORDS * 30}\n\n# T\n\ntext\n")
    summary = tree.chunks[0].content.removeprefix("# T\n\n")
    assert 250 < len(summary) <= 500
    assert summary.endswith("documentation.")


def test_ids_of_nodes_elsewhere_survive_an_edit():
    before, after = tree_of(GUIDE), tree_of(GUIDE.replace("Run it.", "Start it."))
    known = {chunk.chunk_id for chunk in before.chunks}
    new = [chunk for chunk in after.chunks if chunk.chunk_id not in known]
    assert [chunk.metadata["header_path"] for chunk in new] == ["/Guide/Usage"]


def test_equal_sections_have_ids_of_their_own():
    section = "## S\n\nsame\n\n### X\n\nsame\n\n"
    tree = tree_of("# D\n\n" + section * 3)
    ids = [chunk.chunk_id for chunk in tree.chunks]
    assert len(ids) == len(set(ids)) == 10


def test_a_leaf_that_is_a_flat_chunk_too_has_the_same_id():
    text = "# A\n\n" + WORDS * 8 + "\n\n# B\n\n" + WORDS * 8 + "\n"
    config = ChunkConfig(max_chunk_size=600, strategy="structural")
    flat = MarkdownChunker(config).chunk(text)
    leaves = MarkdownChunker(config).chunk_hierarchical(text).get_flat_chunks()
    assert [c.chunk_id for c in flat] == [c.chunk_id for c in leaves]


def test_every_node_has_a_level_and_only_one_is_the_root():
    tree = tree_of(GUIDE)
    by_level = [node for level in ChunkLevel for node in tree.get_by_level(level)]
    assert len(by_level) == len(tree.chunks)
    roots = [node for node in tree.chunks if node.metadata.get("is_root")]
    assert [root.chunk_id for root in roots] == [tree.root_id]
    assert all(leaf.metadata["indexable"] for leaf in tree.get_flat_chunks())


def test_tree_dict_previews_and_places_every_node():
    tree = tree_of(f"# T\n\n{WORDS * 5}\n")
    root = tree.to_tree_dict()
    (leaf,) = root["children"]
    assert leaf["content_preview"] == f"# T\n\n{WORDS * 5}"[:100] + "..."
    assert (leaf["header_path"], leaf["level"], leaf["is_leaf"]) == ("/T", 1, True)
    assert (root["start_line"], root["end_line"]) == (1, 3)
    assert root["id"] == tree.root_id


def test_a_tree_is_measured_in_tokens_too():
    text = f"# T\n\n## A\n\n{WORDS * 20}\n\n## B\n\nb\n"
    tree = tree_of(text, max_chunk_size=30, length=lambda part: len(part.split()))
    leaves = tree.get_flat_chunks()
    assert len(leaves) > 5
    assert all(len(leaf.content.split()) <= 30 for leaf in leaves)
    assert [c.metadata["header_path"] for c in tree.get_children(tree.root_id)][
        -1
    ] == "/T/B"


def test_the_same_text_gives_the_same_tree():
    assert tree_of(GUIDE) == tree_of(GUIDE)


def test_a_tree_leaves_the_chunks_it_is_made_of_as_they_were():
    chunks = MarkdownChunker(ChunkConfig(max_chunk_size=60)).chunk(GUIDE)
    before = json.dumps([chunk.metadata for chunk in chunks])
    HierarchyBuilder().build(chunks, GUIDE)
    assert json.dumps([chunk.metadata for chunk in chunks]) == before


def test_the_outline_keeps_the_nesting_of_headings_without_text():
    text = "# T\n\nintro\n\n## C\n\ntext\n\n### D\n\n#### E\n\n## F\n"
    assert tree_of(text).outline() == "- T\n  - C\n    - D\n      - E\n  - F"


def test_the_outline_names_every_chapter_of_several():
    text = "# One\n\n## A\n\ntext\n\n# Two\n\n## B\n\ntext\n"
    assert tree_of(text).outline() == "- One\n  - A\n- Two\n  - B"


def test_the_outline_has_a_section_whose_heading_follows_one_that_was_cut():
    text = "# Alpha\n\n## " + "Beta " * 30 + "\n\n### C\n\nx\n"
    assert tree_of(text, max_chunk_size=100).outline().endswith("\n  - C")


def test_the_outline_names_a_heading_without_a_title():
    assert tree_of("#\n\ntext\n\n##\n\nmore\n").outline() == (
        "- (untitled)\n  - (untitled)"
    )


@pytest.mark.parametrize(
    "no_words",
    [
        "[![build](https://example.org/b.svg)](https://example.org/b)",
        '<a id="anchor"></a>',
        "![logo](logo.png)\n![badge][b]\n\n[b]: https://example.org",
        "<p align=center>\n<img src=logo.png>\n</p>",
        "---",
    ],
)
def test_the_opening_of_a_document_has_words(no_words):
    tree = tree_of(f"# T\n\n{no_words}\n\nReal words.\n\n## A\n\ntext\n")
    assert tree.chunks[0].content == "# T\n\nReal words."
    assert tree.chunks[1].content == "# T\n\nReal words."


def test_code_opens_a_document_where_there_are_no_words():
    tree = tree_of("# T\n\n```\ncode\n```\n")
    assert tree.chunks[0].content == "# T\n\n```\ncode\n```"


def test_the_strategy_is_the_one_that_cut_the_leaves():
    tree = tree_of("# A\n\ntext\n\n## B\n\nx\n")
    assert tree.strategy_used == "structural"
    assert {c.metadata["strategy"] for c in tree.chunks} == {"structural"}


@pytest.mark.parametrize(
    "text", ["# H1\n\n## H2\n\n### H3", GUIDE, "# T\n\na\n\n## B\n"]
)
def test_the_leaves_of_a_tree_keep_every_promise(text):
    config = ChunkConfig(max_chunk_size=200)
    leaves = MarkdownChunker(config).chunk_hierarchical(text).get_flat_chunks()
    result = InvariantValidator(config, strict=True).validate(leaves, text)
    assert result.errors == []
    assert result.coverage == 1.0
