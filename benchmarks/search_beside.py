"""What a hybrid search costs in two revisions, which answer some questions in turns.

Other work on the machine delays both alike. Each revision has an interpreter, with its
dependencies, and an index of its own of the same documents, which are made as in
`index.py`.

    python benchmarks/search_beside.py --source FOLDER --indexes WORK --chunks 100000 \
        --revision before=OLD/.venv/bin/python --revision after=.venv/bin/python
"""

from __future__ import annotations

import argparse
import json
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from _machine import describe_machine
from index import CHUNK_BYTES, read_paragraphs, write_documents
from search_cost import make_questions

if TYPE_CHECKING:
    from numpy.typing import NDArray

WORKER = Path(__file__).with_name("_search_worker.py")
BLOCK = 15  # questions in a row: the caches of the processor are lost in between
SETTLING_SECONDS = 15.0  # a process may read tables in the background


class Revision:
    """A process that searches with one revision of Outcrop.

    Attributes:
        name: Its name in the table.
        chunks: The number of chunks of its index.
    """

    def __init__(self, name: str, python: str, folder: Path) -> None:
        """Start it, and index the documents unless that was done before."""
        self.name = name
        self._process = subprocess.Popen(
            [python, str(WORKER), str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdin is not None  # noqa: S101 - pipes were asked for
        assert self._process.stdout is not None  # noqa: S101
        self._input, self._output = self._process.stdin, self._process.stdout
        self.chunks = int(self._output.readline())

    def begin(self) -> None:
        """Begin to ask all questions."""
        self._send(None)

    def ask(self, question: str) -> list[float]:
        """Return what a search cost: ms of Python, of the server, and passed."""
        self._send(question)
        cost: list[float] = json.loads(self._output.readline())
        return cost

    def _send(self, message: str | None) -> None:
        self._input.write(json.dumps(message) + "\n")
        self._input.flush()

    def close(self) -> None:
        """End it."""
        self._input.close()
        self._process.wait()


def start(options: argparse.Namespace, paragraphs: list[str]) -> list[Revision]:
    """Return the revisions, each with its index."""
    revisions = []
    for given in options.revision:
        name, _, python = given.partition("=")
        folder = options.indexes / f"{name}-{options.chunks}"
        if not folder.exists():
            folder.mkdir(parents=True)
            folder.chmod(0o755)  # the database may run as another user
            write_documents(paragraphs, folder / "docs", options.chunks * CHUNK_BYTES)
        revisions.append(Revision(name, python, folder))
    return revisions


def measure(
    revisions: list[Revision], questions: list[str], passes: int
) -> NDArray[np.float64]:
    """Return costs by revision, pass and question."""
    found = np.empty((len(revisions), passes, len(questions), 3))
    for turn in range(passes):
        for each in revisions:
            each.begin()
        for block in range(0, len(questions), BLOCK):
            # Each goes first as often as the other.
            order = range(len(revisions))
            for number in order if (turn + block // BLOCK) % 2 else reversed(order):
                for at, question in enumerate(questions[block : block + BLOCK], block):
                    found[number, turn, at] = revisions[number].ask(question)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--source", type=Path, default=Path("docs"))
    parser.add_argument("--indexes", type=Path, required=True, help="a folder to keep")
    parser.add_argument("--revision", action="append", metavar="NAME=PYTHON")
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--questions", type=int, default=150)
    parser.add_argument("--passes", type=int, default=5)
    parser.add_argument(
        "--warming", type=int, default=1400, help="other questions, asked before"
    )
    options = parser.parse_args()
    paragraphs = read_paragraphs(options.source)
    revisions = start(options, paragraphs)
    questions = make_questions(paragraphs, options.questions + options.warming)
    measure(revisions, questions[options.questions :], 1)
    time.sleep(SETTLING_SECONDS)
    found = measure(revisions, questions[: options.questions], options.passes)
    chunks = " and ".join(f"{each.chunks:,}" for each in revisions)
    print(f"{describe_machine()}; {chunks} chunks\n")
    print("| | | Python ms | server ms | p50 / p99 ms |\n|---|---|--:|--:|--:|")
    kinds = {"first": found[:, 0], "median": np.median(found, axis=1)}
    for title, costs in kinds.items():
        for each, cost in zip(revisions, costs, strict=True):
            python, server, _ = cost.mean(axis=0)
            p50, p99 = np.percentile(cost[:, 2], [50, 99])
            row = f"{python:.2f} | {server:.2f} | {p50:.1f} / {p99:.1f}"
            print(f"| {title} | {each.name} | {row} |")
    for each in revisions:
        each.close()


if __name__ == "__main__":
    main()
