"""A folder that the server's user can reach, whoever runs the tests."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from integration.store.processes import wait_until_stopped

if TYPE_CHECKING:
    from collections.abc import Iterator

pytest.importorskip("psycopg", reason="the extra 'store' is not installed")


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """Return a folder open to other users, unlike pytest's own."""
    folder = Path(tempfile.mkdtemp(prefix="outcrop-test-"))
    folder.chmod(0o755)
    yield folder
    for home in folder.rglob("server.lock"):
        assert wait_until_stopped(home.parent), f"a server is left in {home.parent}"
    shutil.rmtree(folder)


@pytest.fixture
def project(open_folder: Path) -> Path:
    """Return an empty project."""
    folder = open_folder / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def state_folder(open_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the state folder that this test's processes use."""
    folder = open_folder / "state"
    monkeypatch.setenv("OUTCROP_STATE_DIR", str(folder))
    return folder


@pytest.fixture
def as_root() -> None:
    if os.geteuid() != 0:
        pytest.skip("only root runs its server as another user")
