"""An index in several databases beside the same index in one.

The documents of an evaluation set are indexed twice, on one embedded server: into one
database, and into several. The same questions are asked of both.

    python benchmarks/sharded.py --data FOLDER --set docs_xref --databases 4
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
from _machine import describe_machine
from _retrieval_sets import Question, load_sets
from psycopg import conninfo

from outcrop.indexing.index import Index
from outcrop.indexing.sharded import ShardedIndex
from outcrop.search.question import Mode
from outcrop.store.server.embedded import EmbeddedServer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outcrop.model.hit import Hit

_DEPTH = 10
_SAMPLES = 2_000


def make_databases(server: EmbeddedServer, count: int) -> list[str]:
    """Create empty databases, and return their URLs."""
    parameters = server.ensure_running()
    urls = []
    where = conninfo.make_conninfo(**parameters)
    with psycopg.connect(where, autocommit=True) as connection:
        for number in range(count):
            # The embedded server has no other database to copy.
            template = parameters["dbname"]
            command = f"CREATE DATABASE bench_{number} TEMPLATE {template}"
            connection.execute(command.encode())
            urls.append(
                f"postgresql://{parameters['user']}@/bench_{number}?host={parameters['host']}"
            )
    return urls


def rank_of(question: Question, hits: Sequence[Hit]) -> int | None:
    """Return the place of the first hit that overlaps an answer, from 1."""
    for place, hit in enumerate(hits, start=1):
        if hit.path == question.path and any(
            hit.start_offset < end and start < hit.end_offset
            for start, end in question.spans
        ):
            return place
    return None


def interval(differences: Sequence[float]) -> tuple[float, float]:
    """Return the 95 % interval of a mean difference, by resampling the questions."""
    choose = random.Random(1)  # noqa: S311 - the same samples every time
    means = sorted(
        sum(choose.choices(differences, k=len(differences))) / len(differences)
        for _ in range(_SAMPLES)
    )
    return means[int(0.025 * _SAMPLES)], means[int(0.975 * _SAMPLES)]


def compare(
    one: Index, several: ShardedIndex, questions: Sequence[Question], mode: Mode
) -> str:
    """Ask both, and return a row of the table."""
    overlap = same_first = 0.0
    recalls: list[tuple[float, float]] = []
    ranks: list[tuple[float, float]] = []
    seconds = [0.0, 0.0]
    for question in questions:
        answers = []
        for at, index in enumerate((one, several)):
            started = time.monotonic()
            answers.append(index.search(question.text, _DEPTH, mode=mode))
            seconds[at] += time.monotonic() - started
        first, second = ([hit.id for hit in hits] for hits in answers)
        overlap += len(set(first) & set(second)) / max(1, len(first))
        same_first += first[:1] == second[:1]
        places = [rank_of(question, hits) for hits in answers]
        recalls.append((float(places[0] is not None), float(places[1] is not None)))
        ranks.append((1 / (places[0] or 1e9), 1 / (places[1] or 1e9)))
    count = len(questions)
    low, high = interval([after - before for before, after in ranks])
    return (
        f"| {mode} | {overlap / count:.3f} | {same_first / count:.3f} "
        f"| {_mean(recalls, 0):.3f} | {_mean(recalls, 1):.3f} "
        f"| {_mean(ranks, 0):.3f} | {_mean(ranks, 1):.3f} | {low:+.4f} to {high:+.4f} "
        f"| {1000 * seconds[0] / count:.0f} | {1000 * seconds[1] / count:.0f} |"
    )


def _mean(pairs: Sequence[tuple[float, float]], at: int) -> float:
    return sum(pair[at] for pair in pairs) / len(pairs)


def main() -> None:
    """Index, ask and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--set", dest="name", default="docs_xref")
    parser.add_argument("--databases", type=int, default=4)
    parser.add_argument("--questions", type=int, default=200)
    args = parser.parse_args()
    (evaluation,) = load_sets(args.data, [args.name])
    questions = evaluation.questions[: args.questions]
    print(f"- Machine: {describe_machine()}")
    with tempfile.TemporaryDirectory(prefix="outcrop-bench-") as folder:
        project = Path(folder) / "project"
        for path, text in evaluation.texts.items():
            file = project / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text.encode())
        Path(folder).chmod(0o755)
        with EmbeddedServer(Path(folder) / "server") as server:
            first, *others = make_databases(server, args.databases + 1)
            with (
                Index.open(project, database_url=first) as one,
                ShardedIndex.open(others, project) as several,
            ):
                started = time.monotonic()
                one.index()
                middle = time.monotonic()
                several.index()
                ended = time.monotonic()
                chunks = one.status().contents.indexable
                print(
                    f"- {len(evaluation.texts):,} documents, {chunks:,} chunks;"
                    f" indexed in {middle - started:.0f} s into one database, in"
                    f" {ended - middle:.0f} s into {args.databases}\n"
                )
                print(
                    "| mode | overlap@10 | same first | recall@10, one | several "
                    "| MRR@10, one | several | 95 % interval of the difference "
                    "| ms, one | several |"
                )
                print("|---" + "|---:" * 9 + "|")
                for mode in ("hybrid", "text", "vector"):
                    print(compare(one, several, questions, Mode(mode)), flush=True)


if __name__ == "__main__":
    main()
