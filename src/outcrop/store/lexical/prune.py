"""A boolean query that is true wherever a chunk can still reach a score.

Each term of the query has a bound, the most it can add to any chunk's score. A chunk
can reach a threshold only if the bounds of the terms it holds add up to it. That is a
boolean function of the terms held, and PostgreSQL's index evaluates such functions
quickly, skipping over frequent terms where a rarer one is required.

Worked out in full, the function may have as many cases as there are sets of terms. So
it is worked out where that tells most: the case that lets the most chunks through is
parted in two, those that hold its next term and those that do not, until few are left
or enough is done. Each case that was not parted is bounded from above.
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import accumulate, count
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

# Finer functions let fewer chunks through but cost the index more for each.
_MOST_STEPS = 12
# So few chunks are read faster than told apart.
_FEW_CHUNKS = 200


class Bounded(NamedTuple):
    """A term of a query.

    Attributes:
        text: The term.
        bound: The most it can add to a score.
        df: How many chunks hold it.
    """

    text: str
    bound: float
    df: int


def quote_term(term: str) -> str:
    """Write a term as tsquery's syntax wants it."""
    escaped = term.replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"


def any_of(terms: Sequence[str]) -> str:
    """Return a query for chunks that hold any of the terms."""
    return "|".join(map(quote_term, terms))


def reaching(terms: Sequence[Bounded], threshold: float, chunks: int) -> str:
    """Return a query that no chunk with at least the threshold's score fails.

    Args:
        terms: The terms, by falling bound.
        threshold: The score to be reached; the bounds add up to no less.
        chunks: How many chunks there are.
    """
    query = _Function(terms, chunks).query(threshold)
    # Rounding may have put the threshold a hair above what is possible.
    return query if isinstance(query, str) else any_of([term.text for term in terms])


@dataclass(slots=True)
class _Case:
    """Chunks of which is known whether they hold the terms before a place.

    Attributes:
        start: The place.
        end: From here on, the terms cannot add what is missing by themselves.
        missing: What the terms from `start` on have to add.
        chunks: About how many chunks are concerned.
        parted: Those that hold the term at `start`, and those that do not, once they
            are told apart.
    """

    start: int
    end: int
    missing: float
    chunks: float
    parted: tuple[_Outcome, _Outcome] | None = None


# A case, or whether all chunks of it can reach the threshold.
_Outcome: TypeAlias = _Case | bool


class _Function:
    def __init__(self, terms: Sequence[Bounded], chunks: int) -> None:
        self._terms = [quote_term(term.text) for term in terms]
        self._bounds = [term.bound for term in terms]
        self._shares = [min(1.0, term.df / chunks) for term in terms]
        self._chunks = chunks
        # What the terms from each place on can add at most.
        self._rests = [*accumulate(reversed(self._bounds), initial=0.0)][::-1]

    def query(self, threshold: float) -> str | bool:
        """Return where the terms can add up to the threshold."""
        root = self._case(0, threshold, self._chunks)
        if isinstance(root, _Case):
            self._work_out(root)
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

    def _work_out(self, root: _Case) -> None:
        """Part cases, always the one that lets the most chunks through."""
        number = count()  # no two cases are compared themselves
        waiting = [(-self._passing(root), next(number), root)]
        for _ in range(_MOST_STEPS):
            if not waiting or -waiting[0][0] < _FEW_CHUNKS:
                break
            case = heappop(waiting)[2]
            case.parted = self._part(case)
            for part in case.parted:
                if isinstance(part, _Case):
                    heappush(waiting, (-self._passing(part), next(number), part))

    def _passing(self, case: _Case) -> float:
        """Return about how many chunks an unparted case lets through."""
        return case.chunks * sum(self._shares[case.start : case.end])

    def _part(self, case: _Case) -> tuple[_Outcome, _Outcome]:
        share, after = self._shares[case.start], case.start + 1
        missing = case.missing - self._bounds[case.start]
        return (
            self._case(after, missing, case.chunks * share),
            self._case(after, case.missing, case.chunks * (1 - share)),
        )

    def _write(self, case: _Outcome) -> str | bool:
        if isinstance(case, bool):
            return case
        if case.parted is None:
            # Any of the terms without which the rest cannot add what is missing.
            return f"({'|'.join(self._terms[case.start : case.end])})"
        term = self._terms[case.start]
        holding, lacking = map(self._write, case.parted)
        if isinstance(holding, bool):  # by rounding it may seem to fall short
            return f"({term}|{lacking})" if isinstance(lacking, str) else term
        if lacking is False:
            return f"({term}&{holding})"
        return f"({term}&{holding}|{lacking})"
