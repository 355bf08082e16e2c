"""A copy of the project for each page, so that commands may write."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from doc_pages import ROOT
from doc_session import Session

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_LEFT_OUT = shutil.ignore_patterns(
    ".*", "__pycache__", "*.egg-info", "build", "dist", "tests"
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The project's files without its tests, in a folder of their own."""
    copy = tmp_path / "outcrop"
    shutil.copytree(ROOT, copy, ignore=_LEFT_OUT)
    return copy


@pytest.fixture
def session(project: Path, tmp_path: Path) -> Iterator[Session]:
    """Runs blocks in the copy."""
    home = tmp_path / "home"
    home.mkdir()
    with Session(project, home) as opened:
        yield opened
