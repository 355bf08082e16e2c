"""Kill the indexer or the server at any moment: nothing is half done afterwards."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from integration.indexing.code_trees import edit_tree, write_tree
from integration.indexing.states import (
    clean_state,
    count_dangling,
    documents_of,
    state_of,
)
from integration.store.created import give_database
from integration.store.processes import server_pid, wait_until_stopped
from outcrop.indexing.config import IndexConfig
from outcrop.indexing.index import Index

if TYPE_CHECKING:
    from collections.abc import Iterator

ROUNDS = [
    pytest.param(number, marks=[pytest.mark.full] if number >= 5 else [])
    for number in range(20)
]
CODE_ROUNDS = [
    pytest.param(number, marks=[pytest.mark.full] if number >= 3 else [])
    for number in range(20)
]
# Says when it is open, so that kills hit the work and not the start. Workers write,
# however small the project is.
INDEXER = """
import sys
from outcrop.indexing import workers
from outcrop.indexing.config import IndexConfig
from outcrop.indexing.index import Index
workers.PARALLEL_BYTES = 0
with Index.open(sys.argv[1], config=IndexConfig(workers=2)) as index:
    print("open", flush=True)
    index.index(sys.argv[2])
"""


@pytest.fixture
def project() -> Iterator[Path]:
    """Return a project that the server's user can reach."""
    folder = Path(tempfile.mkdtemp(prefix="outcrop-test-"))
    folder.chmod(0o755)
    give_database(folder)
    yield folder
    assert wait_until_stopped(folder / ".outcrop")
    shutil.rmtree(folder)


def write_first(docs: Path) -> None:
    docs.mkdir()
    for number in range(40):
        body = "\n\n".join(f"## Part {n}\n\n{'Old words. ' * 40}" for n in range(12))
        (docs / f"{number:02}.md").write_text(f"# Document {number}\n\n{body}\n")


def write_second(docs: Path) -> None:
    for number in range(0, 40, 2):
        file = docs / f"{number:02}.md"
        file.write_text(file.read_text().replace("Old words", "New ideas", 200))
    for number in range(1, 40, 8):
        (docs / f"{number:02}.md").unlink()
    for number in range(40, 60):
        (docs / f"{number}.md").write_text(
            f"# New {number}\n\n{'Fresh text. ' * 400}\n"
        )


@pytest.mark.parametrize("number", ROUNDS)
def test_after_a_kill_every_document_is_old_or_new(project, number):
    choose = random.Random(number)  # noqa: S311 - a reproducible choice, no secret
    docs = project / "docs"
    write_first(docs)
    with Index.open(project, config=IndexConfig(workers=1)) as index:
        index.index("docs")
        old = documents_of(index)
        write_second(docs)
        _run_and_kill(
            project,
            "docs",
            after=choose.uniform(0.0, 0.9),
            victim=choose.choice(["indexer", "server"]),
        )
    with Index.open(project, config=IndexConfig(workers=1)) as index:
        found = documents_of(index)
        index.index("docs")
        new, grown = documents_of(index), state_of(index)
        index.store.delete_documents(list(new))
        index.index("docs")
        assert documents_of(index) == new
        assert state_of(index) == grown
        assert index.search("fresh ideas", 3)
    # Before it was completed, each was in one of its versions.
    for path in {*old, *new}:
        assert found.get(path) in (old.get(path), new.get(path)), path


@pytest.mark.parametrize("number", CODE_ROUNDS)
def test_after_a_kill_the_next_run_completes_the_code(project, number):
    choose = random.Random(number)  # noqa: S311 - a reproducible choice, no secret
    write_tree(project, 12)
    with Index.open(project, config=IndexConfig(workers=1)) as index:
        index.index()
        old = documents_of(index)
        for _ in range(4):
            edit_tree(project, choose)
        _run_and_kill(
            project,
            ".",
            after=choose.uniform(0.0, 1.5),
            victim=choose.choice(["indexer", "server"]),
        )
    with Index.open(project, config=IndexConfig(workers=1)) as index:
        found, dangling = documents_of(index), count_dangling(index)
        index.index()
        new, grown = documents_of(index), state_of(index)
        clean = clean_state(index)
        for part, rows in grown.items():
            assert rows == clean[part], part
    # Before it was completed, each was in one of its versions, and so was the graph.
    for path in {*old, *new}:
        assert found.get(path) in (old.get(path), new.get(path)), path
    assert dangling == 0


def _run_and_kill(project: Path, paths: str, *, after: float, victim: str) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", INDEXER, str(project), paths],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    with process.stdout:
        assert process.stdout.readline() == "open\n"
        time.sleep(after)
        home = project / ".outcrop"
        pid = process.pid if victim == "indexer" else server_pid(home)
        os.kill(pid, signal.SIGKILL)
        process.wait(timeout=40)
