"""The embedded server where the system allows no more threads or open files."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from functools import partial
from typing import TYPE_CHECKING

import pytest

from integration.store.processes import CLIENT, is_running

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="a thread's stack is as large as the limit on Linux"
)
# More than there is: no thread gets its stack, while processes start as ever.
NO_THREADS = (resource.RLIMIT_STACK, 1 << 46)
# Set when all is loaded, which opens files too.
FEW_FILES = "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (6, 6))\n"


def _set_limit(which: int, soft: int) -> None:
    resource.setrlimit(which, (soft, resource.getrlimit(which)[1]))


def _run(
    folder: Path, *arguments: str, limit: tuple[int, int] | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        preexec_fn=partial(_set_limit, *limit) if limit else None,
        env={**os.environ, "TMPDIR": str(folder)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=50,
    )


@pytest.fixture
def sockets(open_folder: Path) -> Path:
    """Return an empty folder for the folders of sockets."""
    folder = open_folder / "sockets"
    folder.mkdir()
    folder.chmod(0o1777)
    return folder


def test_a_server_that_nothing_would_stop_is_stopped_at_once(
    project: Path, sockets: Path
) -> None:
    done = _run(sockets, "-c", CLIENT, str(project), limit=NO_THREADS)
    assert f"cannot start the server in {project}/.outcrop" in done.stderr
    assert "can't start new thread" in done.stderr
    assert not is_running(project / ".outcrop")
    assert list(sockets.iterdir()) == []


def test_a_command_without_threads_says_so_in_one_line(
    project: Path, sockets: Path
) -> None:
    command = ("-m", "outcrop", "status", "--project", str(project))
    done = _run(sockets, *command, limit=NO_THREADS)
    assert done.returncode == 1
    assert done.stderr == (
        "error: no more processes or threads may be started; raise the limit"
        " (ulimit -u), or end some\n"
    )
    assert list(sockets.iterdir()) == []


def test_few_open_files_are_not_mistaken_for_a_folder_that_cannot_be_written(
    new_project: Path, sockets: Path
) -> None:
    script = CLIENT.replace("server = ", f"{FEW_FILES}server = ", 1)
    done = _run(sockets, "-c", script, str(new_project))
    assert "Too many open files; raise the limits of processes and open" in done.stderr
    assert not list((new_project / ".outcrop").glob("data*"))
