"""Where the output goes to may be full, or closed: one line, never a traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = [sys.executable, "-m", "outcrop", "chunk", "tea.md"]
FULL = Path("/dev/full")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "tea.md").write_text("# Tea\n\nBoil water.\n")
    return tmp_path


@pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("form", ["table", "json"])
def test_a_full_disk_is_said_in_one_line(folder, form):
    with FULL.open("w") as full:
        done = subprocess.run(
            [*COMMAND, "--format", form],
            cwd=folder,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert (done.returncode, done.stderr) == (1, "error: no space left on device\n")


@pytest.mark.parametrize("closed", [1, 2])
@pytest.mark.parametrize("form", ["table", "json"])
def test_an_output_that_is_closed_is_no_error(folder, form, closed):
    done = subprocess.run(
        [*COMMAND, "--format", form],
        cwd=folder,
        capture_output=True,
        check=False,
        preexec_fn=lambda: os.close(closed),
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_current_folder_that_is_gone_is_said_to_be(tmp_path):
    script = (
        "import os, sys; os.rmdir(os.getcwd()); from outcrop.cli.main import main; "
        "sys.argv[1:] = ['search', 'tea']; main()"
    )
    folder = tmp_path / "gone"
    folder.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    expected = "error: the current folder no longer exists; change to another one\n"
    assert (done.returncode, done.stderr) == (1, expected)
