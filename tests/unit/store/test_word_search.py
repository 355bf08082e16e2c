"""The scans of a search by words: fewer chunks are read, and the same are found."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING

import pytest

from outcrop.model.candidate import LexicalQuery, Match
from outcrop.store.lexical import query as module
from outcrop.store.lexical.query import WeighedTerm, WordSearch, find_best

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Chunks = list[dict[str, float]]  # the weight of each term of each chunk
LIMIT = 5
COMMON = ("a", "b", "c", "d", "e")


class Ranker:
    """Ranks chunks in memory, and counts how many it reads."""

    def __init__(self, chunks: Chunks, terms: Sequence[WeighedTerm]) -> None:
        self._chunks = chunks
        self._weights = {term.text: term.weight for term in terms}
        self.read = 0
        self.scans = 0

    def __call__(self, query: str, *, few: bool = False) -> list[Match]:
        """Return the best chunks that match a query."""
        assert not few
        holds = re.sub("'([^']+)'", r"('\1' in chunk)", query)
        holds = holds.replace("|", " or ").replace("&", " and ")
        found = [
            Match(
                f"{at:05}", sum(self._weights.get(t, 0) * w for t, w in chunk.items())
            )
            for at, chunk in enumerate(self._chunks)
            if eval(holds, {"chunk": chunk})  # noqa: S307 - made above from words of ours
        ]
        self.read += len(found)
        self.scans += 1
        return sorted(found, key=lambda match: (-match.score, match.id))[:LIMIT]


def _chunks(number: int, shares: Mapping[str, float], seed: int) -> Chunks:
    chance = random.Random(seed)  # noqa: S311 - the same chunks every time
    return [
        {
            term: chance.uniform(0.2, 0.8)
            for term, share in shares.items()
            if chance.random() < share
        }
        for _ in range(number)
    ]


def _terms(chunks: Chunks) -> list[WeighedTerm]:
    terms = []
    for at, text in enumerate(COMMON):
        weights = [chunk[text] for chunk in chunks if text in chunk]
        if weights:
            weight = float(len(COMMON) - at)
            bound = weight * max(weights)
            terms.append(
                WeighedTerm(
                    text=text,
                    df=len(weights),
                    weight=weight,
                    bound=bound,
                    chunks=len(chunks),
                )
            )
    return sorted(terms, key=lambda term: (-term.bound, term.text))


def _search(chunks: Chunks, *, filtered: bool = False) -> tuple[list[Match], Ranker]:
    terms = _terms(chunks)
    rank = Ranker(chunks, terms)
    query = LexicalQuery(dict.fromkeys(COMMON, 1), LIMIT, 3)
    return find_best(rank, WordSearch(query, terms, few=False, filtered=filtered)), rank


def _words_often_together() -> Chunks:
    rare = _chunks(400, {"a": 1.0, "b": 0.1, "c": 0.1, "d": 0.3, "e": 0.5}, 1)
    return rare + _chunks(4000, {"c": 0.4, "d": 0.5, "e": 0.9}, 2)


@pytest.fixture
def _prunes_early(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MIN_PRUNED", 20)


@pytest.mark.usefixtures("_prunes_early")
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("seed", range(12))
def test_pruned_scans_find_what_full_scans_find(
    share: float, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(seed)  # noqa: S311 - as above
    chunks = _chunks(500, {text: chance.uniform(0.02, 0.6) for text in COMMON}, seed)
    expected, _ = _search(chunks, filtered=True)
    monkeypatch.setattr(module, "_EXPECTED_SHARE", share)
    assert _search(chunks)[0] == expected


@pytest.mark.usefixtures("_prunes_early")
def test_chunks_that_lack_most_words_are_not_read() -> None:
    chunks = _words_often_together()
    full, every = _search(chunks, filtered=True)
    found, fewer = _search(chunks)
    assert found == full
    assert fewer.scans == every.scans
    assert fewer.read < every.read / 2


@pytest.mark.usefixtures("_prunes_early")
def test_a_scan_that_expected_too_much_is_repeated() -> None:
    """The best chunks have one of the words each."""
    chunks: Chunks = [{text: 0.8} for text in COMMON for _ in range(50)]
    full, every = _search(chunks, filtered=True)
    found, again = _search(chunks)
    assert found == full
    assert again.scans == every.scans + 1


def test_rare_words_are_read_at_once() -> None:
    chunks = _words_often_together()
    _, every = _search(chunks, filtered=True)
    _, rare = _search(chunks)
    assert rare.read == every.read
