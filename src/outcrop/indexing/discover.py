"""The files below some paths that can be indexed, and why others cannot.

Folders are walked in the order of their names. Links are followed once, so that a loop
ends. What cannot be read is counted, never fatal.
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from outcrop.codegraph.discovery import IGNORED_FOLDERS
from outcrop.indexing.ignore import IgnoreRules
from outcrop.indexing.kinds import GENERATED, kind_of

if TYPE_CHECKING:
    from collections.abc import Iterable

NEVER_ENTERED = IGNORED_FOLDERS | {"__pycache__"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """A file to index.

    Attributes:
        path: The document's path: POSIX, relative to the project, absolute outside it.
        file: Where it is.
        kind: `markdown`, `text` or `code`.
        size: In bytes.
        modified_ns: When it was last changed.
        lang: The language of code.
        has_grammar: Whether the code graph reads it.
    """

    path: str
    file: Path
    kind: str
    size: int
    modified_ns: int
    lang: str | None = None
    has_grammar: bool = False


@dataclass(slots=True)
class Discovery:
    """What a walk found.

    Attributes:
        files: By path, sorted.
        skipped: Why files and folders were left out, and how many.
        kept: Paths that could not be looked at: what is stored of them stays.
    """

    files: dict[str, SourceFile] = field(default_factory=dict)
    skipped: Counter[str] = field(default_factory=Counter)
    kept: set[str] = field(default_factory=set)


def document_path(file: Path, project: Path) -> str:
    """Return the path of a document: relative to the project where it lies in it."""
    if file.is_relative_to(project):
        return file.relative_to(project).as_posix()
    return file.as_posix()


def discover(roots: Iterable[Path], project: Path, *, max_file_bytes: int) -> Discovery:
    """Walk folders and take files, all given as absolute paths.

    What is named itself is taken even where a rule ignores it.
    """
    walk = _Walk(project, max_file_bytes)
    for root in roots:
        if root.is_dir():
            outer = IgnoreRules.above(root, project)
            if outer is not None and outer.ignores(root.as_posix(), is_folder=True):
                outer = None
            walk.enter(root, outer)
        elif root.exists():
            walk.take(root.as_posix(), root.name)
    found = walk.found
    found.files = dict(sorted(found.files.items()))
    return found


class _Walk:
    def __init__(self, project: Path, max_file_bytes: int) -> None:
        self._project = project
        self._max_file_bytes = max_file_bytes
        self._seen: set[tuple[int, int]] = set()
        self.found = Discovery()

    def enter(self, folder: Path, outer: IgnoreRules | None) -> None:
        open_folders = [(folder.as_posix(), outer)]
        while open_folders:
            path, around = open_folders.pop()
            if self._is_new(path):
                inner = self._walk_folder(path, around)
                open_folders.extend(reversed(inner))

    def _walk_folder(
        self, folder: str, outer: IgnoreRules | None
    ) -> list[tuple[str, IgnoreRules | None]]:
        """Take the files of a folder; return the folders in it."""
        try:
            with os.scandir(folder) as entries:
                found = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            self._keep(folder, "unreadable")
            return []
        rules = IgnoreRules(Path(folder), outer)
        inner: list[tuple[str, IgnoreRules | None]] = []
        for entry in found:
            is_folder = entry.is_dir()
            path = f"{folder.rstrip('/')}/{entry.name}"
            never = is_folder and entry.name in NEVER_ENTERED
            if never or rules.ignores(path, is_folder=is_folder):
                self.found.skipped["ignored"] += 1
            elif is_folder:
                inner.append((path, rules))
            else:
                self.take(path, entry.name)
        return inner

    def _is_new(self, folder: str) -> bool:
        try:
            status = os.stat(folder)  # noqa: PTH116 - called for every folder
        except OSError:
            self._keep(folder, "unreadable")
            return False
        key = (status.st_dev, status.st_ino)
        if key in self._seen or os.path.exists(f"{folder}/pyvenv.cfg"):  # noqa: PTH110 - as above
            self.found.skipped["ignored"] += 1
            return False
        self._seen.add(key)
        return True

    def take(self, file: str, name: str) -> None:
        """Take a file, or count why not."""
        kind = kind_of(name)
        if kind is None or kind.kind == GENERATED:
            self.found.skipped["other kinds" if kind is None else GENERATED] += 1
            return
        try:
            file.encode()
        except UnicodeEncodeError:
            self.found.skipped["name not UTF-8"] += 1
            return
        try:
            status = os.stat(file)  # noqa: PTH116 - called for every file
        except OSError:
            self._keep(file, "unreadable")
            return
        if status.st_size > min(kind.largest or status.st_size, self._max_file_bytes):
            self.found.skipped["too large"] += 1
            return
        path = document_path(Path(file), self._project)
        self.found.files[path] = SourceFile(
            path=path,
            file=Path(file),
            kind=kind.kind,
            size=status.st_size,
            modified_ns=status.st_mtime_ns,
            lang=kind.lang,
            has_grammar=kind.has_grammar,
        )

    def _keep(self, path: str, reason: str) -> None:
        self.found.skipped[reason] += 1
        self.found.kept.add(document_path(Path(path), self._project))
