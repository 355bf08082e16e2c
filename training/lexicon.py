"""Make the tables that questions are translated with, from messages of programs.

    python -m training.lexicon FOLDER... --out FOLDER --exclude EVALUATION

Reads the packages in some folders and writes a table for each language: terms of English
with their translations, as the index has them. Messages that share 13 words in a row with
a file under EVALUATION are left out.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from hashlib import sha256
from multiprocessing import Pool
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from outcrop.text.analysis import term_counts
from training.association import associate
from training.make_pairs import forbidden, shingles
from training.packages import archives_in, permitted_members, translations
from training.translation_pairs import LANGUAGES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from training.association import Association

MAX_TERMS = 40  # of a message; longer ones are not aligned by chance alone
MAX_TRANSLATIONS = 6
MIN_SHARE = 0.4  # of the weight of a term's best translation
MIN_WEIGHT = 0.1
FULL = 99


class Messages(NamedTuple):
    """The messages of a package: language, English and translation."""

    package: str
    licence: str
    texts: list[tuple[str, str, str]]


def read_messages(archive: Path) -> Messages:
    """Return the translated messages of a package whose licence allows it."""
    read, members = permitted_members(archive)
    pairs = [] if read.problem else translations(members)
    both_ways = [pair for pair in pairs if pair.kind.startswith("translation_")]
    return Messages(
        read.name,
        read.licence,
        [(pair.kind[-2:], pair.query, pair.passage) for pair in both_ways[::2]],
    )


def learn(messages: Iterable[tuple[str, str]]) -> dict[str, dict[str, int]]:
    """Return the translations of each term of English, each with its weight."""
    pairs = [(_words(english), _words(other)) for english, other in messages]
    found: dict[str, list[tuple[float, str]]] = defaultdict(list)
    for known in associate([pair for pair in pairs if all(pair)]):
        if known.source != known.target and known.source.isascii():
            found[known.source].append((_weight(known), known.target))
    table = {term: _best(found[term]) for term in sorted(found)}
    return {term: ways for term, ways in table.items() if ways}


def _words(text: str) -> list[str]:
    """Return the terms of a message that are words, each once."""
    return [t for t in term_counts(text) if t.isalpha() and len(t) > 1][:MAX_TERMS]


def _weight(known: Association) -> float:
    """Return what a translation counts: rarer ones say more than their share."""
    return known.strength**0.5


def _best(found: list[tuple[float, str]]) -> dict[str, int]:
    best = sorted(found, key=lambda item: (-item[0], item[1]))[:MAX_TRANSLATIONS]
    least = max(MIN_WEIGHT, MIN_SHARE * best[0][0])
    return {text: round(FULL * weight) for weight, text in best if weight >= least}


def table_lines(table: dict[str, dict[str, int]]) -> Iterator[str]:
    """Yield the lines of a table."""
    for term, ways in table.items():
        fields = [term, *(f"{text} {weight}" for text, weight in ways.items())]
        yield "\t".join(fields) + "\n"


def main() -> None:
    """Read packages, drop what must not be learned from, write the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--exclude", type=Path, action="append", default=[])
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    barred = forbidden(given.exclude)
    messages: dict[str, set[tuple[str, str]]] = defaultdict(set)
    with Pool(given.workers) as pool:
        for read in pool.imap(read_messages, sorted(archives_in(given.folders))):
            kept = 0
            for language, *message in read.texts:
                if barred.isdisjoint(shingles("\n".join(message))):
                    messages[language].add(tuple(message))
                    kept += 1
            print(f"{read.package}\t{read.licence}\t{kept}", flush=True)
    given.out.mkdir(parents=True, exist_ok=True)
    for language in LANGUAGES:
        learned_from = sorted(messages[language])
        table = learn(learned_from)
        lines = "".join(table_lines(table))
        (given.out / f"{language}.tsv").write_text(lines, encoding="utf-8")
        digest = sha256(json.dumps(learned_from).encode()).hexdigest()[:16]
        print(language, len(learned_from), "messages", digest, len(table), "terms")


if __name__ == "__main__":
    main()
