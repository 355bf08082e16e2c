"""How much memory a large tree takes to index, and how its index answers.

Documents are made as for `benchmarks/index.py`, as many bytes as asked for. Where an
earlier run of this was ended, the next goes on with what it left.

    python benchmarks/large.py FOLDER --source docs --megabytes 1000

Memory is the greatest sum of the proportional sizes of all processes, the server's
included: once all files are stored, and once the index of the vectors is built too.
"""

from __future__ import annotations

import argparse
import random
import time
from pathlib import Path
from typing import TYPE_CHECKING

from _machine import describe_machine
from _processes import Watch
from index import MODES, QUESTIONS, percentiles, read_paragraphs, write_documents

from outcrop.indexing.index import Index

if TYPE_CHECKING:
    from outcrop.indexing.report import Progress


def measure(folder: Path, paragraphs: list[str]) -> None:
    choose = random.Random(2)  # noqa: S311 - the same questions every time
    questions = [
        " ".join(choose.choice(paragraphs).split()[:12]) for _ in range(QUESTIONS)
    ]
    with Watch(str(folder)) as watch, Index.open(folder) as index:
        started = time.monotonic()

        def tell(progress: Progress) -> None:
            if progress.doing:
                minutes = (time.monotonic() - started) / 60
                print(
                    f"{progress.chunks:,} chunks stored in {minutes:.0f} min, at most "
                    f"{watch.peak_mb:.0f} MB; now: {progress.doing}",
                    flush=True,
                )

        index.index("docs", on_progress=tell)
        minutes = (time.monotonic() - started) / 60
        print(f"done in {minutes:.0f} min, at most {watch.peak_mb:.0f} MB", flush=True)
        for mode in MODES:
            print(f"{mode} p50 / p99 ms: {percentiles(index, questions, mode)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--source", type=Path, default=Path("docs"))
    parser.add_argument("--megabytes", type=int, default=1000)
    given = parser.parse_args()
    print(describe_machine())
    paragraphs = read_paragraphs(given.source)
    folder: Path = given.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o755)
    if not (folder / "docs").exists():
        write_documents(paragraphs, folder / "docs", given.megabytes * 1_000_000)
    measure(folder, paragraphs)


if __name__ == "__main__":
    main()
