"""What one hybrid search costs: processor time of Python and of the server, and latency.

Documents are made as in `index.py`, and indexed in a folder that is kept, so that two
revisions can search the same index in turns. Every question is asked several times. The
first time shows what new questions cost; the least of all times depends little on what
else the machine does.

    python benchmarks/search_cost.py --source docs --index INDEX --chunks 100000
    PYTHONPATH=OLD/src python benchmarks/search_cost.py --source docs --index INDEX
"""

from __future__ import annotations

import argparse
import random
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from _machine import describe_machine
from index import CHUNK_BYTES, read_paragraphs, write_documents

from outcrop.indexing.index import Index

if TYPE_CHECKING:
    from numpy.typing import NDArray

WORDS_A_QUESTION = 12
SETTLING_SECONDS = 5.0  # a process may read words in the background


def make_index(paragraphs: list[str], folder: Path, chunks: int) -> None:
    """Index documents of about a number of chunks, unless that was done before."""
    if (folder / ".outcrop").exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o755)  # the database may run as another user
    write_documents(paragraphs, folder / "docs", chunks * CHUNK_BYTES)
    with Index.open(folder) as index:
        index.index(["docs"])


def make_questions(paragraphs: list[str], count: int) -> list[str]:
    """Return the beginnings of paragraphs."""
    choose = random.Random(2)  # noqa: S311 - the same questions every time
    chosen = (choose.choice(paragraphs).split() for _ in range(count))
    return [" ".join(words[:WORDS_A_QUESTION]) for words in chosen]


def server_seconds(pids: list[int]) -> float:
    """Return the processor time of connections so far."""
    files = (Path(f"/proc/{pid}/schedstat").read_text() for pid in pids)
    return sum(int(text.split()[0]) for text in files) / 1e9


def connections(index: Index) -> list[int]:
    """Return the processes of the server that serve this index."""
    query = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend'"
    with index.store._database.read() as connection:  # noqa: SLF001 - the inside is measured
        return [pid for (pid,) in connection.execute(query)]


def measure(index: Index, questions: list[str], passes: int) -> NDArray[np.float64]:
    """Return milliseconds by pass, question and kind: Python, server, passed."""
    pids = connections(index)
    found = np.empty((passes, len(questions), 3))
    for times in found:
        for at, question in enumerate(questions):
            before = time.process_time(), server_seconds(pids), time.perf_counter()
            index.search(question)
            after = time.process_time(), server_seconds(pids), time.perf_counter()
            times[at] = np.subtract(after, before) * 1000
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--source", type=Path, default=Path("docs"))
    parser.add_argument("--index", type=Path, required=True, help="a folder to keep")
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--questions", type=int, default=150)
    parser.add_argument("--passes", type=int, default=3)
    parser.add_argument(
        "--warming", type=int, default=40, help="other questions, asked before"
    )
    given = parser.parse_args()
    paragraphs = read_paragraphs(given.source)
    make_index(paragraphs, given.index, given.chunks)
    questions = make_questions(paragraphs, given.questions + given.warming)
    with Index.open(given.index) as index:
        for question in questions[given.questions :]:
            index.search(question)
        time.sleep(SETTLING_SECONDS)
        found = measure(index, questions[: given.questions], given.passes)
        chunks = index.status().contents.indexable
    print(f"{describe_machine()}; {chunks:,} chunks, {given.questions} questions\n")
    print("| | Python ms | server ms | p50 / p99 ms |\n|---|--:|--:|--:|")
    for title, times in (("first", found[0]), ("least", found.min(axis=0))):
        python, server, _ = times.mean(axis=0)
        p50, p99 = np.percentile(times[:, 2], [50, 99])
        print(f"| {title} | {python:.2f} | {server:.2f} | {p50:.1f} / {p99:.1f} |")


if __name__ == "__main__":
    main()
