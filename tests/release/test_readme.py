"""The README, followed line by line in an environment that only has the wheel."""

from __future__ import annotations

import shutil

import pytest
from doc_pages import read_page
from doc_session import Session, is_run

from release.environment import ROOT, FreshEnvironment, declared_by

MAX_LINES = 120
_LEFT_OUT = shutil.ignore_patterns(".*", "__pycache__", "build", "dist", "tests")


@pytest.mark.timeout(300)  # it indexes the docs, twice
def test_a_fresh_environment_follows_the_readme(archives, tmp_path, monkeypatch):
    project, home = tmp_path / "outcrop", tmp_path / "home"
    shutil.copytree(ROOT, project, ignore=_LEFT_OUT)
    home.mkdir()
    made = FreshEnvironment(tmp_path / "environment", declared_by(archives, "all"))
    assert not (made.commands / "outcrop").exists()
    monkeypatch.delenv("PYTHONPATH", raising=False)
    monkeypatch.setenv("PIP_FIND_LINKS", str(archives))  # what `pip install` finds
    with Session(project, home, made.python) as session:
        for block in filter(is_run, read_page(ROOT / "README.md").blocks):
            session.run(block)
    shown = made.run(str(made.python), "-c", "import outcrop; print(outcrop.__file__)")
    assert shown.stdout.startswith(str(made.folder))


def test_the_readme_fits_on_a_few_screens():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= MAX_LINES


def test_the_readme_has_the_commands_of_a_contributor():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "\nmake demo " in text
    assert "\nmake test " in text
