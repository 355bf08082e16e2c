"""A large file of Markdown is indexed window by window, as one read as a whole."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from integration.indexing.states import state_of
from integration.store.servers import EVERY_SERVER
from outcrop.indexing import large_files
from outcrop.indexing.config import IndexConfig
from outcrop.indexing.files import content

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from outcrop.indexing.index import Index

_WORDS = [f"{a}{b}{c}" for a in "klmpst" for b in "aeio" for c in "rn"]
_SECTIONS = """
SELECT s.id, s.heading, s.section_path, s.depth, s.parent_id, s."order", s.place,
    s.content, s.token_count, s.span_lines::text, s.span_chars::text, s.first_chunk,
    s.last_chunk, s.sv::text, s.summary, d.summary, d.lang, d.metadata
FROM sections s JOIN documents d ON d.id = s.document_id ORDER BY s.id
"""
_WEIGHTS = "SELECT chunk_id, sv::text FROM chunk_lex ORDER BY chunk_id"


def _book(seed: int, sections: int) -> str:
    """Return a document with front matter, code, tables and titles that repeat."""
    chosen = random.Random(seed)  # noqa: S311 - words, not secrets
    parts = ["---\ntitle: A book\ntags: [a, b]\n---\n\nA preface of a few words.\n"]
    for number in range(sections):
        level = chosen.choice([1, 2, 2, 3, 3, 3, 4])
        title = " ".join(chosen.choices(_WORDS, k=chosen.randint(1, 2)))
        parts.append(f"{'#' * level} {title}\n")
        parts += [
            " ".join(chosen.choices(_WORDS, k=chosen.randint(5, 90))) + ".\n"
            for _ in range(chosen.randint(0, 4))
        ]
        if number % 7 == 0:
            parts.append("```python\nprint('a')\n```\n")
        if number % 9 == 0:
            parts.append("| a | b |\n|---|---|\n| 1 | 2 |\n")
    return "\n".join(parts)


@pytest.fixture
def in_windows(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Return what makes files of any size be indexed in windows of a size."""

    def lower(window: int) -> None:
        monkeypatch.setattr(content, "MIN_STREAMED_BYTES", 1)
        opened = large_files.open_streamed
        monkeypatch.setattr(
            "outcrop.indexing.large_files.open_streamed",
            lambda task, config: opened(task, config, window),
        )

    return lower


def _everything(index: Index) -> dict[str, list[object]]:
    with index._database.read() as connection:
        rows = {
            "sections": connection.execute(_SECTIONS).fetchall(),
            "weights": connection.execute(_WEIGHTS).fetchall(),
        }
    return {**state_of(index), **rows}


@EVERY_SERVER
def test_an_index_of_windows_equals_one_of_whole_files(
    open_index: Callable[..., Index], project: Path, in_windows: Callable[[int], None]
):
    (project / "book.md").write_text(_book(1, 300))
    (project / "plain.md").write_text("No heading at all.\n")
    (project / "tags.md").write_text("# Tags\n\n{{< note >}}\n\nText.\n")
    index = open_index()
    whole = index.index()
    expected = _everything(index)
    index.store.delete_documents(["book.md", "plain.md", "tags.md"])
    in_windows(3000)
    report = index.index()
    assert report.added == whole.added == ["book.md", "plain.md", "tags.md"]
    assert report.chunks_inserted == whole.chunks_inserted
    assert _everything(index) == expected


def test_a_new_version_replaces_the_old_one_and_keeps_what_is_the_same(
    open_index: Callable[..., Index], project: Path, in_windows: Callable[[int], None]
):
    in_windows(3000)
    file = project / "book.md"
    old, new = _book(1, 200), _book(2, 60)
    file.write_text(old)
    index = open_index()
    index.index()
    file.write_text(old + "\n" + new)
    grown = index.index()
    assert grown.changed == ["book.md"]
    assert grown.chunks_unchanged > grown.chunks_inserted > 0
    assert 0 < grown.embedded <= grown.chunks_inserted + grown.chunks_updated
    assert index.index().unchanged == 1
    file.write_text(new)
    assert index.index().chunks_deleted > 0
    shrunk = _everything(index)
    index.store.delete_documents(["book.md"])
    index.index()
    assert _everything(index) == shrunk


def test_a_file_that_cannot_be_indexed_in_windows_is_a_problem(
    open_index: Callable[..., Index], project: Path, in_windows: Callable[[int], None]
):
    in_windows(3000)
    file = project / "book.md"
    file.write_text(_book(1, 20))
    index = open_index()
    index.index()
    file.write_bytes(b"# A\n\n\xff\xfe\n")
    report = index.index()
    assert [(p.path, p.reason) for p in report.problems] == [("book.md", "not UTF-8")]
    assert report.removed == ["book.md"]


def test_a_file_that_changes_while_it_is_read_keeps_its_stored_version(
    open_index: Callable[..., Index],
    project: Path,
    in_windows: Callable[[int], None],
    monkeypatch: pytest.MonkeyPatch,
):
    in_windows(3000)
    file = project / "book.md"
    file.write_text(_book(1, 60))
    index = open_index()
    index.index()
    before = _everything(index)
    file.write_text(_book(2, 60))
    whole = large_files.StreamedDocument.parts

    def parts(document: large_files.StreamedDocument):
        yield from whole(document)
        file.write_text(_book(3, 60))

    with monkeypatch.context() as patched:
        patched.setattr(large_files.StreamedDocument, "parts", parts)
        report = index.index()
    (problem,) = report.problems
    assert "changed while it was read" in problem.reason
    assert _everything(index) == before
    assert index.index().changed == ["book.md"]


_INDEXER = """
import sys
from outcrop.indexing.config import IndexConfig
from outcrop.indexing.index import Index
from outcrop.indexing.files import content
content.MIN_STREAMED_BYTES = 1
with Index.open(sys.argv[1], config=IndexConfig(workers=1)) as index:
    print("open", flush=True)
    index.index(sys.argv[2])
"""


@pytest.mark.parametrize("seconds", [0.3, 1.0])
def test_a_run_killed_in_the_middle_leaves_the_old_version(
    embedded_project: Path, tmp_path: Path, seconds: float
):
    from outcrop.indexing.index import Index

    file = tmp_path / "book.md"
    file.write_text(_book(1, 50))
    config = IndexConfig(workers=1)
    with Index.open(embedded_project, config=config) as index:
        index.index(file)
        path = file.as_posix()
        before = index.store.get_document(path)
        file.write_text(_book(2, 6000))
        command = [sys.executable, "-c", _INDEXER, embedded_project, file]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "open\n"
            time.sleep(seconds)
            os.kill(process.pid, signal.SIGKILL)
        assert index.store.get_document(path) == before
        assert len(index.store.chunks_of(path)) == before.chunk_count
        report = index.index(file)
        assert report.changed == [path]
        assert (
            len(index.store.chunks_of(path))
            == index.store.get_document(path).chunk_count
        )
        index.store.delete_documents([path])
