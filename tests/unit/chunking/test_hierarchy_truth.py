"""Trees against the parser's own view of real documents.

What the tree has to be follows from the headings and the text between them alone. It is
worked out here anew, from the parser's events, and compared node by node.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from outcrop import ChunkConfig, MarkdownChunker
from promises import read_truth

if TYPE_CHECKING:
    from outcrop import Chunk, HierarchicalChunkingResult

DOCUMENTS = sorted(
    path
    for path in (Path(__file__).parents[2] / "documents").glob("*.md")
    if path.stem != "README"
)


@dataclass
class Section:
    """A heading and everything up to the next one that is not below it."""

    start: int
    text_start: int
    level: int
    title: str
    own_end: int = 0
    end: int = 0
    parent: Section | None = None
    has_own_text: bool = False
    has_text: bool = False
    has_subsections: bool = False
    is_title: bool = False

    @property
    def is_node(self) -> bool:
        return self.has_subsections and self.has_text and not self.is_title

    @property
    def path(self) -> list[str]:
        return [*(self.parent.path if self.parent else []), self.title]


def sections_of(text: str) -> list[Section]:
    found = [Section(*heading) for heading in read_truth(text).headings]
    open_sections: list[Section] = []
    for number, section in enumerate(found, start=1):
        section.own_end = found[number].start if number < len(found) else len(text)
        section.has_own_text = bool(text[section.text_start : section.own_end].strip())
        while open_sections and open_sections[-1].level >= section.level:
            open_sections.pop().end = section.start
        section.parent = open_sections[-1] if open_sections else None
        open_sections.append(section)
        for above in open_sections:
            above.has_text = above.has_text or section.has_own_text
            above.has_subsections = above.has_subsections or above is not section
    for section in open_sections:
        section.end = len(text)
    for first in found[:1]:
        is_bare = first.has_text and not first.has_own_text
        first.is_title = first.level == 1 and is_bare
    return found


def section_of(leaf: Chunk, text: str, sections: list[Section]) -> Section | None:
    """The section of a leaf's first text, or of its last heading."""
    starts = [section.start for section in sections]
    first = bisect_right(starts, leaf.start_offset) - 1
    last = bisect_right(starts, leaf.end_offset - 1) - 1
    for at in range(first, last + 1):
        low = max(leaf.start_offset, sections[at].text_start if at >= 0 else 0)
        high = starts[at + 1] if at + 1 < len(starts) else len(text)
        if text[low : min(high, leaf.end_offset)].strip():
            return sections[at] if at >= 0 else None
    return sections[last]


def check_tree(text: str, tree: HierarchicalChunkingResult) -> None:
    sections = sections_of(text)
    expected = [section for section in sections if section.is_node]
    inner = [node for node in tree.chunks[1:] if not node.metadata["is_leaf"]]
    assert [node.metadata["headers"] for node in inner] == [s.path for s in expected]
    assert [node.metadata["header_level"] for node in inner] == [
        section.level for section in expected
    ]
    ids: dict[int, str] = {}
    for node, section in zip(inner, expected, strict=True):
        ids[section.start] = node.chunk_id
        assert node.start_offset <= section.start
        assert not text[node.end_offset : section.end].strip()
        assert node.end_offset <= section.end
    for leaf in tree.get_flat_chunks():
        section = section_of(leaf, text, sections)
        assert leaf.metadata["headers"] == (section.path if section else [])
        while section and not section.is_node:
            section = section.parent
        parent = ids[section.start] if section else tree.root_id
        assert leaf.metadata["parent_id"] == parent


@pytest.mark.parametrize("size", [80, 300, 1000, 4096])
@pytest.mark.parametrize("blocks", ["keep", "split"])
@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.stem)
def test_the_tree_is_the_one_that_the_headings_make(path, blocks, size):
    text = path.read_bytes().decode()
    config = ChunkConfig(max_chunk_size=size, oversize_blocks=blocks)
    check_tree(text, MarkdownChunker(config).chunk_hierarchical(text))


@pytest.mark.parametrize("strategy", ["code_aware", "structural", "fallback"])
@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.stem)
def test_every_strategy_makes_the_same_inner_nodes(path, strategy):
    text = path.read_bytes().decode()
    config = ChunkConfig(max_chunk_size=500, strategy=strategy)
    check_tree(text, MarkdownChunker(config).chunk_hierarchical(text))


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.stem)
def test_the_outline_has_a_line_for_every_heading(path):
    text = path.read_bytes().decode()
    tree = MarkdownChunker(ChunkConfig(max_chunk_size=1000)).chunk_hierarchical(text)
    titles = [section.title for section in sections_of(text) if not section.is_title]
    lines = [line.lstrip() for line in tree.outline().splitlines()]
    assert lines == [f"- {title}" for title in titles]
