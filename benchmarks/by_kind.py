"""How well search answers each kind of question of a set, beside words alone.

A set is a folder with `corpus.jsonl` (coll, doc, text) and `queries.jsonl` (q, kind,
coll, doc, start, end); offsets are of characters. Documents and code of a set are in
one index. `first` is the share of questions whose first hit is of the same collection
as the answer.

    python benchmarks/by_kind.py SET... [--save FILE] [--against FILE]

With `--questions queries_xl.jsonl`, questions in another language than the documents,
the ids of headings are blanked: they are the headings in the language of the questions.
`--save` writes the value of every question, and `--against` prints the differences to
the values of another revision, with paired 95 % intervals.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
from _machine import describe_machine
from _retrieval_metrics import Found, interval, score_rankings
from _retrieval_sets import Question, document_path

from outcrop.indexing.index import Index
from outcrop.search.question import Mode
from outcrop.text.tokens import TokenCounter

HITS = 30
MODES = ("hybrid", "text")
COLUMNS = ("MRR@10", "recall@5", "cov@2000", "first")
COUNT = TokenCounter()
_HEADING_ID = re.compile(r"\{#[^}\n]*\}|\{/\*[^\n]*?\*/\}")
# By set, mode, kind and column: one value a question.
Values = dict[str, dict[str, dict[str, dict[str, list[float]]]]]


def read_lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def measure(folder: Path, name: str) -> dict[str, dict[str, dict[str, list[float]]]]:
    """Return the values by mode, kind and column."""
    rows = read_lines(folder / "corpus.jsonl")
    asked = read_lines(folder / name)
    paths = {(row["coll"], row["doc"]): document_path(row) for row in rows}
    questions = [
        Question(
            row["q"], paths[row["coll"], row["doc"]], ((row["start"], row["end"]),)
        )
        for row in asked
    ]
    with tempfile.TemporaryDirectory(prefix="outcrop-bench-") as place:
        Path(place).chmod(0o755)
        for row in rows:
            text = row["text"]
            if name != "queries.jsonl":
                text = _HEADING_ID.sub(lambda found: " " * len(found[0]), text)
            file = Path(place) / "set" / paths[row["coll"], row["doc"]]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text.encode())
        with Index.open(place) as index:
            index.index("set")
            found = {
                mode: [ask(index, q.text, mode) for q in questions] for mode in MODES
            }
    colls = {path: coll for (coll, _), path in paths.items()}
    result = {}
    for mode, rankings in found.items():
        scores = score_rankings(questions, rankings)
        firsts = [
            float(bool(r) and colls.get(r[0].path) == colls[q.path])
            for q, r in zip(questions, rankings, strict=True)
        ]
        by_kind: defaultdict[str, dict[str, list[float]]] = defaultdict(
            lambda: {column: [] for column in COLUMNS}
        )
        for at, row in enumerate(asked):
            for column in COLUMNS:
                value = firsts[at] if column == "first" else float(scores[column][at])
                by_kind[row["kind"]][column].append(value)
        result[mode] = dict(by_kind)
    return result


def ask(index: Index, text: str, mode: str) -> list[Found]:
    return [
        Found(
            hit.path.removeprefix("set/"),
            hit.start_offset,
            hit.end_offset,
            COUNT(hit.content),
        )
        for hit in index.search(text, HITS, mode=Mode(mode))
    ]


def print_table(values: Values, other: Values | None) -> None:
    print(
        f"\n| set | questions | mode | number | {' | '.join(COLUMNS)} | MRR@10 minus the other |"
    )
    print(f"|{'---|' * (5 + len(COLUMNS))}")
    for name, modes in values.items():
        for mode, kinds in modes.items():
            for kind, columns in sorted(kinds.items()):
                cells = [f"{np.mean(columns[column]):.3f}" for column in COLUMNS]
                number = len(columns["MRR@10"])
                theirs = (other or {}).get(name, {}).get(mode, {}).get(kind)
                cells.append(
                    interval(np.array(columns["MRR@10"]), np.array(theirs["MRR@10"]))
                    if theirs
                    else ""
                )
                print(f"| {name} | {kind} | {mode} | {number} | {' | '.join(cells)} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="+", type=Path)
    parser.add_argument("--questions", default="queries.jsonl")
    parser.add_argument("--save", type=Path)
    parser.add_argument("--against", type=Path)
    given = parser.parse_args()
    print(describe_machine())
    values: Values = {}
    for folder in given.sets:
        values[folder.name] = measure(folder, given.questions)
        print(f"measured {folder.name}", flush=True)
    if given.save:
        given.save.write_text(json.dumps(values), encoding="utf-8")
    print_table(
        values, json.loads(given.against.read_text()) if given.against else None
    )


if __name__ == "__main__":
    main()
