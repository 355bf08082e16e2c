"""What each rule of the word analysis does to BM25's ranking.

Public questions over documentation and code are ranked with the rules as they are and
with one of them changed at a time. Documents are cut at headings and at blank lines,
with the headings above repeated, so the chunker has no part in it. A chunk counts if it
holds half of the answer, or half of it is answer. Differences come with 95 % intervals
from paired resampling.

    python benchmarks/words.py [FOLDER with corpus.jsonl and queries_public.jsonl ...]
"""

from __future__ import annotations

import argparse
import json
import math
import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import snowballstemmer

from outcrop.model.candidate import idf
from outcrop.store.lexical.weights import K1, B
from outcrop.text import analysis

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

EVAL = Path(__file__).parents[1] / "../shared/eval"
SETS = [EVAL / "docs_xref", EVAL / "anthropic_code"]
CHUNK_CHARS = 1600
HEADING = re.compile(r"(#{1,6})\s+(.*)")
Terms = Counter[str]


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a document, and its text with the headings above it."""

    document: tuple[str, str]
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to count words and to weigh them."""

    count: Callable[[str], Terms]
    k1: float = K1
    repeated: bool = True


def sections(text: str) -> Iterator[tuple[int, int, list[str]]]:
    """Yield the span of each section and its headings."""
    fenced, start, place = False, 0, 0
    stack: list[tuple[int, str]] = []
    path: list[str] = []
    for line in text.splitlines(keepends=True):
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        heading = None if fenced else HEADING.match(line)
        if heading:
            yield start, place, path
            stack = [item for item in stack if item[0] < len(heading[1])]
            stack.append((len(heading[1]), heading[2].strip()))
            start, path = place, [title for _, title in stack]
        place += len(line)
    yield start, place, path


def cut(document: tuple[str, str], text: str) -> Iterator[Chunk]:
    for start, end, path in sections(text):
        at = start
        while at < end and text[start:end].strip():
            stop = end
            if end - at > CHUNK_CHARS:
                stop = text.rfind("\n\n", at + CHUNK_CHARS // 3, at + CHUNK_CHARS) + 2
                stop = stop if stop > at + 2 else at + CHUNK_CHARS
            above = path[:-1] if at == start else path
            yield Chunk(document, at, stop, " > ".join(above) + "\n" + text[at:stop])
            at = stop


def read(folder: Path) -> tuple[list[Chunk], list[dict[str, Any]]]:
    chunks: list[Chunk] = []
    for line in (folder / "corpus.jsonl").read_text(encoding="utf-8").splitlines():
        item = json.loads(line)
        chunks += cut((item["coll"], item["doc"]), item["text"])
    lines = (folder / "queries_public.jsonl").read_text(encoding="utf-8").splitlines()
    return chunks, [json.loads(line) for line in lines]


def rank(
    variant: Variant, chunks: Sequence[Chunk], queries: Sequence[dict[str, Any]]
) -> Iterator[NDArray[np.int64]]:
    counted = [variant.count(chunk.text) for chunk in chunks]
    lengths = np.array([terms.total() for terms in counted], float)
    scale = variant.k1 * (1 - B + B * lengths / lengths.mean())
    postings: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for number, terms in enumerate(counted):
        for term, count in terms.items():
            postings[term].append((number, count))
    for query in queries:
        scores = np.zeros(len(chunks))
        for term, count in variant.count(query["q"]).items():
            if term in postings:
                places, tf = np.array(postings[term]).T
                weight = idf(len(chunks), len(places))
                weight *= count if variant.repeated else 1
                scores[places] += weight * tf / (tf + scale[places])
        yield np.argsort(-scores, kind="stable")[:10]


def reciprocal_ranks(
    variant: Variant, chunks: Sequence[Chunk], queries: Sequence[dict[str, Any]]
) -> NDArray[np.float64]:
    found = []
    for query, best in zip(queries, rank(variant, chunks, queries), strict=True):
        place = math.inf
        for position, number in enumerate(best, 1):
            chunk = chunks[number]
            common = min(chunk.end, query["end"]) - max(chunk.start, query["start"])
            shorter = min(chunk.end - chunk.start, query["end"] - query["start"])
            right = chunk.document == (query["coll"], query["doc"])
            if right and 2 * max(0, common) >= shorter:
                place = position
                break
        found.append(1 / place)
    return np.array(found)


def counting_with(**changes: object) -> Callable[[str], Terms]:
    """Return `count_terms` with parts of the analysis replaced."""

    def count(text: str) -> Terms:
        before = {name: getattr(analysis, name) for name in changes}
        for name, value in changes.items():
            setattr(analysis, name, value)
        try:
            # Past the cache, which holds the terms of the unchanged analysis.
            words = analysis._WORDS.findall(text)  # noqa: SLF001 - what is measured
            places = map(analysis._analyse, words)  # noqa: SLF001 - what is measured
            return Counter(term for place in places for term, *_ in place)
        finally:
            for name, value in before.items():
                setattr(analysis, name, value)

    return count


def count_plain_words(text: str) -> Terms:
    words = re.findall(r"\w+", text.lower())
    return Counter(
        analysis._without_plural(word)  # noqa: SLF001 - the rule that is measured
        for word in words
        if word not in analysis.STOP_WORDS
    )


def variants() -> dict[str, Variant]:
    full = snowballstemmer.stemmer("english").stemWord
    stemmed = counting_with(_without_plural=full)
    unstemmed = counting_with(_without_plural=lambda word: word)
    return {
        "as it is": Variant(analysis.count_terms),
        "no stemming": Variant(unstemmed),
        "full stemmer": Variant(stemmed),
        "repeated words counted once": Variant(analysis.count_terms, repeated=False),
        "identifiers not split": Variant(count_plain_words),
        "k1 1.2": Variant(analysis.count_terms, k1=1.2),
        "k1 3.0": Variant(analysis.count_terms, k1=3.0),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", type=Path, nargs="*", default=SETS)
    for folder in parser.parse_args().sets:
        chunks, queries = read(folder)
        print(f"\n## {folder.name}: {len(chunks):,} chunks, {len(queries)} questions\n")
        print("| analysis | MRR@10 | difference | 95 % interval |\n|---|--:|--:|---|")
        picks = np.random.default_rng(0).integers(0, len(queries), (2000, len(queries)))
        base: NDArray[np.float64] | None = None
        for name, variant in variants().items():
            found = reciprocal_ranks(variant, chunks, queries)
            base = found if base is None else base
            low, high = np.percentile((found - base)[picks].mean(axis=1), [2.5, 97.5])
            change = (found - base).mean()
            interval = f"{low:+.3f} to {high:+.3f}"
            print(f"| {name} | {found.mean():.3f} | {change:+.3f} | {interval} |")


if __name__ == "__main__":
    main()
