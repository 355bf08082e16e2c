"""A signal: one property of candidates that says how well they answer a question."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from outcrop.search.foreign import foreign_languages
from outcrop.search.names import name_words

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from outcrop.model.candidate import Candidate
    from outcrop.search.foreign import Translations
    from outcrop.search.names import NameWords
    from outcrop.search.question import Question
    from outcrop.search.words import WordWeights

    Embed = Callable[[Sequence[str]], NDArray[np.float32]]


@dataclass(frozen=True, kw_only=True)
class Pool:
    """All candidates of a question, with everything that signals need.

    Attributes:
        question: The question.
        words: Its words with their weights.
        candidates: The chunks found by words, by vector or by name.
        term_weights: The weight of each term of the question.
        nearest: Cosines of the candidates found by vector.
        vector: The question's vector.
        embed: Embeds names; None where that would take too long.
        uses: How often code uses those candidates that define a name of the question.
        at_line: Those of them that are at the line that the question asks for.
        translations: What the words of a question in another language than the documents
            are called in theirs; empty for all other questions.
    """

    question: Question
    words: WordWeights
    candidates: Sequence[Candidate]
    term_weights: Mapping[str, float] = field(default_factory=dict)
    nearest: Sequence[float] = ()
    vector: NDArray[np.float32] | None = None
    embed: Embed | None = None
    uses: Mapping[str, int] = field(default_factory=dict)
    at_line: Collection[str] = ()
    translations: Translations = field(default_factory=dict)

    @cached_property
    def is_code(self) -> list[bool]:
        """Whether each candidate is source code."""
        return [candidate.source == "code" for candidate in self.candidates]

    @cached_property
    def names(self) -> list[NameWords]:
        """The words in the names of each candidate."""
        return [*map(name_words, self.candidates)]

    @cached_property
    def name_cosines(self) -> list[float]:
        """The cosine of each candidate's names; empty without an embedder of names."""
        if self.embed is None or self.vector is None or not self.candidates:
            return []
        names = [words.spelled for words in self.names]
        distinct = list(dict.fromkeys(names))
        found = (self.embed(distinct) @ self.vector).tolist()
        cosines = dict(zip(distinct, found, strict=True))
        return [cosines[name] for name in names]

    @cached_property
    def foreign_languages(self) -> list[str]:
        """The languages of the documents, if most are in another than the question."""
        return foreign_languages(self.question, self.candidates)

    @cached_property
    def is_mixed(self) -> bool:
        """Whether there are both documents and code among the candidates."""
        return any(self.is_code) and not all(self.is_code)


class Signal(NamedTuple):
    """One row of the table of signals.

    Attributes:
        name: Its key in the scores of a hit, and in the table of weights.
        score: Returns its strength for each candidate, from 0 to 1.
    """

    name: str
    score: Callable[[Pool], list[float]]


def share_of_best(values: Sequence[float]) -> list[float]:
    """Scale values so that the best is 1, whatever the size of index and question."""
    best = max(values, default=0.0)
    return [value / best if best > 0 else 0.0 for value in values]
