"""A boolean query that is true wherever a chunk can still reach a score.

Each term of the query has a bound, the most it can add to any chunk's score. A chunk
can reach a threshold only if the bounds of the terms it holds add up to it. That is a
boolean function of the terms held, and PostgreSQL's index evaluates such functions
quickly, skipping over frequent terms where a rarer one is required.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

# How finely the function is worked out; what is left is bounded from above. Finer ones
# let fewer chunks through but cost the index more for each.
_MOST_STEPS = 16


def quote_term(term: str) -> str:
    """Write a term as tsquery's syntax wants it."""
    escaped = term.replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"


def any_of(terms: Sequence[str]) -> str:
    """Return a query for chunks that hold any of the terms."""
    return "|".join(map(quote_term, terms))


def reaching(terms: Sequence[str], bounds: Sequence[float], threshold: float) -> str:
    """Return a query that no chunk with at least the threshold's score fails.

    Args:
        terms: The terms, by falling bound.
        bounds: The most that each can add to a score.
        threshold: The score to be reached; the bounds add up to no less.
    """
    query = _Function([quote_term(term) for term in terms], bounds).query(0, threshold)
    # Rounding may have put the threshold a hair above what is possible.
    return query if isinstance(query, str) else any_of(terms)


class _Function:
    def __init__(self, terms: Sequence[str], bounds: Sequence[float]) -> None:
        self._terms = terms
        self._bounds = bounds
        self._rests = [0.0]  # what the terms from each place on can add at most
        for bound in reversed(bounds):
            self._rests.append(self._rests[-1] + bound)
        self._rests.reverse()
        self._steps = _MOST_STEPS

    def query(self, start: int, missing: float) -> str | bool:
        """Return where the terms from `start` on can add what is missing."""
        if missing <= 0:
            return True
        if self._rests[start] < missing:
            return False
        self._steps -= 1
        if self._steps <= 0:
            return self._essential(start, missing)
        term = self._terms[start]
        with_term = self.query(start + 1, missing - self._bounds[start])
        without = self.query(start + 1, missing)
        if with_term is True:
            return f"({term}|{without})" if isinstance(without, str) else term
        if without is False:
            return f"({term}&{with_term})"
        return f"({term}&{with_term}|{without})"

    def _essential(self, start: int, missing: float) -> str:
        """Any of the terms without which the rest cannot add what is missing."""
        end = start
        while self._rests[end] >= missing:
            end += 1
        return f"({'|'.join(self._terms[start:end])})"
