"""Summaries without a language model: the most central sentences of a text.

A sentence is central where its vector is close to those of all the others. The most
central ones that fit are kept, in the order of the text. That works in any language
the embedder knows, invents nothing, and needs no network. Code, tables and images are
left out.
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from outcrop.errors import ConfigError, SummaryError
from outcrop.markdown.parser import parseable, read_unplaced_events
from outcrop.providers.local_embedder import LocalEmbedder
from outcrop.text.boundaries import sentence_ends
from outcrop.text.tokens import replace_surrogates

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from outcrop.providers.embedder import Embedder

# Shorter ones ("See below.", "Note!") are close to everything and carry no meaning.
_MIN_LETTERS = 12
# Above this cosine two sentences mean the same.
_MIN_SIMILARITY = 0.9
# A full stop in any script, perhaps within quotes or brackets.
_WHOLE = re.compile(r"""[.!?…。！？｡।؟۔][\s"'”’»)\]」』）】》]*\Z""")
_WIDE_ENDS = ("。", "！", "？", "」", "』")

_LEFT_OUT = frozenset({"CodeBlock", "HtmlBlock", "Image", "MetadataBlock", "Table"})
_BLOCKS = frozenset({"BlockQuote", "FootnoteDefinition", "Item", "List", "Paragraph"})
_TAGS = frozenset({"Start", "End"})
_SHOWN = frozenset({"Code", "InlineMath", "Text"})
_BREAKS = frozenset({"HardBreak", "SoftBreak"})

# Chinese and Japanese continue on the next line without a space.
_WIDE = "\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef"
_WIDE_LINE_END = re.compile(f"(?<=[{_WIDE}])\n(?=[{_WIDE}])")


class ExtractiveSummarizer:
    """Summarises by choosing sentences.

    Args:
        embedder: Compares the sentences; by default the local one.
    """

    name = "extractive"

    def __init__(self, embedder: Embedder | None = None) -> None:
        self.embedder = embedder or LocalEmbedder()

    async def summarize(
        self,
        text: str,
        *,
        heading: str | None = None,
        document_summary: str | None = None,  # noqa: ARG002 - part of the protocol
        max_chars: int = 400,
    ) -> str:
        """Summarise Markdown; see `Summarizer`.

        Text without a sentence is summarised by its headings.

        Raises:
            SummaryError: There is neither a sentence nor a heading.
        """
        if max_chars < 1:
            raise ConfigError(f"max_chars is {max_chars!r}, but it must be at least 1")
        # A long text takes a while; the event loop need not wait for it.
        summary = await asyncio.to_thread(self.summarize_now, text, max_chars)
        summary = summary or _shorten(heading or "", max_chars)
        if not summary:
            raise SummaryError("there is no text to summarise", stage="summarize")
        return summary

    def summarize_now(self, text: str, max_chars: int) -> str:
        """Summarise Markdown without an event loop; empty if there is nothing to say."""
        prose = read_prose(text)
        sentences = _worth_choosing(prose.sentences())
        if not sentences:
            return _shorten("; ".join(prose.headings), max_chars)
        return _join(self._choose(sentences, max_chars))

    def _choose(self, sentences: Sequence[str], max_chars: int) -> list[str]:
        """Return the most central sentences that fit, in the order of the text."""
        if sum(len(sentence) + 1 for sentence in sentences) <= max_chars:
            return list(dict.fromkeys(sentences))  # nothing to choose
        vectors = self.embedder.embed(sentences)
        ranked = rank_by_centrality(vectors)
        chosen: list[int] = []
        room = max_chars
        for index in ranked:
            if len(sentences[index]) + 1 > room + (not chosen):
                continue
            if (
                chosen
                and float((vectors[chosen] @ vectors[index]).max()) > _MIN_SIMILARITY
            ):
                continue
            chosen.append(index)
            room -= len(sentences[index]) + 1
        if not chosen:
            return [_shorten(sentences[ranked[0]], max_chars)]
        return [sentences[index] for index in sorted(chosen)]

    def __repr__(self) -> str:
        return f"ExtractiveSummarizer({self.embedder!r})"


def rank_by_centrality(vectors: NDArray[np.float32]) -> list[int]:
    """Return the rows by their mean cosine to all rows, highest first, ties in order.

    The sum of the cosines to all rows is the product with the sum of all rows, so this is
    linear in the number of rows.
    """
    import numpy as np

    scores = vectors @ vectors.sum(axis=0)
    # Equal sentences must stay equal in spite of rounding.
    return [int(index) for index in np.argsort(-np.round(scores, 4), kind="stable")]


def _worth_choosing(sentences: Sequence[str]) -> list[str]:
    """Return the best kind of sentences that a text has.

    Whole sentences that say something; else those that are short or introduce a list or an
    example; else whatever has a letter in it, as in a list of names.
    """
    worded = [text for text in sentences if any(map(str.isalnum, text))]
    whole = [text for text in worded if _WHOLE.search(text[-12:])]
    long = [text for text in whole if _says_something(text)]
    return long or whole or worded


def _says_something(sentence: str) -> bool:
    # Nearly always its beginning suffices.
    head = sentence[: 2 * _MIN_LETTERS]
    return (
        sum(map(str.isalnum, head)) >= _MIN_LETTERS
        or sum(map(str.isalnum, sentence)) >= _MIN_LETTERS
    )


def _join(sentences: Sequence[str]) -> str:
    joined = ""
    for sentence in sentences:
        if joined and not joined.endswith(_WIDE_ENDS):
            joined += " "
        joined += sentence
    return joined


def _shorten(text: str, max_chars: int) -> str:
    """Cut a text that is too long, between words where possible."""
    if len(text) <= max_chars:
        return text
    head = text[: max_chars - 1]
    words, _, _ = head.rpartition(" ")
    return (words if len(words) > max_chars // 2 else head).rstrip() + "…"


@dataclass(slots=True)
class Prose:
    """The running text of a Markdown document, without markup."""

    # The text of each paragraph or list item.
    paragraphs: list[str] = field(default_factory=list)
    headings: list[str] = field(default_factory=list)  # the text of each heading

    def sentences(self) -> list[str]:
        """Return the sentences of all paragraphs, in order."""
        return [
            sentence
            for paragraph in self.paragraphs
            for sentence in _split_sentences(paragraph)
        ]


def read_prose(text: str) -> Prose:
    """Read the running text of a document."""
    source, _ = parseable(replace_surrogates(text))
    return read_unplaced_events(source, _collect)


def _collect(events: Iterator[Any]) -> Prose:
    reader = _ProseReader()
    for event in events:
        # Events and tags without fields are strings.
        if event.__class__ is str:
            text = "\n" if event in _BREAKS else ""
        else:
            ((kind, value),) = event.items()
            if kind in _TAGS:
                tag = value if value.__class__ is str else next(iter(value))
                reader.read_tag(tag, is_start=kind == "Start")
                continue
            text = (value or "\n") if kind in _SHOWN else ""
        if text and not reader.depth_left_out:
            reader.words.append(text)
    reader.finish(reader.prose.paragraphs)
    return reader.prose


@dataclass(slots=True)
class _ProseReader:
    """The running text read so far."""

    prose: Prose = field(default_factory=Prose)  # the finished paragraphs and headings
    # The text of the paragraph or heading that is being read.
    words: list[str] = field(default_factory=list)
    depth_left_out: int = 0  # how many blocks around the current place are left out

    def read_tag(self, tag: str, *, is_start: bool) -> None:
        if tag in _LEFT_OUT:
            self.depth_left_out += 1 if is_start else -1
        elif tag in _BLOCKS or (tag == "Heading" and is_start):
            self.finish(self.prose.paragraphs)
        elif tag == "Heading":
            self.finish(self.prose.headings)

    def finish(self, into: list[str]) -> None:
        if not self.words:
            return
        text = "".join(self.words)
        if not text.isascii():
            text = _WIDE_LINE_END.sub("", text)
        joined = " ".join(text.split())
        if joined:
            into.append(joined)
        self.words.clear()


def _split_sentences(paragraph: str) -> list[str]:
    ends = [*sentence_ends(paragraph, 0, len(paragraph)), len(paragraph)]
    starts = [0, *ends[:-1]]
    parts = (
        paragraph[start:end].strip() for start, end in zip(starts, ends, strict=True)
    )
    return [part for part in parts if part]
