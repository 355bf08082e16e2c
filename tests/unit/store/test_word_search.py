"""The scans of a search by words: fewer chunks are read, and the same are found."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from outcrop.model.candidate import LexicalQuery
from outcrop.store.lexical import query as module
from outcrop.store.lexical.query import WordSearch, find_best
from unit.store.ranker import LIMIT, Ranker, make_chunks, make_terms

if TYPE_CHECKING:
    from outcrop.model.candidate import Match
    from unit.store.ranker import Chunks

COMMON = ("a", "b", "c", "d", "e")


def _search(chunks: Chunks, *, filtered: bool = False) -> tuple[list[Match], Ranker]:
    terms = make_terms(chunks, COMMON)
    rank = Ranker(chunks, terms)
    query = LexicalQuery(dict.fromkeys(COMMON, 1), LIMIT, 3)
    return find_best(rank, WordSearch(query, terms, few=False, filtered=filtered)), rank


def _words_often_together() -> Chunks:
    rare = make_chunks(400, {"a": 1.0, "b": 0.1, "c": 0.1, "d": 0.3, "e": 0.5}, 1)
    return rare + make_chunks(4000, {"c": 0.4, "d": 0.5, "e": 0.9}, 2)


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
    chunks = make_chunks(
        500, {text: chance.uniform(0.02, 0.6) for text in COMMON}, seed
    )
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
