"""Turn pairs about code or documents into what `training.reranking.train` reads.

    python -m training.reranking.encode PAIRS... --rows FOLDER --out DATA [--without FILE]

FOLDER has the vocabulary of the static embedder, and FILE names packages to leave out, one
per line: those that questions are made of, by which the weight in a search is chosen. Of a
package with many pairs some are drawn. Files are compressed, so that they travel well.
"""

from __future__ import annotations

import argparse
import json
import lzma
import random
import re
import sys
from array import array
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from outcrop.providers.word_tokens import BytePairs, WordTokens
from training.pair_files import read_chunks
from training.reranking.kinds import (
    COMMENT,
    DOCSTRING_TEXT,
    HEADING,
    KEYWORDS,
    KINDS,
    LANGUAGE,
    MAX_PASSAGE,
    MAX_QUERY,
    NAME,
    PASSAGE,
    POOLS,
    SECTION,
    TITLE,
)
from training.validation import is_held_out

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MIN_QUERY, MIN_PASSAGE = 2, 6  # tokens
# Of a package: passages of a kind to be told apart, and pairs of each.
MIN_PASSAGES = 25
MAX_PAIRS = {
    POOLS[COMMENT]: 150,
    POOLS[NAME]: 150,
    POOLS[SECTION]: 2_000,
    POOLS[PASSAGE]: 500,
    POOLS[DOCSTRING_TEXT]: 150,
}
MAX_OTHER_PAIRS = 500
# What is asked of a section beside its links: one of them, in turn, or nothing.
ASKED_OF_SECTION = (HEADING, SECTION, KEYWORDS, TITLE, SECTION, KEYWORDS)
_KEYWORD = re.compile(r"[^\W\d_]{4,}|[\u3040-\u30ff\u3400-\u9fff]{2,4}")
_MIN_KEYWORDS, _MAX_KEYWORDS = 3, 6
_AROUND = 160  # characters that keywords are taken from
HELD_OUT_ONE_OF = 40  # beside those that the embedder did not learn from
# What people put before what they look for.
WORDINGS = (
    "where is the code that", "which function", "how do I", "how does it",
    "where do we", "what", "function that", "code to", "find the method that",
    "where is", "how can I", "which class", "what happens when it", "how is",
    "implementation of", "a function which", "in which place does it",
    "the part that", "I want to", "how does the code",
)  # fmt: skip
_PREFIXES = ("librust-", "golang-github-", "python3-", "ruby-", "node-", "php-", "lib")
_MAX_NAME = 5  # tokens of a package's name
_FILTERS = [
    {"id": lzma.FILTER_LZMA2, "preset": 4, "dict_size": 1 << 24, "lp": 1, "pb": 1}
]

Encoded = tuple[int, bytes, bytes]


def read_pairs(
    files: Iterable[Path], tokens: WordTokens, without: set[str]
) -> dict[str, list[Encoded]]:
    """Return the pairs of each package, as token ids."""
    packages: dict[str, list[Encoded]] = {}
    seen: set[int] = set()
    chance = random.Random(7)
    for line in _lines(files):
        package, kind, query, passage = json.loads(line)
        name, _, language = kind.partition("_")
        if name == "passage" and language:
            package, kind = f"{package}.{language}", name
        if kind not in KINDS or LANGUAGE.sub("", package) in without:
            continue
        said = [*tokens.of(passage)][:MAX_PASSAGE]
        for number, text in _queries(KINDS.index(kind), query, passage, chance):
            asked = [*tokens.of(text)][:MAX_QUERY]
            if len(asked) < MIN_QUERY or len(said) < MIN_PASSAGE:
                continue
            pair = (number, _packed(asked), _packed(said))
            key = hash((number == SECTION, *pair[1:]))
            if key not in seen:
                seen.add(key)
                packages.setdefault(package, []).append(pair)
    return packages


def _queries(
    kind: int, query: str, passage: str, chance: random.Random
) -> Iterator[tuple[int, str]]:
    """Yield what is asked: of some sections, also their last headings or some words."""
    yield kind, query
    asked = chance.choice(ASKED_OF_SECTION) if kind == SECTION else SECTION
    if asked in {HEADING, TITLE}:
        yield asked, " ".join(query.split(" > ")[-chance.randint(1, 2) :])
    elif asked == KEYWORDS:
        start = chance.randrange(max(1, len(passage) - _AROUND))
        words = _KEYWORD.findall(passage[start : start + _AROUND])[1:-1]
        count = chance.randint(_MIN_KEYWORDS, _MAX_KEYWORDS)
        if len(words) > count:
            yield KEYWORDS, " ".join(chance.sample(words, count))


def _lines(files: Iterable[Path]) -> Iterator[str]:
    try:
        for chunk in read_chunks(files):
            yield from chunk
    except EOFError:
        print("a file of pairs ends early; what was read is used", file=sys.stderr)


def _packed(ids: list[int]) -> bytes:
    return np.array(ids, np.uint16).tobytes()


def draw(pairs: list[Encoded], chance: random.Random) -> list[Encoded]:
    """Return the pairs of a package that are used, each pool apart."""
    pools: dict[int, list[Encoded]] = {}
    for pair in pairs:
        pools.setdefault(POOLS[pair[0]], []).append(pair)
    kept: set[Encoded] = set()
    for kind, pool in pools.items():
        passages = sorted({passage for _, _, passage in pool})
        if len(passages) < MIN_PASSAGES:
            continue
        most = MAX_PAIRS.get(kind, MAX_OTHER_PAIRS)
        if len(pool) > most:
            chance.shuffle(passages)
            del passages[len(passages) * most // len(pool) :]
        used = set(passages)
        kept.update(pair for pair in pool if pair[2] in used)
    return [pair for pair in pairs if pair in kept]


class Writer:
    """Texts and pairs, each text of a package once."""

    def __init__(self) -> None:
        self.packages: list[str] = []
        self._texts: list[bytes] = []
        self._pairs = array("I")

    def add(self, package: str, pairs: list[Encoded]) -> None:
        """Add the pairs of a package."""
        numbers: dict[tuple[bytes, int], int] = {}
        for kind, *sides in pairs:
            for side, text in enumerate(sides):
                if (text, side) not in numbers:
                    numbers[text, side] = len(self._texts)
                    self._texts.append(text)
            both = (numbers[text, side] for side, text in enumerate(sides))
            place = len(self.packages)
            self._pairs.extend((*both, kind, place, is_validation(package)))
        self.packages.append(package)

    def write(self, out: Path, tokens: WordTokens) -> None:
        """Write all files."""
        lengths = np.array([len(text) // 2 for text in self._texts], np.uint8)
        pairs = np.array(self._pairs, np.uint32).reshape(-1, 5)
        (out / "tokens.xz").write_bytes(
            lzma.compress(b"".join(self._texts), filters=_FILTERS)
        )
        (out / "pairs.xz").write_bytes(
            lzma.compress(lengths.tobytes() + pairs.T.tobytes())
        )
        about = {
            "texts": len(lengths),
            "pairs": len(pairs),
            "packages": self.packages,
            "wordings": [[*tokens.of(words)] for words in WORDINGS],
            "package_tokens": [self._name(name, tokens) for name in self.packages],
        }
        (out / "names.json").write_text(json.dumps(about))
        print(f"{len(pairs):,} pairs of {len(self.packages):,} packages")

    @staticmethod
    def _name(package: str, tokens: WordTokens) -> list[int]:
        for prefix in _PREFIXES:
            package = package.removeprefix(prefix)
        return [*tokens.of(package)][:_MAX_NAME] or [0]


def is_validation(package: str) -> bool:
    """Return whether a package is not learned from, in any language."""
    package = LANGUAGE.sub("", package)
    digest = blake2b(f"rerank{package}".encode(), digest_size=4).digest()
    return is_held_out(package) or int.from_bytes(digest) % HELD_OUT_ONE_OF == 0


def main() -> None:
    """Read, draw and write pairs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pairs", type=Path, nargs="+")
    parser.add_argument("--rows", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--without", type=Path)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    without = set(given.without.read_text().split()) if given.without else set()
    tokens = WordTokens(BytePairs(np.load(given.rows / "merges.npy")))
    packages = read_pairs(given.pairs, tokens, without)
    chance = random.Random(7)
    writer = Writer()
    for package in sorted(packages):
        if drawn := draw(packages[package], chance):
            writer.add(package, drawn)
    writer.write(given.out, tokens)


if __name__ == "__main__":
    main()
