"""Embeddings: of a candidate's text, and of its names."""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING

from outcrop.search.signals.lexical import MAX_MATCHED_TERMS
from outcrop.search.signals.signal import share_of_best

if TYPE_CHECKING:
    from outcrop.search.signals.signal import Pool


# The cosine of this match, or of the weakest if there are fewer, counts as nothing.
_FLOOR_RANK = 40
# What meaning counts for a foreign question even if a document has all its words.
_MIN_FOREIGN_SHARE = 0.5


def score_vector(pool: Pool) -> list[float]:
    """Score candidates by their cosine, minus that of a weak vector match."""
    nearest = sorted(pool.nearest, reverse=True)[:_FLOOR_RANK]
    if not nearest:
        return [0.0] * len(pool.candidates)
    floor = nearest[-1] if len(nearest) > 1 else 0.0
    return share_of_best(
        [
            0.0 if c.similarity is None else max(0.0, c.similarity - floor)
            for c in pool.candidates
        ]
    )


def score_foreign(pool: Pool) -> list[float]:
    """Score documents as `score_vector` does, if most are in another language.

    They have few words in common with the question, and those that have one by chance
    would come first. It counts more, the fewer of the question's words are found
    together: names and commands are the same in all languages. If words could be
    translated, it counts only as far as that failed.
    """
    share = _foreign_share(pool) if pool.foreign_languages else 0.0
    if not share:
        return [0.0] * len(pool.candidates)
    return [
        0.0 if c.is_code else share * value
        for c, value in zip(pool.candidates, score_vector(pool), strict=True)
    ]


def _foreign_share(pool: Pool) -> float:
    """Return how much a foreign question is answered by meaning, from 0 to 1.

    A name is the same in all languages. Code beside the documents is in that of the
    question, so its words count.
    """
    if pool.translations:
        return _unknown_share(pool) ** 2
    missing = _missing_share(pool)
    if pool.is_mixed or pool.question.is_symbol:
        return missing
    return min(1.0, _MIN_FOREIGN_SHARE + missing)


def _unknown_share(pool: Pool) -> float:
    """Return the share of the question's words that the index has in no language."""
    weights = pool.term_weights
    unknown = max(weights.values(), default=1.0)
    known = fsum(found := [_known_weight(pool, term) for term in pool.question.terms])
    missing = unknown * found.count(0.0)
    return missing / (known + missing) if missing else 0.0


def _known_weight(pool: Pool, term: str) -> float:
    ways = (term, *pool.translations.get(term, ()))
    return max(pool.term_weights.get(way, 0.0) for way in ways)


def _missing_share(pool: Pool) -> float:
    """Return the share of the question's words that the best candidate lacks.

    A word that the index does not contain counts as much as the rarest that it does.
    """
    weights = pool.term_weights
    unknown = max(weights.values(), default=1.0)
    terms = pool.question.terms
    wanted = sorted((weights.get(term, unknown) for term in terms), reverse=True)
    total = fsum(wanted[:MAX_MATCHED_TERMS])
    if not total:
        return 0.0
    found = max(
        fsum(weights.get(term, 0.0) for term in candidate.matched_terms)
        for candidate in pool.candidates
    )
    return max(0.0, 1 - found / total)


def score_cosine(pool: Pool) -> list[float]:
    """Score candidates by their cosine itself: it is low if nothing is near."""
    return [min(1.0, max(0.0, c.similarity or 0.0)) for c in pool.candidates]


def score_name_vector(pool: Pool) -> list[float]:
    """Score candidates by the cosines of the names of their file and definition.

    `JsonWriter` is near to "streaming output", with which it shares no word. Some names
    are always nearer than others, so only the nearer half counts. A question that is
    itself a name means that name and no similar one.
    """
    values = [] if pool.question.is_symbol else pool.name_cosines
    if not values:
        return [0.0] * len(pool.candidates)
    median = sorted(values)[len(values) // 2]
    return share_of_best([max(0.0, value - median) for value in values])


def score_foreign_name(pool: Pool) -> list[float]:
    """Score candidates as `score_name_vector` does, if documents are in another language.

    A heading in another language has few words of the question, even translated ones,
    and a name is as short as a question: their vectors say more than those of texts.
    Code beside the documents has names in the language of the question.
    """
    if not pool.foreign_languages or pool.is_mixed:
        return [0.0] * len(pool.candidates)
    return score_name_vector(pool)
