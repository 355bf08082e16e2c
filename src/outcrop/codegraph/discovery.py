"""The source files under a folder.

Folders of tools, environments and dependencies are passed over; links are followed
once, so that a loop ends; what cannot be read is noted, never fatal.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from outcrop.codegraph.languages import language_of
from outcrop.codegraph.report import Skipped
from outcrop.errors import InputError

IGNORED_FOLDERS = frozenset({
    ".eggs", ".git", ".gradle", ".hg", ".hypothesis", ".idea", ".mypy_cache", ".nox",
    ".outcrop", ".pytest_cache", ".ruff_cache", ".svn", ".tox", ".venv", ".vscode",
    "bower_components", "node_modules", "site-packages", "venv",
})  # fmt: skip


class Found(NamedTuple):
    """What a walk found."""

    files: list[tuple[str, str]]
    """(POSIX path relative to the root, language), sorted."""
    skipped: list[Skipped]
    unknown: dict[str, int]
    """Extension -> files in no known language."""


def discover(root: Path) -> Found:
    """Walk a folder, or take one file.

    Raises:
        InputError: There is nothing at `root`.
    """
    found = Found([], [], {})
    if root.is_file():
        lang = language_of(root.name)
        if lang is None:
            _count_unknown(found, root.name)
        else:
            found.files.append((root.name, lang))
        return found
    if not root.is_dir():
        raise InputError(f"there is no folder or file at {str(root)!r}")
    seen: set[tuple[int, int]] = set()
    for folder, names, files in os.walk(
        root, followlinks=True, onerror=lambda exc: _note(found, root, exc)
    ):
        names[:] = sorted(n for n in names if _enters(found, root, folder, n, seen))
        # As text, not as paths: a path object for every file costs more than the walk.
        above = Path(folder).relative_to(root).as_posix()
        prefix = "" if above == "." else f"{above}/"
        for name in files:
            lang = language_of(name)
            if lang is None:
                _count_unknown(found, name)
            else:
                found.files.append((prefix + name, lang))
    found.files.sort()
    found.skipped.sort(key=lambda item: item.path)
    return found


def _enters(
    found: Found, root: Path, folder: str, name: str, seen: set[tuple[int, int]]
) -> bool:
    path = Path(folder, name)
    relative = path.relative_to(root).as_posix()
    if name == "__pycache__":
        return False
    if name in IGNORED_FOLDERS or (path / "pyvenv.cfg").exists():
        found.skipped.append(Skipped(path=relative, reason="ignored folder"))
        return False
    try:
        status = path.stat()
    except OSError as exc:
        found.skipped.append(
            Skipped(path=relative, reason=exc.strerror or "unreadable")
        )
        return False
    key = (status.st_dev, status.st_ino)
    if not seen:
        top = root.stat()
        seen.add((top.st_dev, top.st_ino))
    if key in seen:
        found.skipped.append(
            Skipped(path=relative, reason="link to a folder seen before")
        )
        return False
    seen.add(key)
    return True


def _note(found: Found, root: Path, exc: OSError) -> None:
    path = Path(str(exc.filename)).relative_to(root).as_posix()
    found.skipped.append(Skipped(path=path, reason=exc.strerror or "unreadable"))


def _count_unknown(found: Found, name: str) -> None:
    extension = os.path.splitext(name)[1].lower() or "no extension"  # noqa: PTH122
    found.unknown[extension] = found.unknown.get(extension, 0) + 1
