"""Every reason shown for a boundary comes from the stage that made it.

The stages are run one after the other by hand; a boundary belongs to the first stage
after which it is there for good. What a split boundary stands at is read from the
parser's own events, not from the blocks that the chunker works on.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pyromark
import pytest
import regex
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_text import documents

from outcrop import ChunkConfig, MarkdownChunker, StrategySelector, analyse
from outcrop.chunking.headers import keep_headings_with_text
from outcrop.chunking.layout import Layout
from outcrop.chunking.merge import merge_small
from outcrop.markdown.parser import OPTIONS
from promises import check_promises

if TYPE_CHECKING:
    from outcrop import Chunk
    from outcrop.chunking.draft import Draft

_DOCUMENTS = sorted((Path(__file__).parents[2] / "documents").glob("[a-z]*.md"))
STRATEGIES = [None, "code_aware", "structural", "fallback"]
_CONTAINERS = {"Item", "BlockQuote", "FootnoteDefinition"}
_LEAVES = {
    "Heading": "heading",
    "Paragraph": "paragraph",
    "Rule": "paragraph",
    "CodeBlock": "block",
    "HtmlBlock": "block",
    "MetadataBlock": "block",
    "Table": "block",
}
_CUTTABLE = {"CodeBlock": "code_line", "Table": "table_row"}
_CLOSING = "\"'”’»)]*_`」』）】〉》"


class Places:
    """Where things stand in a document, read from the parser's events.

    Attributes:
        leaves: For each line on which a block starts, what it is.
        items: For each line on which a list item starts, how many containers were
            open before that line.
        cuttable: Start and end of code blocks and tables, and the rule that cuts them.
        math: Start and end of display math.
    """

    def __init__(self, text: str) -> None:
        self.leaves: dict[int, str] = {}
        self.items: dict[int, int] = {}
        self.cuttable: list[tuple[int, int, str]] = []
        self.math: list[tuple[int, int]] = []
        self._data = text.encode()
        self._opened: list[int] = []  # lines on which the containers around start
        for event, span in pyromark.events_with_range(text, options=OPTIONS):
            start, end = span["start"], span["end"]
            if event == "Rule":
                self.leaves.setdefault(self._line(start), "Rule")
            elif not isinstance(event, str):
                ((name, value),) = event.items()
                tag = next(iter(value)) if isinstance(value, dict) else value
                self._read(name, tag, start, end)

    def _point(self, byte: int) -> int:
        return len(self._data[:byte].decode())

    def _line(self, byte: int) -> int:
        return self._data.count(b"\n", 0, byte)

    def _read(self, name: str, tag: str, start: int, end: int) -> None:
        if name == "DisplayMath":
            self.math.append((self._point(start), self._point(end)))
        elif name == "Start" and tag in _CONTAINERS:
            line = self._line(start)
            if tag == "Item":
                self.items.setdefault(line, sum(one < line for one in self._opened))
            self._opened.append(line)
        elif name == "End" and tag in _CONTAINERS:
            self._opened.pop()
        elif name == "Start" and tag in _LEAVES:
            is_nested_heading = tag == "Heading" and self._opened
            leaf = "Paragraph" if is_nested_heading else tag
            self.leaves.setdefault(self._line(start), leaf)
            if tag in _CUTTABLE:
                span = (self._point(start), self._point(end), _CUTTABLE[tag])
                self.cuttable.append(span)


def _rules_at(text: str, places: Places, before: int, at: int) -> set[str]:
    """The rules by which a split may have cut between two offsets."""
    for first, last, rule in places.cuttable:
        if first < at < last:
            return {rule}
    line_start = text.rfind("\n", 0, at) + 1
    line = text.count("\n", 0, at)
    if not text[line_start:at].strip():
        if line in places.items:
            return {"nested_list_item" if places.items[line] else "list_item"}
        if line in places.leaves:
            leaf = places.leaves[line]
            is_math = any(at == start for start, _ in places.math)
            return {"block" if is_math else _LEAVES[leaf]}
    if any(at == start or before == end for start, end in places.math):
        return {"block"}
    if text[line_start:at].strip():
        return _text_rules(text, before, at)
    # The next line of a paragraph, or a link definition, which has no event.
    return _text_rules(text, before, at) | {"line", "paragraph"}


def _text_rules(text: str, before: int, at: int) -> set[str]:
    """The rule of a cut inside running text, by what stands on both sides."""
    mark = text[:before].rstrip(_CLOSING)[-1:]
    if mark in "。！？" or (mark in "!?" and text[before].isspace()):
        return {"sentence"}
    if mark in ".…" and text[before].isspace():
        return {"sentence", "word"}  # the dot of an abbreviation ends no sentence
    if text[before:at] or not (text[at - 1] + text[at]).isascii():
        around = text[max(0, at - 20) : at + 20]
        edges = {match.end() for match in regex.finditer(r"\X", around)}
        is_edge = at - max(0, at - 20) in edges
        return {"word", "grapheme"} if is_edge else {"code_point"}
    return {"grapheme"}


def _starts(text: str, drafts: list[Draft]) -> set[int]:
    return {_visible(text, draft.start) for draft in drafts}


def _visible(text: str, start: int) -> int:
    return start + len(text[start:]) - len(text[start:].lstrip())


def check_reasons(
    text: str, chunks: list[Chunk], config: ChunkConfig, places: Places | None = None
) -> set[str]:
    """Compare every reason with the stages run by hand; give the reasons seen.

    The rules of a split are compared where the places in the document are given.
    """
    analysis = analyse(text)
    strategy = StrategySelector().select(analysis, config)
    layout = Layout(analysis.document, config)
    proposed = {
        _visible(text, layout.start_of(block)): rule
        for block, rule in strategy.boundaries(layout)
    }
    merged = merge_small(strategy.drafts(layout), layout)
    kept = _starts(text, merged)
    assert kept <= set(proposed)
    mended = _starts(text, keep_headings_with_text(merged, layout))
    seen = set()
    for index, chunk in enumerate(chunks):
        boundary = chunk.metadata["boundary"]
        at = _visible(text, chunk.start_offset)
        actual = (boundary["stage"], boundary["rule"])
        where = f"{actual} before {text[at : at + 40]!r}"
        if index == 0:
            assert actual == ("document", "start"), where
        elif at in mended and at in kept:
            assert actual == ("strategy", proposed[at]), where
        elif at in mended:
            assert actual == ("headers", "dangling_heading"), where
        else:
            before = chunks[index - 1].end_offset
            assert boundary["stage"] == "split", where
            if places is not None:
                assert boundary["rule"] in _rules_at(text, places, before, at), where
        seen.add("/".join(actual))
    return seen


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("path", _DOCUMENTS, ids=lambda path: path.stem)
def test_every_reason_comes_from_the_stage_that_made_the_boundary(path, strategy):
    text = path.read_text(encoding="utf-8")
    places = Places(text)
    for size in (40, 120, 300, 1000):
        for mode in ("keep", "split"):
            config = ChunkConfig(
                max_chunk_size=size, oversize_blocks=mode, strategy=strategy
            )
            chunks = MarkdownChunker(config).chunk(text)
            check_promises(text, chunks, config)
            check_reasons(text, chunks, config, places)


def test_the_documents_show_every_reason_there_is():
    seen = set()
    for path in _DOCUMENTS:
        text = path.read_text(encoding="utf-8")
        for strategy in ("code_aware", "structural", "fallback"):
            for size in (12, 40, 120, 300, 1000):
                config = ChunkConfig(
                    max_chunk_size=size, oversize_blocks="split", strategy=strategy
                )
                seen |= check_reasons(text, MarkdownChunker(config).chunk(text), config)
    assert seen == {
        "document/start",
        "headers/dangling_heading",
        "split/block",
        "split/code_line",
        "split/grapheme",
        "split/heading",
        "split/line",
        "split/list_item",
        "split/nested_list_item",
        "split/paragraph",
        "split/sentence",
        "split/table_row",
        "split/word",
        "strategy/after_code_block",
        "strategy/after_table",
        "strategy/code_block",
        "strategy/heading",
        "strategy/size",
        "strategy/table",
    }


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(documents(), st.sampled_from([7, 40, 250]), st.sampled_from(STRATEGIES))
def test_hostile_documents_show_the_stage_that_made_each_boundary(
    text: str, size: int, strategy: str | None
) -> None:
    config = ChunkConfig(max_chunk_size=size, strategy=strategy)
    if text.strip():
        check_reasons(text, MarkdownChunker(config).chunk(text), config)


def test_text_behind_display_math_is_cut_from_a_block_not_a_paragraph(cut):
    text = "We have a sum $$h = 1 + 2 + 3$$ for the height of it and more words."
    _, second = cut(text, max_chunk_size=40)
    assert second.content.startswith("for the height")
    assert second.metadata["boundary"] == {"stage": "split", "rule": "block"}
