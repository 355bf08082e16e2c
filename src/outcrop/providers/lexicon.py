"""What words mean in another language: tables of terms, learned from messages.

A line of a table has a term of English and its translations, each with a weight from 1 to
99: `file<TAB>datei 99<TAB>dateien 41`. Terms are those of `outcrop.text.analysis`. A table
is read when the first question needs it. `training/` in the repository made them.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    # By term: its translations, with their weights.
    Table = Mapping[str, Mapping[str, float]]

FOLDER = Path(__file__).with_name("weights") / "lexicon"
PIVOT = "en"
LANGUAGES = ("de", "es", "fr", "ja", "ko", "pt", "ru", "zh")
_FULL = 99
_NOTHING: Mapping[str, float] = {}


def translate(term: str, language: str, into: str) -> dict[str, float]:
    """Return the translations of a term, each with a weight above 0, at most 1.

    One of the languages has to be English; otherwise nothing is found.
    """
    if language == PIVOT and into in LANGUAGES:
        from_english, _ = _tables(into)
        return dict(from_english.get(term, _NOTHING))
    if into == PIVOT and language in LANGUAGES:
        _, into_english = _tables(language)
        return dict(into_english.get(term, _NOTHING))
    return {}


def languages_of(term: str, language: str) -> set[str]:
    """Return in which languages a table has a term: English, the other one, or both."""
    if language not in LANGUAGES:
        return set()
    known = zip((PIVOT, language), _tables(language), strict=True)
    return {name for name, table in known if term in table}


@cache
def _tables(language: str) -> tuple[Table, Table]:
    """Return the table of a language: from English, and into English."""
    from_english: dict[str, dict[str, float]] = {}
    into_english: defaultdict[str, dict[str, float]] = defaultdict(dict)
    text = (FOLDER / f"{language}.tsv").read_text(encoding="utf-8")
    for line in text.splitlines():
        term, *ways = line.split("\t")
        fields = (way.split(" ") for way in ways)
        from_english[term] = {way: int(weight) / _FULL for way, weight in fields}
        for way, weight in from_english[term].items():
            into_english[way][term] = weight
    return from_english, into_english
