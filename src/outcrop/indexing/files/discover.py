"""Finds the files below some paths that can be indexed, and counts the others.

Folders are walked in the order of their names, links last: a file below the paths is
found at its real path, even if links lead to it, and loops end. By default, links that
lead out of the project and of the given paths are not followed, and files whose names
suggest secrets are skipped. Files that cannot be read are counted, not raised.
"""

from __future__ import annotations

import os
import stat
from collections import Counter, deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from outcrop.codegraph.discovery import IGNORED_FOLDERS
from outcrop.indexing.files.ignore import IGNORE_FILES, IgnoreRules, may_be_secret
from outcrop.indexing.files.kinds import GENERATED, kind_of, needs_convert

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from outcrop.indexing.config import IndexConfig
    from outcrop.indexing.files.kinds import FileKind

NEVER_ENTERED = IGNORED_FOLDERS | {"__pycache__"}

# Device and inode number: the same for all names of a file.
_Identity = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """A file to index.

    Attributes:
        path: The document's path: POSIX, relative to the project or else absolute.
        file: Where it is.
        kind: `markdown`, `text`, `html`, `notebook` or `code`.
        size: Size in bytes.
        modified_ns: Time of the last change.
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
    """The result of a walk.

    Attributes:
        files: The files by path, sorted.
        skipped: Number of skipped files and folders, by reason.
        kept: Paths that cannot be read; their stored documents are kept.
        outside_links: Links that lead out of the project and were not followed.
        secrets: Files that were skipped because their names suggest secrets.
    """

    files: dict[str, SourceFile] = field(default_factory=dict)
    skipped: Counter[str] = field(default_factory=Counter)
    kept: set[str] = field(default_factory=set)
    outside_links: list[str] = field(default_factory=list)
    secrets: list[str] = field(default_factory=list)


def document_path(file: Path, project: Path) -> str:
    """Return the path of a document, relative to the project if it is inside."""
    if file.is_relative_to(project):
        return file.relative_to(project).as_posix()
    return file.as_posix()


def is_inside(path: str, folders: Iterable[str]) -> bool:
    """Whether a POSIX path is one of some folders or is in one."""
    return any(
        path == folder or path.startswith(f"{folder.rstrip('/')}/")
        for folder in folders
    )


def discover(roots: Sequence[Path], project: Path, config: IndexConfig) -> Discovery:
    """Find the files at and below some absolute paths.

    A path that is given itself is included even if a rule ignores it, it is a link that
    leads outside, or its name suggests a secret.
    """
    walk = _Walk(roots, project, config)
    for root in roots:
        if os.path.isdir(root):  # noqa: PTH112 - pathlib's raises in an unreadable folder
            walk.enter(root, IgnoreRules.above(root, project))
        elif not _is_absent(root):
            walk.take(root.as_posix(), root.name, is_named=True)
    walk.follow_links()
    found = walk.found
    found.files = dict(sorted(found.files.items()))
    found.outside_links.sort()
    found.secrets.sort()
    return found


class _Walk:
    def __init__(
        self, roots: Sequence[Path], project: Path, config: IndexConfig
    ) -> None:
        self._project = project
        self._prefix = f"{project.as_posix().rstrip('/')}/"
        self._config = config
        self._inside = [os.path.realpath(path) for path in (project, *roots)]
        self._folders: set[_Identity] = set()
        self._files: set[_Identity] = set()
        self._linked_folders: deque[tuple[str, IgnoreRules | None]] = deque()
        self._linked_files: list[tuple[str, str]] = []
        self.found = Discovery()

    def enter(self, folder: Path, outer: IgnoreRules | None) -> None:
        """Walk a folder, except the links in it."""
        self._enter(folder.as_posix(), outer, is_link=False)

    def follow_links(self) -> None:
        """Add the files and folders that only links lead to."""
        while self._linked_folders:
            self._enter(*self._linked_folders.popleft(), is_link=True)
        for path, name in self._linked_files:
            self.take(path, name, is_link=True)

    def take(
        self, file: str, name: str, *, is_link: bool = False, is_named: bool = False
    ) -> None:
        """Add a file, or count the reason why it is skipped."""
        kind = kind_of(name)
        if kind is None or kind.kind == GENERATED:
            self.found.skipped["other kinds" if kind is None else GENERATED] += 1
            return
        if needs_convert(kind.kind):
            self.found.skipped["need outcrop[convert]"] += 1
            return
        if not is_named and self._is_secret(file, name, is_link=is_link):
            self.found.skipped["secrets"] += 1
            self.found.secrets.append(self._shown(file))
            return
        status = self._look_at(file)
        if status is None:
            return
        reason = self._why_not(file, status, kind, is_link=is_link)
        if reason:
            self.found.skipped[reason] += 1
            return
        self._files.add((status.st_dev, status.st_ino))
        # As `document_path`, on text: there are many files.
        path = file.removeprefix(self._prefix)
        self.found.files[path] = SourceFile(
            path=path,
            file=Path(file),
            kind=kind.kind,
            size=status.st_size,
            modified_ns=status.st_mtime_ns,
            lang=kind.lang,
            has_grammar=kind.has_grammar,
        )

    def _why_not(
        self, file: str, status: os.stat_result, kind: FileKind, *, is_link: bool
    ) -> str:
        """Return why a file of a known kind is skipped; empty if it is not."""
        try:
            file.removeprefix(self._prefix).encode()
        except UnicodeEncodeError:
            return "name not UTF-8"
        if not stat.S_ISREG(status.st_mode):
            return "not a regular file"  # a pipe would never end
        if status.st_size > min(
            kind.max_bytes or status.st_size, self._config.max_file_bytes
        ):
            return "too large"
        is_known = (status.st_dev, status.st_ino) in self._files
        return "links" if is_link and is_known else ""

    def _enter(self, folder: str, outer: IgnoreRules | None, *, is_link: bool) -> None:
        open_folders = [(folder, outer)]
        while open_folders:
            path, around = open_folders.pop()
            if self._is_new(path, is_link=is_link):
                inner = self._walk_folder(path, around)
                open_folders.extend(reversed(inner))
            is_link = False

    def _walk_folder(
        self, folder: str, outer: IgnoreRules | None
    ) -> list[tuple[str, IgnoreRules | None]]:
        """Add the files of a folder; return the folders in it."""
        try:
            with os.scandir(folder) as entries:
                found = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            self._keep(folder)
            return []
        has_rules = any(entry.name in IGNORE_FILES for entry in found)
        rules = IgnoreRules.below(Path(folder), outer) if has_rules else outer
        inner: list[tuple[str, IgnoreRules | None]] = []
        for entry in found:
            path = f"{folder.rstrip('/')}/{entry.name}"
            is_folder = _is_folder(entry)
            never = is_folder and entry.name in NEVER_ENTERED
            if never or (rules and rules.ignores(path, is_folder=bool(is_folder))):
                self.found.skipped["ignored"] += 1
            elif entry.is_symlink() and self._leads_out(path, is_folder=is_folder):
                self.found.skipped["links outside"] += 1
                self.found.outside_links.append(self._shown(path))
            elif is_folder is None:
                self._keep(path)
            elif is_folder and entry.is_symlink():
                self._linked_folders.append((path, rules))
            elif is_folder:
                inner.append((path, rules))
            elif entry.is_symlink():
                self._linked_files.append((path, entry.name))
            else:
                self.take(path, entry.name)
        return inner

    def _leads_out(self, link: str, *, is_folder: bool | None) -> bool:
        """Whether a link is not followed because it leads outside."""
        if self._config.follow_links:
            return False
        # A file that is not indexed anyway need not be reported.
        if is_folder is False and kind_of(link.rpartition("/")[2]) is None:
            return False
        return not is_inside(os.path.realpath(link), self._inside)

    def _is_secret(self, file: str, name: str, *, is_link: bool) -> bool:
        if self._config.include_secrets:
            return False
        target = os.path.basename(os.path.realpath(file)) if is_link else name  # noqa: PTH119 - text, for every link
        return may_be_secret(name) or may_be_secret(target)

    def _shown(self, path: str) -> str:
        """Return the path of a document as valid text, whatever bytes it contains."""
        shown = document_path(Path(path), self._project)
        return shown.encode(errors="backslashreplace").decode()

    def _is_new(self, folder: str, *, is_link: bool) -> bool:
        status = self._look_at(folder)
        if status is None:
            return False
        key = (status.st_dev, status.st_ino)
        is_new = key not in self._folders
        if is_new and os.path.exists(f"{folder}/pyvenv.cfg"):  # noqa: PTH110 - called for every folder
            self.found.skipped["ignored"] += 1
            return False
        if is_link and not is_new:
            self.found.skipped["links"] += 1
        self._folders.add(key)
        return is_new

    def _look_at(self, path: str) -> os.stat_result | None:
        try:
            return os.stat(path)  # noqa: PTH116 - called for every file
        except OSError:
            self._keep(path)
            return None

    def _keep(self, path: str) -> None:
        self.found.kept.add(document_path(Path(path), self._project))


def _is_absent(file: Path) -> bool:
    """Whether a file does not exist, as opposed to being unreadable."""
    try:
        file.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


def _is_folder(entry: os.DirEntry[str]) -> bool | None:
    """Whether an entry is a folder; None if its link cannot be followed."""
    try:
        return entry.is_dir()
    except OSError:  # a link to itself or into an unreadable folder
        return None
