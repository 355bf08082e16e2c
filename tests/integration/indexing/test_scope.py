"""What a later run without options brings up to date: the same paths, the same way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from outcrop.indexing.config import IndexConfig
from outcrop.indexing.index import Index

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Open = Callable[..., Index]

TEXT = "# Tides\n\n" + "The tide rises twice a day. " * 40


@pytest.fixture
def open_index(tmp_path: Path, server_url: str, schema: str) -> Open:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "tides.md").write_text(TEXT)
    (tmp_path / "notes.md").write_text("# Notes\n")

    def open_it(**settings: Any) -> Index:
        config = IndexConfig(workers=1, **settings)
        return Index.open(
            tmp_path, database_url=server_url, schema=schema, config=config
        )

    return open_it


@pytest.fixture
def target(server_url: str) -> str:
    return server_url


def test_a_later_run_keeps_the_settings_of_the_last_one(open_index):
    with open_index(max_tokens=40) as index:
        index.index()
    with open_index() as index:
        assert index.index(dry_run=True).changed == ["docs/tides.md", "notes.md"]
        assert index.compare().total == 0
        assert index.continued().index().unchanged == 2


def test_only_what_was_indexed_is_brought_up_to_date(open_index, tmp_path):
    with open_index() as index:
        assert index.indexed_paths() == ["."]
        index.index(["docs/tides.md"])
        index.index(["docs"])
        assert index.indexed_paths() == ["docs"]
        assert index.compare().total == 0
        (tmp_path / "docs" / "new.md").write_text("# New\n")
        assert index.compare().new == ["docs/new.md"]
        index.index(["notes.md"])
        assert index.indexed_paths() == ["docs", "notes.md"]
        index.index()
        assert index.indexed_paths() == ["."]


def test_a_path_that_does_not_exist_is_not_recorded(open_index):
    with open_index() as index:
        index.index(["docs"])
        with pytest.raises(Exception, match="there is no file or folder"):
            index.index(["dcos"])
        assert index.indexed_paths() == ["docs"]


def test_files_outside_the_project_are_read_by_the_runs_of_the_user_alone(
    open_index, tmp_path_factory
):
    outside = tmp_path_factory.mktemp("outside")
    (outside / "away.md").write_text("# Away\n")
    with open_index() as index:
        index.index(["docs", outside])
        assert index.indexed_paths() == ["docs"]
