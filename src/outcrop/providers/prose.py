"""The running text of a Markdown document, as a reader sees it.

Code, tables, formulas, HTML, images and front matter are left out; emphasis, links and
list markers leave only their words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from outcrop.markdown.parser import parseable, read_events
from outcrop.text.boundaries import sentence_ends
from outcrop.text.tokens import replace_surrogates

if TYPE_CHECKING:
    from collections.abc import Iterator

_LEFT_OUT = frozenset({"CodeBlock", "HtmlBlock", "Image", "MetadataBlock", "Table"})
_BLOCKS = frozenset({"BlockQuote", "FootnoteDefinition", "Item", "List", "Paragraph"})
_SHOWN = frozenset({"Code", "HardBreak", "InlineMath", "SoftBreak", "Text"})

# Chinese and Japanese go on in the next line without a space.
_WIDE = "\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef"
_WIDE_LINE_END = re.compile(f"(?<=[{_WIDE}])\n(?=[{_WIDE}])")


@dataclass(slots=True)
class Prose:
    """What was found.

    Attributes:
        paragraphs: The text of each paragraph or list item.
        headings: The text of each heading.
    """

    paragraphs: list[str] = field(default_factory=list)
    headings: list[str] = field(default_factory=list)

    def sentences(self) -> list[str]:
        """The sentences of all paragraphs, in order."""
        return [
            sentence
            for paragraph in self.paragraphs
            for sentence in _split_sentences(paragraph)
        ]


def read_prose(text: str) -> Prose:
    """Read the running text of a document."""
    source, _ = parseable(replace_surrogates(text))
    prose, _ = read_events(source, _collect, merge_text=True)
    return prose


def _collect(events: Iterator[tuple[Any, dict[str, int]]]) -> Prose:
    prose = Prose()
    words: list[str] = []
    depth_left_out = 0

    def finish(into: list[str]) -> None:
        joined = " ".join(_WIDE_LINE_END.sub("", "".join(words)).split())
        if joined:
            into.append(joined)
        words.clear()

    for event, _ in events:
        kind, value = _name(event)
        if kind in {"Start", "End"}:
            tag = _name(value)[0]
            if tag in _LEFT_OUT:
                depth_left_out += 1 if kind == "Start" else -1
            elif tag in _BLOCKS or (tag == "Heading" and kind == "Start"):
                finish(prose.paragraphs)
            elif tag == "Heading":
                finish(prose.headings)
        elif kind in _SHOWN and not depth_left_out:
            words.append(value or "\n")
    finish(prose.paragraphs)
    return prose


def _name(event: Any) -> tuple[str, Any]:
    """Name and value of an event or tag: those without fields are plain strings."""
    if isinstance(event, str):
        return event, None
    ((name, value),) = event.items()
    return name, value


def _split_sentences(paragraph: str) -> list[str]:
    ends = [*sentence_ends(paragraph, 0, len(paragraph)), len(paragraph)]
    starts = [0, *ends[:-1]]
    parts = (
        paragraph[start:end].strip() for start, end in zip(starts, ends, strict=True)
    )
    return [part for part in parts if part]
