"""A copy of the project for each page, so that commands may write."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from doc_pages import ROOT
from doc_session import Session

if TYPE_CHECKING:
    from collections.abc import Iterator

_NEVER = shutil.ignore_patterns(
    ".*", "__pycache__", "*.egg-info", "build", "dist", "tests"
)
# The pages ask about these. Several index the sources, which takes long with all.
_PACKAGES = {"chunking", "markdown", "model", "search", "text"}


def _left_out(folder: str, names: list[str]) -> set[str]:
    left_out = set(_NEVER(folder, names))
    if Path(folder) == ROOT / "src" / "outcrop":
        packages = {name for name in names if Path(folder, name).is_dir()}
        left_out |= packages - _PACKAGES
    return left_out


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The project without its tests and most of its code, in a folder of its own."""
    copy = tmp_path / "outcrop"
    shutil.copytree(ROOT, copy, ignore=_left_out)
    return copy


@pytest.fixture
def session(project: Path, tmp_path: Path) -> Iterator[Session]:
    """Runs blocks in the copy."""
    home = tmp_path / "home"
    home.mkdir()
    with Session(project, home) as opened:
        yield opened
