"""Boolean queries for the chunks that can reach a score.

Each term of a query has a bound: the maximum it can add to any chunk's score. A chunk
can reach a threshold only if the bounds of the terms it contains add up to it. That is
a boolean function of its terms, and PostgreSQL's index evaluates such functions
quickly, skipping over frequent terms if a rarer one is required.

The full function may have as many cases as there are sets of terms. So it is refined
where that excludes most: the case that lets the most chunks through is split in two,
the chunks that contain its next term and those that do not, until few are left or the
query is long enough. A case that was not split is bounded from above.
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import accumulate, count
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

# More splits let fewer chunks through but make each one slower to check.
_MAX_SPLITS = 12
# Reading this many chunks is faster than excluding some of them.
_FEW_CHUNKS = 200


class Bounded(NamedTuple):
    """A term of a query.

    Attributes:
        text: The term.
        bound: The maximum it can add to a score.
        df: Number of chunks that contain it.
    """

    text: str
    bound: float
    df: int


def quote_term(term: str) -> str:
    """Quote a term for a tsquery."""
    escaped = term.replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"


def any_of(terms: Sequence[str]) -> str:
    """Return a query for chunks that contain any of the terms."""
    return "|".join(map(quote_term, terms))


def reaching(terms: Sequence[Bounded], threshold: float, chunks: int) -> str:
    """Return a query that matches every chunk whose score reaches the threshold.

    The terms are by falling bound, and the threshold is at most the sum of the bounds.
    """
    query = _Function(terms, chunks).query(threshold)
    # Rounding may have put the threshold slightly above the sum of the bounds.
    return query if isinstance(query, str) else any_of([term.text for term in terms])


def reaching_with(
    wanted: Sequence[str], terms: Sequence[Bounded], threshold: float
) -> str:
    """Return a query for every chunk with a wanted term whose score reaches a threshold.

    The wanted terms are so rare that more cases would take longer to check than the
    chunks that they exclude.

    Args:
        wanted: Some of the terms.
        terms: By falling bound.
        threshold: At most the sum of the bounds.
    """
    cases = []
    for text in wanted:
        others = [term for term in terms if term.text != text]
        (bound,) = (term.bound for term in terms if term.text == text)
        query = _Function(others, 1).query(threshold - bound, max_splits=0)
        if query is not False:
            alone = quote_term(text)
            cases.append(alone if query is True else f"{alone}&{query}")
    return "|".join(cases) or any_of(wanted)


@dataclass(slots=True)
class _Case:
    """Chunks that agree on which of the terms before a position they contain.

    Attributes:
        start: The position.
        end: The terms from here on cannot add the missing score by themselves.
        missing: The score that the terms from `start` on have to add.
        chunks: Estimated number of chunks.
        split: The chunks with the term at `start` and those without, once split.
    """

    start: int
    end: int
    missing: float
    chunks: float
    split: tuple[_Outcome, _Outcome] | None = None


# A case, or whether all its chunks can reach the threshold.
_Outcome: TypeAlias = _Case | bool


class _Function:
    def __init__(self, terms: Sequence[Bounded], chunks: int) -> None:
        self._terms = [quote_term(term.text) for term in terms]
        self._bounds = [term.bound for term in terms]
        self._shares = [min(1.0, term.df / chunks) for term in terms]
        self._chunks = chunks
        # The maximum that the terms from each position on can add.
        self._rests = [*accumulate(reversed(self._bounds), initial=0.0)][::-1]

    def query(self, threshold: float, max_splits: int | None = None) -> str | bool:
        """Return the query for a threshold; a bool if it is always true or false."""
        root = self._case(0, threshold, self._chunks)
        if isinstance(root, _Case):
            self._refine(root, _MAX_SPLITS if max_splits is None else max_splits)
        return self._write(root)

    def _case(self, start: int, missing: float, chunks: float) -> _Outcome:
        if missing <= 0:
            return True
        if self._rests[start] < missing:
            return False
        end = start
        while self._rests[end] >= missing:
            end += 1
        return _Case(start, end, missing, chunks)

    def _refine(self, root: _Case, max_splits: int) -> None:
        """Split cases, always the one that lets the most chunks through."""
        number = count()  # breaks ties, so that cases are never compared
        waiting = [(-self._passing(root), next(number), root)]
        for _ in range(max_splits):
            if not waiting or -waiting[0][0] < _FEW_CHUNKS:
                break
            case = heappop(waiting)[2]
            case.split = self._split(case)
            for part in case.split:
                if isinstance(part, _Case):
                    heappush(waiting, (-self._passing(part), next(number), part))

    def _passing(self, case: _Case) -> float:
        """Estimate how many chunks a case lets through that is not split."""
        return case.chunks * sum(self._shares[case.start : case.end])

    def _split(self, case: _Case) -> tuple[_Outcome, _Outcome]:
        share, after = self._shares[case.start], case.start + 1
        missing = case.missing - self._bounds[case.start]
        return (
            self._case(after, missing, case.chunks * share),
            self._case(after, case.missing, case.chunks * (1 - share)),
        )

    def _write(self, case: _Outcome) -> str | bool:
        if isinstance(case, bool):
            return case
        if case.split is None:
            # At least one of these terms is needed to add the missing score.
            return f"({'|'.join(self._terms[case.start : case.end])})"
        term = self._terms[case.start]
        holding, lacking = map(self._write, case.split)
        if isinstance(holding, bool):  # after rounding even False is possible
            return f"({term}|{lacking})" if isinstance(lacking, str) else term
        if lacking is False:
            return f"({term}&{holding})"
        return f"({term}&{holding}|{lacking})"
