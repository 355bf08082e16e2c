"""What is on the disk, and not only in memory: a power cut loses nothing of it."""

from __future__ import annotations

import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from integration.store.dirty import dirty_files, skip_if_unknown
from outcrop.store.database import Database
from outcrop.store.schema import known_migrations
from outcrop.store.server._home import choose_home
from outcrop.store.server._launch import create_data

if TYPE_CHECKING:
    from pathlib import Path

# Creates a database, and is killed when it comes to a step.
KILLED = """
import os, signal, sys
from pathlib import Path
from outcrop.store.server import _launch
from outcrop.store.server.embedded import EmbeddedServer

def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)

setattr(_launch, sys.argv[2], die)
EmbeddedServer(Path(sys.argv[1]) / ".outcrop").ensure_running()
"""


def test_a_new_database_is_on_the_disk(new_project: Path) -> None:
    skip_if_unknown(new_project)
    folder = new_project / ".outcrop"
    folder.mkdir()
    home = choose_home(folder)
    create_data(home)
    assert (home.data / "PG_VERSION").exists()
    assert dirty_files(home.data) == []


@pytest.mark.parametrize("step", ["_run_statements", "sync_folder", "sync"])
def test_a_database_whose_creation_was_killed_is_there_or_made_again(
    new_project: Path, step: str
) -> None:
    command = [sys.executable, "-c", KILLED, str(new_project), step]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    home = new_project / ".outcrop"
    # The last step comes after the folder has its name.
    assert (home / "data").exists() == (step == "sync")
    with Database.open(new_project) as database, database.read() as connection:
        row = connection.execute("SELECT count(*) FROM schema_migrations").fetchone()
    assert row == (len(known_migrations()),)
    assert not list(home.glob("data.new-*"))
