"""Every reason shown for a boundary comes from the stage that made it.

The stages are run one after the other by hand; a boundary belongs to the first stage
after which it is there for good. What a split boundary stands at is read from the
parser's own events, not from the blocks that the chunker works on.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pyromark
import pytest
import regex

from outcrop import ChunkConfig, MarkdownChunker, StrategySelector, analyse
from outcrop.chunking.headers import HeaderProcessor
from outcrop.chunking.layout import Layout
from outcrop.chunking.merge import merge_small
from outcrop.markdown.scan import OPTIONS
from promises import check_promises

if TYPE_CHECKING:
    from outcrop import Chunk
    from outcrop.chunking.draft import Draft

_DOCUMENTS = sorted((Path(__file__).parents[2] / "documents").glob("*.md"))
_CONTAINERS = {"Item", "BlockQuote", "FootnoteDefinition"}
_LEAVES = {
    "Heading",
    "Paragraph",
    "CodeBlock",
    "HtmlBlock",
    "MetadataBlock",
    "Table",
}
_TEXT_RULES = {"sentence", "word", "grapheme", "code_point"}
_CLOSING = "\"'”’»)]*_`」』）】〉》"


@dataclass
class Places:
    """Where things start in a document, by line, and what spans several."""

    leaves: dict[int, str] = field(default_factory=dict)  # line -> outermost leaf
    items: dict[int, int] = field(default_factory=dict)  # line -> containers around it
    atomic: list[tuple[int, int, str]] = field(default_factory=list)
    math: list[int] = field(default_factory=list)


def _read_places(text: str) -> Places:
    """The parser's events as places; offsets are code points of ASCII-free text too."""
    places, depth = Places(), 0
    data = text.encode()

    def point(byte: int) -> int:
        return len(data[:byte].decode())

    def line(byte: int) -> int:
        return data.count(b"\n", 0, byte)

    for event, span in pyromark.events_with_range(text, options=OPTIONS):
        if event == "Rule":
            places.leaves.setdefault(line(span["start"]), "Rule")
        if isinstance(event, str):
            continue
        ((name, value),) = event.items()
        tag = next(iter(value)) if isinstance(value, dict) else value
        at = span["start"]
        if name == "DisplayMath":
            places.math.append(point(at))
        elif name == "Start" and tag in _CONTAINERS:
            if tag == "Item":
                places.items.setdefault(line(at), depth)
            depth += 1
        elif name == "End" and tag in _CONTAINERS:
            depth -= 1
        elif name == "Start" and tag in _LEAVES:
            nested = tag == "Heading" and depth > 0
            places.leaves.setdefault(line(at), "Paragraph" if nested else tag)
            if tag in {"CodeBlock", "Table"}:
                places.atomic.append((point(at), point(span["end"]), tag))
    return places


def _rules_at(text: str, places: Places, before: int, start: int) -> set[str]:
    """The rules by which a split may have cut between two offsets."""
    at = start + len(text[start:]) - len(text[start:].lstrip())
    for first, last, tag in places.atomic:
        if first < at < last:
            return {"table_row" if tag == "Table" else "code_line"}
    if at in places.math:
        return {"block"}
    line_start = text.rfind("\n", 0, at) + 1
    if text[line_start:at].strip():
        return _text_rules(text, before, at)
    line = text.count("\n", 0, at)
    if line in places.items:
        return {"nested_list_item" if places.items[line] else "list_item"}
    leaf = places.leaves.get(line)
    if leaf is None:
        # The next line of a paragraph, or a link definition, which has no event.
        return _text_rules(text, before, at) | {"line", "paragraph"}
    if leaf == "Heading":
        return {"heading"}
    return {"paragraph" if leaf in {"Paragraph", "Rule"} else "block"}


def _text_rules(text: str, before: int, at: int) -> set[str]:
    """The rule of a cut inside running text, by what stands on both sides."""
    mark = text[:before].rstrip(_CLOSING)[-1:]
    if mark in "。！？" or (mark in "!?" and text[before].isspace()):
        return {"sentence","word"}
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


def check_reasons(text: str, chunks: list[Chunk], config: ChunkConfig) -> set[str]:
    """Compare every reason with the stages run by hand; give the reasons seen."""
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
    mended = _starts(
        text, HeaderProcessor(layout).prevent_dangling_headers(merged)
    )
    places = _read_places(text)
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
            assert boundary["rule"] in _rules_at(text, places, before, at), where
        seen.add("/".join(actual))
    return seen


@pytest.mark.parametrize("strategy", [None, "code_aware", "structural", "fallback"])
@pytest.mark.parametrize("path", _DOCUMENTS, ids=lambda path: path.stem)
def test_every_reason_comes_from_the_stage_that_made_the_boundary(path, strategy):
    text = path.read_text(encoding="utf-8")
    for size in (40, 120, 300, 1000):
        for mode in ("keep", "split"):
            config = ChunkConfig(
                max_chunk_size=size, oversize_blocks=mode, strategy=strategy
            )
            chunks = MarkdownChunker(config).chunk(text)
            check_promises(text, chunks, config)
            check_reasons(text, chunks, config)


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
