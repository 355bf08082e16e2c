"""The elements that the page of the command line and the Document view share."""

from __future__ import annotations

from html.parser import HTMLParser

from outcrop import ChunkConfig, MarkdownChunker
from outcrop.presentation.chunks import chart_sizes, show_chunks
from outcrop.presentation.document import PageNode
from outcrop.presentation.document_html import (
    chart_html,
    chunks_html,
    tree_html,
    tree_items,
)

TEXT = "# A\n\n" + "A sentence of a few words. " * 20


class _Elements(HTMLParser):
    """Elements with their attributes; every end has to match its start."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(source)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))
        self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.found if name == tag]


def _node(title: str, depth: int, chunk: int = 0) -> PageNode:
    return PageNode(
        title=title,
        headers=[],
        depth=depth,
        start_line=1,
        end_line=2,
        size=10,
        chunk=chunk,
    )


def _chunks(text: str = TEXT):
    chunks = MarkdownChunker(ChunkConfig(max_chunk_size=200)).chunk(text)
    return show_chunks(text, chunks, None)


def test_a_tree_that_skips_levels_is_nested_without_gaps():
    nodes = [_node("a", 1), _node("a.b.c", 3), _node("a.b.d", 3), _node("e", 1)]
    page = _Elements(tree_html("".join(tree_items(nodes, 0, 1)), "Contents"))
    levels = [a["aria-level"] for a in page.all("a")]
    assert levels == ["1", "2", "2", "1"]


def test_a_document_without_sections_has_no_tree():
    assert tree_html("", "Sections") == ""


def test_bars_and_links_lead_to_the_chunks():
    chunks = _chunks()
    page = _Elements(
        chart_html(chart_sizes(chunks, 200), 1, "characters") + chunks_html(chunks, 1)
    )
    anchors = [a["id"] for a in page.all("section")]
    assert anchors == [f"c{number}" for number in range(1, len(chunks) + 1)]
    assert {a["href"] for a in page.all("a")} == {f"#{anchor}" for anchor in anchors}
    assert len(page.all("rect")) == len(chunks)


def test_stored_chunks_can_be_linked_by_their_ids():
    chunks = _chunks()
    ids = [f"{at:016x}" for at in range(len(chunks))]
    page = _Elements(chunks_html(chunks, 1, ids))
    assert [a["id"] for a in page.all("i")] == ids
    assert [a["data-id"] for a in page.all("section")] == ids


def test_text_of_a_document_adds_no_element():
    hostile = '# <b>\n\n<script>alert("x")</script> </span></section>\n'
    page = _Elements(chunks_html(_chunks(hostile), 1))
    assert {tag for tag, _ in page.found} == {"section", "p", "a", "span", "div"}
