"""The search of the site: Outcrop's chunks and BM25 weights in one JSON file.

The browser cannot stem words, so the file maps every word of the site to its terms.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from html.parser import HTMLParser
from math import log
from typing import TYPE_CHECKING, NamedTuple

from outcrop import ChunkConfig, MarkdownChunker
from outcrop.markdown.parse import parse
from outcrop.store.lexical.weights import K1, B
from outcrop.text.analysis import count_terms
from outcrop.text.search_text import document_search_text

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_CHUNKS = ChunkConfig(max_chunk_size=900)
_MAX_TEXT = 700  # characters of a chunk that the browser may show
_MAX_WORD = 40
_SCALE = 100  # weights are stored as whole hundredths
_WORD = re.compile(r"\w+(?:[.'\u2019]\w+)*")
_MARKS = re.compile(r"[`*_#|>\[\]]+|\]\([^)]*\)|<[^>]+>|-{3,}")


class SitePage(NamedTuple):
    """A page of the site: its source, and where the build put it."""

    path: str
    text: str
    html: Path


class _Entry(NamedTuple):
    url: str
    title: str
    text: str
    counts: Counter[str]


def export(pages: Iterable[SitePage], target: Path) -> int:
    """Write the index of some pages, and return how many chunks it holds."""
    entries: list[_Entry] = []
    words: defaultdict[str, set[str]] = defaultdict(set)
    for page in pages:
        for word in set(_WORD.findall(page.text)):
            if len(word) <= _MAX_WORD:
                words[word.lower()].update(count_terms(word))
        entries.extend(_entries(page))
    target.write_text(json.dumps(_pack(entries, words), separators=(",", ":")))
    return len(entries)


def _entries(page: SitePage) -> Iterable[_Entry]:
    document = parse(page.text)
    anchors = heading_anchors(page.html)
    headings = document.headings
    if len(anchors) != len(headings):
        raise ValueError(
            f"{page.path} has {len(headings)} headings, its page {len(anchors)}"
        )
    for chunk in MarkdownChunker(_CHUNKS).chunk(page.text):
        inside = [
            i for i, found in enumerate(headings) if found.start < chunk.end_offset
        ]
        own = [i for i in inside if headings[i].start >= chunk.start_offset]
        place = own[0] if own else (inside[-1] if inside else None)
        anchor = "" if place in (None, 0) else f"#{anchors[place or 0]}"
        titles = chunk.metadata.get("headers") or [page.path]
        text = document_search_text(page.path, titles, chunk.content)
        yield _Entry(
            url=page.path.removesuffix(".md") + ".html" + anchor,
            title=" › ".join(titles),
            text=" ".join(_MARKS.sub(" ", chunk.content).split())[:_MAX_TEXT],
            counts=count_terms(text.counted),
        )


def _pack(entries: list[_Entry], words: dict[str, set[str]]) -> dict[str, object]:
    lengths = [entry.counts.total() for entry in entries]
    average = sum(lengths) / max(1, len(entries))
    places: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for number, entry in enumerate(entries):
        for term, count in entry.counts.items():
            places[term].append((number, count))
    numbers = {term: number for number, term in enumerate(sorted(places))}
    postings = []
    for term in numbers:
        holders = places[term]
        rarity = log(1 + (len(entries) - len(holders) + 0.5) / (len(holders) + 0.5))
        row: list[int] = []
        for number, count in holders:
            norm = K1 * (1 - B + B * lengths[number] / average)
            weight = rarity * count / (count + norm)
            row += [number, max(1, round(weight * _SCALE))]
        postings.append(row)
    return {
        "chunks": [[entry.url, entry.title, entry.text] for entry in entries],
        "postings": postings,
        "words": {  # a stop word has no terms: it is known, and finds nothing
            word: sorted(numbers[term] for term in terms if term in numbers)
            for word, terms in sorted(words.items())
        },
    }


def heading_anchors(page: Path) -> list[str]:
    """Return the ids of the headings in the content of a built page, in order."""
    found: list[str] = []

    class Reader(HTMLParser):
        depth = 0

        def handle_starttag(
            self, tag: str, attrs: list[tuple[str, str | None]]
        ) -> None:
            if tag == "article":
                self.depth += 1
            elif self.depth and re.fullmatch("h[1-6]", tag):
                found.append(dict(attrs).get("id") or "")

        def handle_endtag(self, tag: str) -> None:
            if tag == "article":
                self.depth -= 1

    Reader().feed(page.read_text(encoding="utf-8"))
    return found
