"""Make pairs of all packages in some folders.

    python -m training.make_pairs FOLDER... --out pairs.jsonl.gz --exclude EVALUATION

Writes one pair per line, `[package, kind, query, passage]`, and beside it a list of the
packages used with their licences. Texts that share 13 words in a row with a file under
EVALUATION are left out.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import sys
from collections import Counter
from hashlib import blake2b
from multiprocessing import Pool
from pathlib import Path
from typing import TYPE_CHECKING

from training.packages import ReadPackage, archives_in, read_package

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_TOKEN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W_\u3040-\u30ff\u3400-\u9fff]+")
SHINGLE = 13


def shingles(text: str) -> Iterator[int]:
    """Yield hashes of every run of 13 words; a character of Chinese is a word."""
    words = _TOKEN.findall(text.lower())
    for at in range(len(words) - SHINGLE + 1):
        yield hash(tuple(words[at : at + SHINGLE]))


def forbidden(folders: Iterable[Path]) -> set[int]:
    """Return the shingles of all texts that must not be learned from."""
    found: set[int] = set()
    for folder in folders:
        for file in sorted(folder.rglob("*")):
            if file.suffix not in {".jsonl", ".md", ".csv", ".json"}:
                continue
            text = file.read_text(errors="replace")
            if file.suffix == ".jsonl":
                for line in text.splitlines():
                    for value in json.loads(line).values():
                        if isinstance(value, str):
                            found.update(shingles(value))
            else:
                found.update(shingles(text))
    return found


class PairFile:
    """Pairs as they are written, each once and none that must not be learned from."""

    def __init__(self, barred: set[int]) -> None:
        self.kinds: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self._barred = barred
        self._seen: set[bytes] = set()

    def lines(self, read: ReadPackage) -> Iterator[str]:
        """Yield the lines of the pairs of a package."""
        for pair in read.pairs:
            text = f"{pair.query}\n{pair.passage}"
            key = blake2b(text.encode("utf-8", "replace"), digest_size=8).digest()
            if key in self._seen:
                continue
            self._seen.add(key)
            if not self._barred.isdisjoint(shingles(text)):
                self.refused["overlaps an evaluation set"] += 1
                continue
            self.kinds[pair.kind] += 1
            yield json.dumps([read.name, *pair], ensure_ascii=False) + "\n"


def main() -> None:
    """Read packages, drop what must not be learned from, write pairs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--exclude", type=Path, action="append", default=[])
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    pairs = PairFile(forbidden(given.exclude))
    archives = archives_in(given.folders)
    random.Random(7).shuffle(archives)  # large ones are spread over the run
    used: list[str] = []
    with (
        gzip.open(given.out, "wt", compresslevel=3) as out,
        Pool(given.workers) as pool,
    ):
        for read in pool.imap_unordered(read_package, archives):
            if read.problem:
                pairs.refused[read.problem.partition(":")[0]] += 1
                print(read.name, read.problem, flush=True)
                continue
            lines = list(pairs.lines(read))
            out.writelines(lines)
            print(read.name, read.licence, len(lines), flush=True)
            if lines:
                used.append(f"{read.name}\t{read.licence}\t{len(lines)}")
    given.out.with_suffix(".packages.tsv").write_text("\n".join(sorted(used)) + "\n")
    print(
        len(used), "packages", dict(pairs.kinds), dict(pairs.refused), file=sys.stderr
    )


if __name__ == "__main__":
    main()
