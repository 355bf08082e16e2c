"""Chunks in memory that searches by words rank, for tests of these searches."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING

from outcrop.model.candidate import Match
from outcrop.store.lexical.query import WeighedTerm

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Chunks = list[dict[str, float]]  # the weight of each term of each chunk
LIMIT = 5


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


def make_chunks(number: int, shares: Mapping[str, float], seed: int) -> Chunks:
    """Return chunks that contain each term with a probability."""
    chance = random.Random(seed)  # noqa: S311 - the same chunks every time
    return [
        {
            term: chance.uniform(0.2, 0.8)
            for term, share in shares.items()
            if chance.random() < share
        }
        for _ in range(number)
    ]


def make_terms(chunks: Chunks, texts: Sequence[str]) -> list[WeighedTerm]:
    """Return terms with falling weights, as a search weighs them."""
    terms = []
    for at, text in enumerate(texts):
        weights = [chunk[text] for chunk in chunks if text in chunk]
        if weights:
            weight = float(len(texts) - at)
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
