"""Questions in another language than the documents, and their words in that language.

A word and its translations are one word to the ranking: what it weighs follows from how
many chunks contain any of them.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from outcrop.model.candidate import idf
from outcrop.providers.lexicon import LANGUAGES, PIVOT, languages_of, translate
from outcrop.search.names import find_names
from outcrop.search.words import other_forms
from outcrop.text.analysis import count_terms
from outcrop.text.language import common_words, detect_language, is_foreign

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from outcrop.model.candidate import Candidate, TermStatistics
    from outcrop.search.question import Question

    # By word of the question: what it may be called, with weights from 0 to 1.
    Translations = Mapping[str, Mapping[str, float]]


# A question is English if it has at least this many words that are English alone, for
# each word of the other language alone, and for each word that is not known.
_ENGLISH_PER_OTHER = 3
_ENGLISH_PER_UNKNOWN = 0.5


def foreign_languages(question: Question, candidates: Iterable[Candidate]) -> list[str]:
    """Return the languages of the documents, if most are in another than a question.

    The most frequent language comes first. The language of a page with much code may be
    wrong, so that of most decides for all.
    """
    languages = Counter(c.lang for c in candidates if c.lang and not c.is_code)
    foreign = {
        language: count
        for language, count in languages.items()
        if is_foreign(question.text, language) or _is_english(question, language)
    }
    if sum(foreign.values()) <= languages.total() / 2:
        return []
    return sorted(foreign, key=lambda language: (-foreign[language], language))


def _is_english(question: Question, language: str) -> bool:
    """Return whether a question is English and not in a language in the same letters.

    Words that both languages have say nothing: `extension`, `a`, `do`.
    """
    text = question.text
    if (
        question.is_symbol
        or language not in LANGUAGES
        or detect_language(text) != PIVOT
    ):
        return False
    common, of_other = common_words(text, PIVOT), common_words(text, language)
    english, other, unknown = len(common - of_other), len(of_other - common), 0
    for term in filter(str.isalpha, question.terms):
        known = languages_of(term, language)
        english += known == {PIVOT}
        other += known == {language}
        unknown += not known
    least = max(_ENGLISH_PER_OTHER * other, _ENGLISH_PER_UNKNOWN * unknown)
    return english > 0 and english >= least


def translate_words(question: Question, languages: Sequence[str]) -> Translations:
    """Return the translations of each word of a question.

    Names of code are the same in all languages. A single word that is not spelled like
    one is translated.
    """
    if not languages or (question.is_symbol and not question.text.isalpha()):
        return {}
    found_names = find_names(question.text)
    names = count_terms("\n".join(".".join(name) for name in found_names))
    terms = [term for term in question.terms if term not in names]
    # A few words of English may pass for another language: `do` and `as` are Portuguese.
    for own in dict.fromkeys((detect_language(question.text), PIVOT)):
        found = {term: _ways(term, own, languages) for term in terms} if own else {}
        if any(found.values()):
            return {term: ways for term, ways in found.items() if ways}
    return {}


def _ways(term: str, own: str, languages: Sequence[str]) -> dict[str, float]:
    """Return the translations of a term into some languages, the best with weight 1."""
    ways: dict[str, float] = {}
    for language in languages:
        found = translate(term, own, language)
        for form in () if found or own != PIVOT else other_forms(term):
            found |= translate(form, own, language)
        best = max(found.values(), default=1.0)
        for text, weight in found.items():
            ways[text] = max(ways.get(text, 0.0), weight / best)
    ways.pop(term, None)
    return ways


def weigh_translated(
    translations: Translations, known: Mapping[str, TermStatistics]
) -> dict[str, float]:
    """Return the weights of words and their translations, of those that are known."""
    weights: dict[str, float] = {}
    for word, ways in translations.items():
        shares = {word: 1.0, **ways}
        found = {text: known[text] for text in shares if text in known}
        if not found:
            continue
        chunks = max(each.chunks for each in found.values())
        containing = sum(shares[text] * each.df for text, each in found.items())
        weight = idf(chunks, min(chunks, containing))
        for text in found:
            weights[text] = weights.get(text, 0.0) + shares[text] * weight
    return weights
