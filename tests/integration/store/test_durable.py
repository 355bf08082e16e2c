"""What is on the disk, and not only in memory: a power cut loses nothing of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from integration.store.dirty import dirty_files, skip_if_unknown
from outcrop.store.server._home import choose_home
from outcrop.store.server._launch import create_data

if TYPE_CHECKING:
    from pathlib import Path


def test_a_new_database_is_on_the_disk(new_project: Path) -> None:
    skip_if_unknown(new_project)
    folder = new_project / ".outcrop"
    folder.mkdir()
    home = choose_home(folder)
    create_data(home)
    assert (home.data / "PG_VERSION").exists()
    assert dirty_files(home.data) == []
