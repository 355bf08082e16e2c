"""How well search answers each kind of question of a set, beside words alone.

A set is a folder with `corpus.jsonl` (coll, doc, text) and `queries.jsonl` (q, kind,
coll, doc, start, end, and perhaps head_overlap); offsets are of characters. Documents
and code of a set are in one index. `first` is the share of questions whose first hit is
of the same collection as the answer.

    python benchmarks/by_kind.py SET... [--questions FILE...] [--save FILE] [--against FILE]

Besides the kinds of a set there are `all`, `hard` (questions that have less than half of
the words of the heading above the answer) and `no common word` (questions that have no
word of the answer). With `--questions queries_xl.jsonl`, questions in
another language than the documents, the ids of headings are blanked: they are the
headings in the language of the questions.

`--save` writes the value of every question, and `--against` prints the differences to
the values of another revision, with paired 95 % intervals. The sources that are measured
are those on PYTHONPATH.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from _machine import describe_machine
from _retrieval_metrics import RankedHit, interval, score_rankings
from _retrieval_sets import Question, document_path

from outcrop.indexing.index import Index
from outcrop.search.question import Mode
from outcrop.text.analysis import count_terms
from outcrop.text.tokens import TokenCounter

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

HITS = 30
MODES = ("hybrid", "text", "vector")
COLUMNS = ("MRR@10", "recall@5", "cov@2000", "first")
COUNT = TokenCounter()
OWN_LANGUAGE = "queries.jsonl"
ALL, HARD, NO_COMMON_WORD = "all", "hard", "no common word"
MAX_OVERLAP = 0.5  # of a hard question with the heading of its answer
_HEADING_ID = re.compile(r"\{#[^}\n]*\}|\{/\*[^\n]*?\*/\}")
Row = dict[str, Any]
# By mode, kind and column: one value per question.
SetValues = dict[str, dict[str, dict[str, list[float]]]]
Values = dict[str, SetValues]


def read_lines(file: Path) -> list[Row]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


class QuestionSet:
    """The files of a set, by path, and its questions."""

    def __init__(self, folder: Path, name: str) -> None:
        rows = read_lines(folder / "corpus.jsonl")
        self.rows = read_lines(folder / name)
        paths = {(row["coll"], row["doc"]): document_path(row) for row in rows}
        self.collections = {path: coll for (coll, _), path in paths.items()}
        self.texts = {
            paths[row["coll"], row["doc"]]: row["text"]
            if name == OWN_LANGUAGE
            else _HEADING_ID.sub(lambda found: " " * len(found[0]), row["text"])
            for row in rows
        }
        self.questions = [
            Question(
                row["q"], paths[row["coll"], row["doc"]], ((row["start"], row["end"]),)
            )
            for row in self.rows
        ]

    def write(self, folder: Path) -> None:
        """Write the files to a folder."""
        for path, text in self.texts.items():
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text.encode())

    def kinds_of(self, at: int) -> Iterator[str]:
        """Return the kinds that a question is counted under."""
        row = self.rows[at]
        yield row["kind"]
        yield ALL
        if row.get("head_overlap", 1.0) < MAX_OVERLAP:
            yield HARD
        if self._has_no_common_word(self.questions[at]):
            yield NO_COMMON_WORD

    def _has_no_common_word(self, question: Question) -> bool:
        [(start, end)] = question.spans
        answer = self.texts[question.path][start:end]
        return count_terms(question.text).keys().isdisjoint(count_terms(answer))


def measure(folder: Path, name: str) -> SetValues:
    """Return the values by mode, kind and column."""
    data = QuestionSet(folder, name)
    with tempfile.TemporaryDirectory(prefix="outcrop-bench-") as place:
        Path(place).chmod(0o755)
        data.write(Path(place) / "set")
        with Index.open(place) as index:
            index.index("set")
            found = {
                mode: [ask(index, q.text, mode) for q in data.questions]
                for mode in MODES
            }
    return {mode: score(data, rankings) for mode, rankings in found.items()}


def ask(index: Index, text: str, mode: str) -> list[RankedHit]:
    return [
        RankedHit(
            hit.path.removeprefix("set/"),
            hit.start_offset,
            hit.end_offset,
            COUNT(hit.content),
        )
        for hit in index.search(text, HITS, mode=Mode(mode))
    ]


def score(
    data: QuestionSet, rankings: Sequence[Sequence[RankedHit]]
) -> dict[str, dict[str, list[float]]]:
    scores: dict[str, Any] = dict(score_rankings(data.questions, rankings))
    scores["first"] = [
        float(bool(r) and data.collections.get(r[0].path) == data.collections[q.path])
        for q, r in zip(data.questions, rankings, strict=True)
    ]
    by_kind: defaultdict[str, dict[str, list[float]]] = defaultdict(
        lambda: {column: [] for column in COLUMNS}
    )
    for at in range(len(data.questions)):
        for kind in data.kinds_of(at):
            for column in COLUMNS:
                by_kind[kind][column].append(float(scores[column][at]))
    return dict(by_kind)


def print_table(values: Values, other: Values | None) -> None:
    heads = ("set", "questions", "mode", "number", *COLUMNS)
    print(f"\n| {' | '.join(heads)} | MRR@10 minus text | MRR@10 minus the other |")
    print(f"|{'---|' * (len(heads) + 2)}")
    for name, modes in values.items():
        for kind in sorted(modes["hybrid"]):
            for mode, kinds in modes.items():
                columns = kinds[kind]
                cells = [name, kind, mode, str(len(columns["MRR@10"]))]
                cells += [f"{np.mean(columns[column]):.3f}" for column in COLUMNS]
                words = None if mode == "text" else modes["text"][kind]
                cells.append(_minus(columns, words))
                theirs = (other or {}).get(name, {}).get(mode, {}).get(kind)
                cells.append(_minus(columns, theirs))
                print(f"| {' | '.join(cells)} |")


def _minus(
    columns: dict[str, list[float]], theirs: dict[str, list[float]] | None
) -> str:
    if theirs is None:
        return ""
    return interval(np.array(columns["MRR@10"]), np.array(theirs["MRR@10"]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="+", type=Path)
    parser.add_argument("--questions", nargs="+", default=[OWN_LANGUAGE])
    parser.add_argument("--save", type=Path)
    parser.add_argument("--against", type=Path)
    given = parser.parse_args()
    print(describe_machine())
    values: Values = {}
    for folder in given.sets:
        for questions in given.questions:
            name = folder.name
            if questions != OWN_LANGUAGE:
                name += " " + Path(questions).stem.removeprefix("queries_")
            values[name] = measure(folder, questions)
            print(f"measured {name}", flush=True)
            if given.save:
                given.save.write_text(json.dumps(values), encoding="utf-8")
    print_table(
        values, json.loads(given.against.read_text()) if given.against else None
    )


if __name__ == "__main__":
    main()
