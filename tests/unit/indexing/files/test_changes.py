"""What is different between files and what is stored of them."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from outcrop.errors import InputError
from outcrop.indexing.config import IndexConfig
from outcrop.indexing.files.changes import (
    compare_other_code,
    find_changes,
    note_other_code,
    preview_first,
)
from outcrop.indexing.report import Problem
from outcrop.store.documents import KnownDocument

if TYPE_CHECKING:
    from collections.abc import Iterator

CONFIG = IndexConfig()
# Reading it fails for everybody, and looking at it does not.
CLOSED = Path("/proc/self/mem")

needs_proc = pytest.mark.skipif(not CLOSED.exists(), reason="there is no /proc")


def known(*paths: str, kind: str = "markdown") -> dict[str, KnownDocument]:
    return {
        path: KnownDocument(fingerprint="old", content_hash="old", kind=kind)
        for path in paths
    }


@needs_proc
def test_a_file_that_cannot_be_read_is_named_and_what_is_stored_of_it_stays(tmp_path):
    (tmp_path / "closed.md").symlink_to(CLOSED)
    (tmp_path / "lost.md").symlink_to("nowhere")
    stored = known("closed.md", "lost.md")
    config = IndexConfig(follow_links=True)
    changes = find_changes([tmp_path], tmp_path, config, stored, None)
    assert (changes.plan, changes.gone, changes.unchanged) == ([], [], 0)
    assert [problem.path for problem in changes.problems] == ["lost.md", "closed.md"]
    assert {problem.reason for problem in changes.problems} == {"unreadable"}


@pytest.fixture
def unlisted() -> Iterator[Path]:
    """Return a folder that this process can enter but not list."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o311)
    user = os.geteuid()
    try:
        if user == 0:
            os.seteuid(65534)
        yield folder
    finally:
        os.seteuid(user)
        folder.rmdir()


def test_a_project_that_cannot_be_listed_loses_nothing(unlisted):
    stored = known("a.md", "in/b.md") | known("c.py", kind="code")
    changes = find_changes([unlisted], unlisted, CONFIG, stored, None)
    assert changes.gone == []
    assert changes.problems == [Problem(path=".", reason="unreadable")]


def test_thousands_of_unreadable_files_take_linear_time(tmp_path):
    for number in range(8_000):
        (tmp_path / f"{number}.md").symlink_to("nowhere")
    stored = known(*(f"docs/{number}.md" for number in range(40_000)))
    started = time.process_time()
    changes = find_changes([tmp_path], tmp_path, CONFIG, stored, None)
    assert time.process_time() - started < 10
    assert len(changes.gone) == 40_000


def test_what_is_no_longer_taken_is_removed(tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    (tmp_path / "outside.md").write_text("x")
    (project / "link.md").symlink_to(tmp_path / "outside.md")
    (project / "secrets.yaml").write_text("password: x\n")
    stored = known("link.md", "secrets.yaml")
    changes = find_changes([project], project, CONFIG, stored, None)
    assert sorted(changes.gone) == ["link.md", "secrets.yaml"]


def test_code_elsewhere_that_cannot_be_read_stays_too(tmp_path):
    (tmp_path / "a.py").write_text("a = 1\n")
    (tmp_path / "lost.py").symlink_to("lost.py")
    stored = known("lost.py", "gone.py", kind="code")
    changes = find_changes([tmp_path / "a.py"], tmp_path, CONFIG, stored, None)
    note_other_code(changes, tmp_path)
    compare_other_code(changes, tmp_path, CONFIG)
    assert changes.gone == ["gone.py"]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("missing", "there is no file or folder at"),
        ("a.md/in", "there is no file or folder at"),
        ("loop", "cannot be read: too many levels of symbolic links"),
        ("x" * 300, "cannot be read: file name too long"),
        ("\ud800", "is not a valid path"),
    ],
)
def test_a_path_that_cannot_be_used_is_refused_with_the_reason(tmp_path, name, reason):
    (tmp_path / "a.md").write_text("word\n")
    (tmp_path / "loop").symlink_to("loop")
    project = tmp_path / "project"
    project.mkdir()
    with pytest.raises(InputError, match=reason):
        preview_first([tmp_path / name], project, CONFIG)


def test_the_first_run_can_be_foretold_without_an_index(tmp_path):
    (tmp_path / "b.md").write_text("word\n")
    (tmp_path / "a.md").write_text("word\n")
    (tmp_path / "wide.md").write_bytes("word\n".encode("utf-16"))
    report = preview_first([Path()], tmp_path, CONFIG)
    assert report.dry_run
    assert report.added == ["a.md", "b.md"]
    assert report.problems == [Problem(path="wide.md", reason="UTF-16, not UTF-8")]
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        "a.md",
        "b.md",
        "wide.md",
    ]
