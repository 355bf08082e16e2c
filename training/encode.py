"""Turn pairs into token ids.

    python -m training.encode PAIRS... --vocabulary vocabulary.json --out encoded

Writes `pairs.npz` (see `training.encoded`): the distinct tokens of each text with how
often each is said, the two texts of each pair, and the kind, the group and the part
(training or validation) of each pair.
"""

from __future__ import annotations

import argparse
import json
from array import array
from collections import Counter
from functools import lru_cache
from hashlib import blake2b
from itertools import islice
from multiprocessing import Pool
from pathlib import Path
from typing import NamedTuple

import numpy as np

from outcrop.providers.word_tokens import BYTES, BytePairs, WordTokens
from training.export import read_merges
from training.pair_files import read_chunks
from training.validation import is_held_out

MAX_QUERY_TOKENS, MAX_PASSAGE_TOKENS = 48, 80


class Encoded(NamedTuple):
    """A pair as token ids and counts, with its labels."""

    sides: list[dict[int, int]]
    kind: str
    group: str
    is_held_out: bool
    keys: tuple[bytes, bytes]


class PairEncoder:
    """Encodes lines of pairs; one per process."""

    def __init__(self, vocabulary: str) -> None:
        self.tokens = WordTokens(BytePairs(read_merges(Path(vocabulary))))
        # A docstring and its first sentence have the same passage.
        self.count = lru_cache(maxsize=8_000)(self._count)

    def _count(self, text: str, limit: int) -> dict[int, int]:
        """Return how often the first distinct tokens of a text are said."""
        return dict(islice(Counter(self.tokens.of(text)).items(), limit))

    def encode(self, line: str) -> Encoded | None:
        """Return a pair as ids, or None where a side has nothing."""
        package, kind, query, passage = json.loads(line)
        sides = [
            self.count(query, MAX_QUERY_TOKENS),
            self.count(passage, MAX_PASSAGE_TOKENS),
        ]
        if not all(sides):
            return None
        language = kind.partition("_")[2] if kind[-3] == "_" else ""
        group = f"{package}:{language}"
        keys = tuple(_key(text) for text in (query, passage))
        return Encoded(sides, kind, group, is_held_out(package), (keys[0], keys[1]))


def _key(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "replace"), digest_size=8).digest()


_encoder: PairEncoder


def _start(vocabulary: str) -> None:
    global _encoder  # noqa: PLW0603 - one per process
    _encoder = PairEncoder(vocabulary)


def _encode_lines(lines: list[str]) -> list[Encoded]:
    return [pair for line in lines if (pair := _encoder.encode(line))]


class Writer:
    """Collects encoded pairs, each text once."""

    def __init__(self) -> None:
        self.kinds: dict[str, int] = {}
        self._groups: dict[str, int] = {}
        self._numbers: dict[bytes, int] = {}
        self._ids, self._counts = array("H"), array("B")
        self._lengths = array("B")
        self._texts, self._labels = array("I"), array("I")

    def add(self, pair: Encoded) -> None:
        """Add a pair."""
        for text, side in zip(pair.keys, pair.sides, strict=True):
            # A passage holds more tokens of a text than a query does.
            key = text + bytes([len(side)])
            number = self._numbers.setdefault(key, len(self._numbers))
            if number == len(self._lengths):
                self._ids.extend(side)
                self._counts.extend(min(n, 255) for n in side.values())
                self._lengths.append(len(side))
            self._texts.append(number)
        kind = self.kinds.setdefault(pair.kind, len(self.kinds))
        group = self._groups.setdefault(pair.group, len(self._groups))
        self._labels.extend((kind, group, pair.is_held_out))

    def write(self, file: Path) -> None:
        """Write all pairs."""
        np.savez(
            file,
            ids=np.array(self._ids),
            counts=np.array(self._counts),
            lengths=np.array(self._lengths),
            texts=np.array(self._texts).reshape(-1, 2),
            labels=np.array(self._labels, dtype=np.int32).reshape(-1, 3),
        )

    def __len__(self) -> int:
        return len(self._texts) // 2


def main() -> None:
    """Encode all pairs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pairs", type=Path, nargs="+")
    parser.add_argument("--vocabulary", type=Path, required=True)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    writer = Writer()
    with Pool(given.workers, _start, (str(given.vocabulary),)) as pool:
        for chunk in pool.imap(_encode_lines, read_chunks(given.pairs)):
            for pair in chunk:
                writer.add(pair)
    writer.write(given.out / "pairs.npz")
    size = BYTES + len(read_merges(given.vocabulary))
    names = {"kinds": list(writer.kinds), "pairs": len(writer), "tokens": size}
    (given.out / "names.json").write_text(json.dumps(names))
    print(names)


if __name__ == "__main__":
    main()
