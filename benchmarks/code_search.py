"""How well search finds the files that answer questions about code, end to end.

Every repository of the set is written to a folder of its own, indexed with the defaults
and asked its questions in each mode. Files are ranked by the first appearance of any of
their chunks; nDCG@10 with gain 1 for every file named as an answer. The headline is the
mean over questions of a repository, repositories of a language, languages.

    python benchmarks/code_search.py SET [--save FILE] [--against FILE]

SET holds `corpus.jsonl` (repo, path, lang, text) and `queries.jsonl` (repo, q,
relevant, secondary, category). `--save` writes the value of every question, and
`--against` prints the differences to the values of another revision, with paired 95 %
intervals. The sources that are measured are those on PYTHONPATH.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from _code_search_metrics import headline, mean_by_category, ndcg
from _machine import describe_machine
from _retrieval_metrics import interval

from outcrop.indexing.index import Index
from outcrop.search.question import Mode

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# What follows a plus are relations of the code graph that are followed.
MODES = ("hybrid", "hybrid+all", "text", "vector")
FILES = 10
# Hits asked for until there are ten different files.
DEPTHS = (30, 100, 300)


class Question(NamedTuple):
    """A question about a repository, and the files that answer it."""

    repo: str
    text: str
    answers: frozenset[str]
    category: str


class CodeSet(NamedTuple):
    """Languages and files of repositories, and questions about them."""

    languages: dict[str, str]
    files: dict[str, dict[str, str]]
    questions: list[Question]


def load_set(folder: Path) -> CodeSet:
    languages: dict[str, str] = {}
    files: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for item in _lines(folder / "corpus.jsonl"):
        languages[item["repo"]] = item["lang"]
        files[item["repo"]][item["path"]] = item["text"]
    questions = [
        Question(
            item["repo"],
            item["q"],
            frozenset([*item["relevant"], *item.get("secondary", [])]),
            item["category"],
        )
        for item in _lines(folder / "queries.jsonl")
    ]
    return CodeSet(languages, dict(files), questions)


def _lines(file: Path) -> Iterator[dict[str, Any]]:
    with file.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def write_files(folder: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())


def find_files(index: Index, text: str, mode: str) -> list[str]:
    """Return up to ten files, best first."""
    files: list[str] = []
    for depth in DEPTHS:
        ranked_by, _, expand = mode.partition("+")
        hits = index.search(text, depth, mode=Mode(ranked_by), expand=expand)
        files = list(dict.fromkeys(hit.path for hit in hits))
        if len(files) >= FILES or len(hits) < depth:
            break
    return files[:FILES]


def measure(data: CodeSet, modes: Sequence[str]) -> dict[str, list[float]]:
    """Return nDCG@10 of every question, by mode."""
    scores: dict[str, dict[Question, float]] = {mode: {} for mode in modes}
    for repo, files in data.files.items():
        with tempfile.TemporaryDirectory(prefix="outcrop-bench-") as name:
            folder = Path(name)
            folder.chmod(0o755)
            write_files(folder, files)
            with Index.open(folder) as index:
                started = time.monotonic()
                index.index(".")
                indexed = time.monotonic() - started
                asked = [q for q in data.questions if q.repo == repo]
                started = time.monotonic()
                for mode in modes:
                    for question in asked:
                        found = find_files(index, question.text, mode)
                        scores[mode][question] = ndcg(found, question.answers)
                spent = time.monotonic() - started
                chunks = index.status().contents.chunks
        per_query = 1000 * spent / max(1, len(asked) * len(modes))
        print(
            f"{repo}: {len(files)} files, {chunks} chunks, indexed in {indexed:.1f} s,"
            f" {per_query:.0f} ms a question",
            flush=True,
        )
    return {mode: [scores[mode][q] for q in data.questions] for mode in modes}


def print_tables(data: CodeSet, scores: dict[str, list[float]]) -> None:
    repos = [question.repo for question in data.questions]
    categories = [question.category for question in data.questions]
    names = sorted(set(categories))
    languages = sorted({data.languages[repo] for repo in repos})
    print(f"\n| mode | nDCG@10 | {' | '.join(names)} | {' | '.join(languages)} |")
    print(f"|{'---|' * (2 + len(names) + len(languages))}")
    for mode, values in scores.items():
        whole, by_language = headline(repos, values, data.languages)
        by_category = mean_by_category(repos, categories, values)
        cells = [f"{whole:.3f}"]
        cells += [f"{by_category[name]:.3f}" for name in names]
        cells += [f"{by_language[name]:.3f}" for name in languages]
        print(f"| {mode} | {' | '.join(cells)} |")
    best = np.array(scores["hybrid"])
    for mode, values in scores.items():
        if mode != "hybrid":
            print(
                f"hybrid minus {mode}, a question: {interval(best, np.array(values))}"
            )


def print_differences(
    scores: dict[str, list[float]], other: dict[str, list[float]]
) -> None:
    for mode in scores.keys() & other.keys():
        change = interval(np.array(scores[mode]), np.array(other[mode]))
        print(f"{mode} minus that of the other revision, a question: {change}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("set", type=Path)
    parser.add_argument("--only", nargs="*", help="these repositories alone")
    parser.add_argument("--modes", nargs="*", default=MODES)
    parser.add_argument("--save", type=Path)
    parser.add_argument("--against", type=Path)
    given = parser.parse_args()
    print(describe_machine())
    data = load_set(given.set)
    if given.only:
        data = CodeSet(
            data.languages,
            {repo: data.files[repo] for repo in given.only},
            [q for q in data.questions if q.repo in given.only],
        )
    scores = measure(data, given.modes)
    print_tables(data, scores)
    if given.save:
        given.save.write_text(json.dumps(scores), encoding="utf-8")
    if given.against:
        print_differences(scores, json.loads(given.against.read_text("utf-8")))


if __name__ == "__main__":
    main()
