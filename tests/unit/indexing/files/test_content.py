"""Files that are compared are not read again to be chunked."""

from __future__ import annotations

from pathlib import Path

import pytest

from outcrop.indexing.config import IndexConfig
from outcrop.indexing.documents.prepare import Task, prepare_file
from outcrop.indexing.files import changes as changes_module
from outcrop.indexing.files.changes import find_changes

TEXT = "# Tea\n\nBoil the water.\n"


@pytest.fixture
def reads(monkeypatch) -> list[str]:
    """Record the names of the files that are read."""
    names: list[str] = []
    read = Path.read_bytes

    def recorded(self: Path) -> bytes:
        names.append(self.name)
        return read(self)

    monkeypatch.setattr(Path, "read_bytes", recorded)
    return names


def prepared(project: Path):
    config = IndexConfig()
    changes = find_changes([project], project, config, {}, None)
    for file in changes.plan:
        task = Task(
            path=file.path,
            file=str(file.file),
            kind=file.kind,
            modified_ns=file.modified_ns,
            content=changes.contents.get(file.path),
        )
        yield prepare_file(task, config)


def test_a_document_is_read_once_to_be_compared_and_chunked(tmp_path, reads):
    (tmp_path / "tea.md").write_text(TEXT)
    (document,) = prepared(tmp_path)
    assert [chunk.content for chunk in document.chunks if chunk.is_leaf] == [TEXT[:-1]]
    assert reads.count("tea.md") == 1


def test_documents_beyond_the_limit_are_read_again(tmp_path, reads, monkeypatch):
    monkeypatch.setattr(changes_module, "_MAX_KEPT_BYTES", len(TEXT))
    for name in ("a.md", "b.md"):
        (tmp_path / name).write_text(TEXT)
    first, second = prepared(tmp_path)
    assert first.document.content_hash == second.document.content_hash
    assert (reads.count("a.md"), reads.count("b.md")) == (1, 2)


def test_files_of_the_code_graph_are_not_kept(tmp_path):
    (tmp_path / "tea.py").write_text("def boil():\n    pass\n")
    changes = find_changes([tmp_path], tmp_path, IndexConfig(), {}, None)
    assert [file.path for file in changes.plan] == ["tea.py"]
    assert not changes.contents
