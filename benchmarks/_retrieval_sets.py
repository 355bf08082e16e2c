"""The evaluation sets: documents, questions and where the answers are."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from outcrop.indexing.files.kinds import kind_of

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the spans that answer it."""

    text: str
    path: str
    spans: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class EvalSet:
    """Texts by path, and questions about them."""

    name: str
    texts: dict[str, str]
    questions: list[Question]


def load_sets(folder: Path, names: list[str]) -> list[EvalSet]:
    found = []
    for name in names:
        if (folder / name / "corpus.jsonl").exists():
            found.append(_load_known_items(folder / name))
        elif (folder / name / "questions_df.csv").exists():
            found.append(_load_passages(folder / name))
        else:
            raise SystemExit(f"there is no set {name!r} in {folder}")
    return found


def document_path(row: dict[str, str]) -> str:
    path = row.get("path", f"{row['coll']}/{row['doc']}").lstrip("/")
    return path if kind_of(path) is not None else f"{path}.txt"


def _load_known_items(folder: Path) -> EvalSet:
    rows = [json.loads(line) for line in (folder / "corpus.jsonl").open()]
    paths = {(row["coll"], row["doc"]): document_path(row) for row in rows}
    texts = {paths[row["coll"], row["doc"]]: row["text"] for row in rows}
    questions = [
        Question(
            row["q"], paths[row["coll"], row["doc"]], ((row["start"], row["end"]),)
        )
        for row in map(json.loads, (folder / "queries_public.jsonl").open())
    ]
    return EvalSet(folder.name, texts, questions)


def _load_passages(folder: Path) -> EvalSet:
    questions = []
    with (folder / "questions_df.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            spans = tuple(
                (int(reference["start_index"]), int(reference["end_index"]))
                for reference in json.loads(row["references"])
            )
            path = f"{row['corpus_id']}.md"
            questions.append(Question(row["question"], path, spans))
    paths = sorted({question.path for question in questions})
    texts = {path: (folder / path).read_text() for path in paths}
    return EvalSet(folder.name, texts, questions)
