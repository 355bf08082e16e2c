"""Turn pairs into token ids.

    python -m training.encode PAIRS... --vocabulary vocabulary.json --out encoded

Writes a copy of the vocabulary and `pairs.npz`: the distinct tokens of all
queries and passages end to end with how often each is said, where each text ends, and
the kind, the group and the part (training or validation) of each pair.
"""

from __future__ import annotations

import argparse
import json
import shutil
from collections import Counter
from hashlib import blake2b
from itertools import islice
from multiprocessing import Pool
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from tokenizers import Tokenizer

from outcrop.providers.word_tokens import WordTokens
from training.pair_files import read_chunks
from training.validation import is_held_out

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_QUERY_TOKENS, MAX_PASSAGE_TOKENS = 48, 128


class Encoded(NamedTuple):
    """A pair as token ids and counts, with its labels."""

    sides: list[dict[int, int]]
    kind: str
    group: str
    is_held_out: bool
    keys: tuple[int, int]


class PairEncoder:
    """Encodes lines of pairs; one per process."""

    def __init__(self, vocabulary: str) -> None:
        self.tokens = WordTokens(Tokenizer.from_file(vocabulary))

    def encode(self, line: str) -> Encoded | None:
        """Return a pair as ids, or None where a side has nothing."""
        package, kind, query, passage = json.loads(line)
        sides = [
            dict(islice(Counter(self.tokens.of(text)).items(), limit))
            for text, limit in (
                (query, MAX_QUERY_TOKENS),
                (passage, MAX_PASSAGE_TOKENS),
            )
        ]
        if not all(sides):
            return None
        language = kind.partition("_")[2] if kind[-3] == "_" else ""
        keys = tuple(
            int.from_bytes(
                blake2b(text.encode("utf-8", "replace"), digest_size=6).digest()
            )
            for text in (query, passage)
        )
        group = f"{package}:{language}"
        return Encoded(sides, kind, group, is_held_out(package), (keys[0], keys[1]))


_encoder: PairEncoder


def _start(vocabulary: str) -> None:
    global _encoder  # noqa: PLW0603 - one per process
    _encoder = PairEncoder(vocabulary)


def _encode_lines(lines: list[str]) -> list[Encoded]:
    return [pair for line in lines if (pair := _encoder.encode(line))]


def write_pairs(pairs: Iterable[Encoded], out: Path) -> dict[str, object]:
    """Write encoded pairs; return the names of their labels."""
    ids: list[np.ndarray] = []
    counts: list[np.ndarray] = []
    lengths: list[int] = []
    labels: list[tuple[int, int, int]] = []
    keys: list[tuple[int, int]] = []
    kinds: dict[str, int] = {}
    groups: dict[str, int] = {}
    for pair in pairs:
        for side in pair.sides:
            ids.append(np.fromiter(side.keys(), dtype=np.uint16))
            counts.append(
                np.fromiter((min(n, 255) for n in side.values()), dtype=np.uint8)
            )
            lengths.append(len(side))
        kind = kinds.setdefault(pair.kind, len(kinds))
        group = groups.setdefault(pair.group, len(groups))
        labels.append((kind, group, pair.is_held_out))
        keys.append(pair.keys)
    np.savez(
        out / "pairs.npz",
        ids=np.concatenate(ids),
        counts=np.concatenate(counts),
        lengths=np.array(lengths, dtype=np.uint8),
        labels=np.array(labels, dtype=np.int32),
        keys=np.array(keys, dtype=np.int64),
    )
    return {"kinds": list(kinds), "groups": len(groups), "pairs": len(labels)}


def main() -> None:
    """Encode all pairs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pairs", type=Path, nargs="+")
    parser.add_argument("--vocabulary", type=Path, required=True)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    shutil.copy(given.vocabulary, given.out / "vocabulary.json")
    with Pool(given.workers, _start, (str(given.vocabulary),)) as pool:
        chunks = pool.imap(_encode_lines, read_chunks(given.pairs))
        names = write_pairs((pair for chunk in chunks for pair in chunk), given.out)
    (given.out / "names.json").write_text(json.dumps(names))
    print(names)


if __name__ == "__main__":
    main()
