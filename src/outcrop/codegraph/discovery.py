"""The source files under a folder.

Folders of tools, environments and dependencies are skipped. Links are followed once, so
that a loop ends, and only within the folder. What cannot be read is reported.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from outcrop.codegraph.graph import Skipped
from outcrop.codegraph.languages import language_of
from outcrop.errors import InputError

IGNORED_FOLDERS = frozenset({
    ".eggs", ".git", ".gradle", ".hg", ".hypothesis", ".idea", ".mypy_cache", ".nox",
    ".outcrop", ".pytest_cache", ".ruff_cache", ".svn", ".tox", ".venv", ".vscode",
    "bower_components", "node_modules", "site-packages", "venv",
})  # fmt: skip


class Discovery(NamedTuple):
    """The files that a walk found, and those it left out."""

    files: list[tuple[str, str]]
    """(POSIX path relative to the root, language), sorted."""
    skipped: list[Skipped]
    unknown: dict[str, int]
    """Extension -> files in no known language."""


def discover(root: Path) -> Discovery:
    """Walk a folder, or take one file.

    Raises:
        InputError: There is nothing at `root`.
    """
    found = Discovery([], [], {})
    if root.is_file():
        lang = language_of(root.name)
        if lang is None:
            _count_unknown(found, root.name)
        else:
            found.files.append((root.name, lang))
        return found
    if not root.is_dir():
        raise InputError(f"there is no folder or file at {str(root)!r}")
    top = root.stat()
    seen = {(top.st_dev, top.st_ino)}
    real_root = os.path.join(os.path.realpath(root), "")  # noqa: PTH118 - text, as below
    start = len(os.path.join(root, ""))  # noqa: PTH118 - a length of text
    for folder, names, files in os.walk(
        root, followlinks=True, onerror=lambda exc: _note(found, root, exc)
    ):
        # As text, not as paths: a path object for every file costs more than the walk.
        above = folder[start:].replace(os.sep, "/")
        prefix = f"{above}/" if above else ""
        names[:] = sorted(
            name
            for name in names
            if not _leads_out(
                found, f"{folder}{os.sep}{name}", prefix + name, real_root
            )
            and _enters(found, folder, prefix, name, seen)
        )
        for name in files:
            lang = language_of(name)
            if lang is None:
                _count_unknown(found, name)
            elif not _leads_out(
                found, f"{folder}{os.sep}{name}", prefix + name, real_root
            ):
                found.files.append((prefix + name, lang))
    found.files.sort()
    found.skipped.sort(key=lambda item: item.path)
    return found


def _leads_out(found: Discovery, path: str, relative: str, real_root: str) -> bool:
    if not os.path.islink(path):  # noqa: PTH114 - text, as above
        return False
    real = os.path.realpath(path)
    if f"{real}{os.sep}".startswith(real_root):
        return False
    reason = "link out of the folder"
    found.skipped.append(Skipped(path=relative, reason=reason))
    return True


def _enters(
    found: Discovery, folder: str, prefix: str, name: str, seen: set[tuple[int, int]]
) -> bool:
    if name == "__pycache__":
        return False
    path = f"{folder}{os.sep}{name}"
    relative = prefix + name
    if name in IGNORED_FOLDERS or os.path.exists(f"{path}/pyvenv.cfg"):  # noqa: PTH110
        found.skipped.append(Skipped(path=relative, reason="ignored folder"))
        return False
    try:
        status = os.stat(path)  # noqa: PTH116 - text, as above
    except OSError as exc:
        found.skipped.append(
            Skipped(path=relative, reason=exc.strerror or "unreadable")
        )
        return False
    key = (status.st_dev, status.st_ino)
    if key in seen:
        found.skipped.append(
            Skipped(path=relative, reason="link to a folder seen before")
        )
        return False
    seen.add(key)
    return True


def _note(found: Discovery, root: Path, exc: OSError) -> None:
    path = Path(str(exc.filename)).relative_to(root).as_posix()
    found.skipped.append(Skipped(path=path, reason=exc.strerror or "unreadable"))


def _count_unknown(found: Discovery, name: str) -> None:
    extension = os.path.splitext(name)[1].lower() or "no extension"  # noqa: PTH122
    found.unknown[extension] = found.unknown.get(extension, 0) + 1
