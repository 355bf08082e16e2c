"""How the benchmark of kinds of questions reads a set."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("numpy")

import by_kind

TEXT = "# Anlage {#setup}\n\nDer Speicher wird begrenzt.\n"


@pytest.fixture
def folder(tmp_path):
    row = {"coll": "docs", "doc": "a.md", "text": TEXT}
    (tmp_path / "corpus.jsonl").write_text(json.dumps(row) + "\n")
    asked = [
        {"q": "Speicher begrenzen", "kind": "internal", "head_overlap": 0.0},
        {"q": "limit memory", "kind": "external", "head_overlap": 1.0},
    ]
    place = {"coll": "docs", "doc": "a.md", "start": 0, "end": len(TEXT)}
    lines = "".join(json.dumps(q | place) + "\n" for q in asked)
    for name in ("queries.jsonl", "queries_xl.jsonl"):
        (tmp_path / name).write_text(lines)
    return tmp_path


def test_a_question_is_counted_under_all_its_kinds(folder):
    data = by_kind.QuestionSet(folder, "queries.jsonl")
    assert set(data.kinds_of(0)) == {"internal", "all", "hard"}
    assert set(data.kinds_of(1)) == {"external", "all", "no common word"}


def test_ids_of_headings_are_blanked_for_questions_in_another_language(folder):
    [own] = by_kind.QuestionSet(folder, "queries.jsonl").texts.values()
    [other] = by_kind.QuestionSet(folder, "queries_xl.jsonl").texts.values()
    assert own == TEXT
    assert "setup" not in other
    assert len(other) == len(TEXT)
