"""The archives of a release, built once."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from release.environment import ROOT

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def archives(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the source archive and the wheel."""
    pytest.importorskip("hatchling", reason="make setup installs the build backend")
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return folder
