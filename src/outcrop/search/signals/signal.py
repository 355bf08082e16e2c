"""What a signal is: something known of a candidate that says how well it answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from outcrop.model.candidate import Candidate
    from outcrop.search.asked import Asked

    Embed = Callable[[Sequence[str]], NDArray[np.float32]]


@dataclass(frozen=True, kw_only=True)
class Pool:
    """All candidates of a question, with what is known of them.

    Attributes:
        asked: What the question says.
        candidates: What was found by words, by vectors or by name.
        term_weights: How much each term of the question tells.
        nearest: Cosines of those that were found by vectors.
        question: The question's own vector, where names are compared by meaning.
        embed: Embeds names; None where that would cost more than a moment.
    """

    asked: Asked
    candidates: Sequence[Candidate]
    term_weights: Mapping[str, float] = field(default_factory=dict)
    nearest: Sequence[float] = ()
    question: NDArray[np.float32] | None = None
    embed: Embed | None = None

    @cached_property
    def is_code(self) -> list[bool]:
        """Of each candidate, whether it is source code."""
        return [candidate.is_code for candidate in self.candidates]


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """One line of the table.

    Attributes:
        name: Names it in the parts of a score.
        score: Says how strong it is for each candidate, from 0 to 1.
        documents: Its weight for chunks of documents.
        code: Its weight for chunks of code.
    """

    name: str
    score: Callable[[Pool], list[float]]
    documents: float
    code: float

    def weigh(self, pool: Pool) -> list[float]:
        """Return its part of each candidate's score."""
        if not self.documents and not any(pool.is_code):
            return [0.0] * len(pool.candidates)
        return [
            value * (self.code if is_code else self.documents)
            for value, is_code in zip(self.score(pool), pool.is_code, strict=True)
        ]


def share_of_best(values: Sequence[float]) -> list[float]:
    """Scale values so that the best is 1: no size of index or question matters."""
    best = max(values, default=0.0)
    return [value / best if best > 0 else 0.0 for value in values]
