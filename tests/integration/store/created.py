"""Databases for projects, copied from one that was created once per process.

Creating one takes most of a second of processor time, a copy less than a tenth of that.
"""

from __future__ import annotations

import atexit
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from integration.store.processes import wait_until_stopped
from outcrop.store.server.embedded import EmbeddedServer

if TYPE_CHECKING:
    from collections.abc import Iterator


@cache
def _created() -> Path:
    """Create a database and stop its server."""
    folder = Path(tempfile.mkdtemp(prefix="outcrop-created-"))
    folder.chmod(0o755)
    atexit.register(shutil.rmtree, folder)
    home = folder / ".outcrop"
    with EmbeddedServer(home):
        pass
    assert wait_until_stopped(home)
    # Tests kill servers, not machines: what was written is still in memory.
    with (home / "data" / "postgresql.conf").open("a") as settings:
        settings.write("fsync = off\n")
    return home


def give_database(project: Path) -> None:
    """Give a project the empty database that its first command would create."""
    home = project / ".outcrop"
    home.mkdir(parents=True)
    parts = [_created() / name for name in (".gitignore", "data")]
    subprocess.run(["cp", "-a", *parts, home], check=True)


@contextmanager
def embedded_server() -> Iterator[Path]:
    """Make a project, run its server and yield the project's folder."""
    folder = Path(tempfile.mkdtemp(prefix="outcrop-test-"))
    folder.chmod(0o755)
    give_database(folder)
    with EmbeddedServer(folder / ".outcrop"):
        yield folder
    shutil.rmtree(folder)
