"""`make demo` asks three questions about our own documents: the answers come first."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
ANSWERS = {
    "When is a table or a code block cut?": "When tables and code blocks are cut",
    "How do I summarise sections with a language model?": "With a language model",
    "What does exit code 3 mean?": "Exit codes",
}


def test_the_demo_finds_the_right_sections(index, project):
    if not (ROOT / "docs").is_dir():
        pytest.skip("the project's documents are not here")
    shutil.copytree(ROOT / "docs", project / "docs")
    shutil.copy(ROOT / "README.md", project)
    index.index()
    first = {question: index.search(question, 1)[0] for question in ANSWERS}
    assert {q: hit.headers[-1] for q, hit in first.items()} == ANSWERS
    demo = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert all(f'"{question}"' in demo for question in ANSWERS)
