"""Headings, code, tables and math against the parser's full tree.

Outcrop reads the parser's events in one pass that skips most of them. Here every event
is read, into a tree, and what is found in the tree is what has to be found.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyromark
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_text import any_text, documents

from outcrop.markdown import Kind, parse
from outcrop.markdown.document import NESTED, OPENS_ITEM, UNCLOSED
from outcrop.markdown.parser import OPTIONS, parseable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outcrop.markdown import Document, Heading

_SETTINGS = settings(
    max_examples=60, deadline=None, suppress_health_check=list(HealthCheck)
)
_DOCUMENTS = sorted((Path(__file__).parents[1] / "documents").glob("*.md"))
_CORPUS = Path(__file__).parents[3] / "shared" / "corpus" / "markdown"
_FILES = sorted(_CORPUS.glob("*.md")) if _CORPUS.is_dir() else []
_PARTS = 4  # of the corpus, so that workers share it

_CONTAINERS = {"Item", "BlockQuote", "FootnoteDefinition"}
_ATOMIC = {
    "Fenced": Kind.FENCE,
    "Indented": Kind.INDENTED_CODE,
    "HtmlBlock": Kind.HTML,
    "MetadataBlock": Kind.FRONT_MATTER,
    "Table": Kind.TABLE,
    "DisplayMath": Kind.MATH,
}
_WHOLE = {"Heading", "Table", "HtmlBlock", "MetadataBlock", "Fenced", "Indented"}


@dataclass
class Node:
    """A node of the parser's tree; a leaf of the tree holds text."""

    tag: str
    start: int
    end: int
    value: Any = None
    children: list[Node] = field(default_factory=list)

    def walk(
        self, above: tuple[str, ...] = ()
    ) -> Iterator[tuple[Node, tuple[str, ...]]]:
        """The nodes below, in order, each with the tags around it."""
        stack = [(child, above) for child in reversed(self.children)]
        while stack:  # deeper than Python's own stack
            node, around = stack.pop()
            yield node, around
            inside = (*around, node.tag) if len(around) < 100 else around
            stack.extend((child, inside) for child in reversed(node.children))


def read_tree(text: str) -> Node:
    """The whole tree, with offsets in code points of `text`."""
    skipped = 1 if text.startswith("\ufeff") else 0
    source, _ = parseable(text[skipped:])
    points = _Points(source, skipped)
    root = Node("Document", 0, len(text))
    stack = [root]
    for event, span in pyromark.events_with_range(source, options=OPTIONS):
        start, end = points[span["start"]], points[span["end"]]
        if isinstance(event, str):
            stack[-1].children.append(Node(event, start, end))
            continue
        ((name, value),) = event.items()
        if name == "End":
            stack.pop()
        elif name == "Start":
            node = Node(_tag(value), start, end, value)
            stack[-1].children.append(node)
            stack.append(node)
        else:
            stack[-1].children.append(Node(name, start, end, value))
    assert stack == [root]
    return root


class _Points:
    """Code points for offsets in UTF-8."""

    def __init__(self, source: str, skipped: int) -> None:
        self._skipped = skipped
        self._table: list[int] | None = None
        if not source.isascii():
            self._table = []
            for point, char in enumerate(source):
                self._table.extend([point] * len(char.encode()))
            self._table.append(len(source))

    def __getitem__(self, byte: int) -> int:
        return self._skipped + (byte if self._table is None else self._table[byte])


def _tag(value: Any) -> str:
    if isinstance(value, str):
        return value
    ((name, detail),) = value.items()
    if name == "CodeBlock":
        return "Indented" if detail == "Indented" else "Fenced"
    return str(name)


def _visible_text(node: Node) -> str:
    words = []
    for child, _ in node.walk():
        if child.tag in {"Text", "Code", "InlineMath", "DisplayMath"}:
            words.append(child.value)
        elif child.tag in {"SoftBreak", "HardBreak"}:
            words.append(" ")
    return " ".join("".join(words).split())


def check_parse(text: str) -> None:
    """Assert that `parse` finds what the tree holds."""
    document = parse(text)
    if not _has_front_matter_of_ours(text, document):
        end = 0
    else:
        end = document.block_end(0)
        text = re.sub(r"[^\r\n]", " ", text[:end]) + text[end:]
    tree = read_tree(text)
    _check_headings(text, tree, document.headings)
    _check_atomic(text, tree, document, after=end)


def _has_front_matter_of_ours(text: str, document: Document) -> bool:
    """Say whether a document starts with TOML or JSON, which the parser does not know."""
    is_front_matter = document.blocks.kinds[:1] == bytes([Kind.FRONT_MATTER])
    return is_front_matter and not text.removeprefix("\ufeff").startswith("---")


def _check_headings(text: str, tree: Node, headings: list[Heading]) -> None:
    expected = [
        (
            node.start,
            node.start + len(text[node.start : node.end].rstrip()),
            int(node.value["Heading"]["level"][1]),
            _visible_text(node),
        )
        for node, around in tree.walk()
        if node.tag == "Heading" and not _CONTAINERS & set(around)
    ]
    actual = [(h.start, h.end, h.level, h.title) for h in headings]
    assert actual == expected


def _check_atomic(text: str, tree: Node, document: Document, *, after: int) -> None:
    blocks = document.blocks
    found = [
        index
        for index, kind in enumerate(blocks.kinds)
        if kind >= Kind.FENCE and blocks.starts[index] >= after
    ]
    expected = [
        (node, bool(_CONTAINERS & set(around)))
        for node, around in tree.walk()
        if node.tag in _ATOMIC and not _WHOLE & set(around)
    ]
    kinds = [Kind(blocks.kinds[index]) for index in found]
    assert kinds == [_ATOMIC[node.tag] for node, _ in expected]
    for index, (node, is_nested) in zip(found, expected, strict=True):
        where = f"{node.tag} at {node.start} to {node.end}"
        assert blocks.starts[index] <= node.start, where
        visible = node.start + len(text[node.start : node.end].rstrip())
        assert visible <= document.block_end(index), where
        if node.tag != "DisplayMath":
            assert bool(blocks.flags[index] & NESTED) == is_nested, where


@_SETTINGS
@given(documents())
def test_hostile_documents_are_read_as_the_parser_reads_them(text: str) -> None:
    check_parse(text)


@_SETTINGS
@given(any_text())
def test_any_string_is_read_as_the_parser_reads_it(text: str) -> None:
    check_parse(text)


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("path", _DOCUMENTS, ids=lambda path: path.stem)
def test_our_documents_are_read_as_the_parser_reads_them(path, newline):
    check_parse(path.read_text(encoding="utf-8").replace("\n", newline))


@pytest.mark.skipif(not _FILES, reason="the corpus of real documents is not here")
@pytest.mark.parametrize("part", range(_PARTS))
def test_real_documents_are_read_as_the_parser_reads_them(part):
    for path in _FILES[part::_PARTS]:
        try:
            check_parse(path.read_bytes().decode())
        except AssertionError as broken:
            raise AssertionError(f"{path.name}: {broken}") from broken


@_SETTINGS
@given(
    st.lists(st.sampled_from(["- a", "  - b", "> c", "", "1. d", "   e"]), max_size=12)
)
def test_list_items_are_flagged_where_the_parser_starts_them(lines: list[str]) -> None:
    text = "\n".join(lines) + "\n"
    opened = {
        text.count("\n", 0, node.start)
        for node, _ in read_tree(text).walk()
        if node.tag == "Item"
    }
    document = parse(text)
    flagged = {
        text.count("\n", 0, start)
        for start, flags in zip(
            document.blocks.starts, document.blocks.flags, strict=True
        )
        if flags & OPENS_ITEM
    }
    assert flagged <= opened


@_SETTINGS
@given(
    st.sampled_from(["```", "~~~", "````"]),
    st.lists(
        st.sampled_from(["x", "", "```", "~~~", "````", "    ```", "> ```"]), max_size=5
    ),
)
def test_a_fence_is_unclosed_where_more_code_would_belong_to_it(
    fence: str, lines: list[str]
) -> None:
    text = "\n".join([fence, *lines]) + "\n"
    flags = parse(text).blocks.flags[-1]
    more = "> more\n" if flags & NESTED else "more\n"
    last = read_tree(text.rstrip("\n") + "\n" + more).children[-1]
    if last.tag == "BlockQuote":
        last = last.children[-1]
    assert bool(flags & UNCLOSED) == (last.tag == "Fenced")


_ROWS = st.lists(
    st.sampled_from(["| x |", "x", "| x | y |", "| x | y | z | w |", "|", "| x | y"]),
    max_size=3,
)
_BEHIND = st.sampled_from(
    [
        "# heading",
        "Setext\n===",
        "```\ncode\n```",
        "<div>\n</div>",
        "- item",
        "> # quote",
        "    code",
        "***",
        "| a |\n|---|",
        "$$x$$",
        "[ref]: b",
    ]
)


@_SETTINGS
@given(
    _ROWS,
    st.sampled_from(["", "\n", "\n\n"]),
    _BEHIND,
    st.sampled_from(["", "> ", "  "]),
)
def test_what_stands_behind_a_ragged_table_is_read_as_the_parser_reads_it(
    rows: list[str], gap: str, behind: str, container: str
) -> None:
    lines = "\n".join(["| a | b |", "|---|---|", *rows]) + f"\n{gap}{behind}\n\n# End\n"
    check_parse("".join(container + line for line in lines.splitlines(keepends=True)))
