"""Compares files with their stored documents."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from outcrop.errors import InputError
from outcrop.indexing.files.content import (
    Content,
    fingerprint,
    is_streamed,
    read_content,
    refusal,
    scan_file,
)
from outcrop.indexing.files.discover import (
    Discovery,
    SourceFile,
    discover,
    is_inside,
)
from outcrop.indexing.files.kinds import (
    CODE,
    GENERATED,
    SYMBOL,
    FileKind,
    kind_of,
)
from outcrop.indexing.paths import is_remote, is_there, resolve_paths
from outcrop.indexing.report import IndexReport, Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from outcrop.indexing.config import IndexConfig
    from outcrop.store.documents import KnownDocument

    Owns = Callable[[SourceFile], bool]


class Examined(NamedTuple):
    """A file that was read.

    Attributes:
        digest: The hash of its content.
        refusal: Why it is not indexed; empty if it is, or if that depends on `content`.
        content: What was read, if it is kept for indexing.
    """

    digest: str
    refusal: str = ""
    content: Content | None = None

    def why_not(self, kind: str) -> str:
        """Return why a file of this kind is not indexed; empty if it is."""
        if self.content is None:
            return self.refusal
        return refusal(kind, self.content.data)


def examine(file: Path, kind: str, name: str, size: int) -> Examined | None:
    """Read a file; None if it cannot be read. See `is_streamed` for the arguments."""
    if is_streamed(kind, name, size):
        try:
            scanned = scan_file(file)
        except OSError:
            return None
        return Examined(scanned.digest, scanned.problem)
    content = read_content(file)
    return None if content is None else Examined(content.digest, content=content)


class Scan(Protocol):
    """Finds and reads files in another way than by walking folders here."""

    def discover(
        self, project: Path, config: IndexConfig, known: Mapping[str, KnownDocument]
    ) -> Discovery:
        """Find the files."""
        ...

    def covers(self, path: str) -> bool:
        """Return whether a file at an absolute path or URL would be found."""
        ...

    def examine(self, files: Sequence[SourceFile]) -> Mapping[str, Examined]:
        """Read files; those that cannot be read are left out of the result."""
        ...


# What was read to compare it is kept for chunking, within limits.
_MAX_KEPT_BYTES = 32_000_000


@dataclass(slots=True)
class Changes:
    """The files of a walk, compared with the store.

    Attributes:
        found: The result of the walk.
        known: The stored documents by path.
        plan: Files whose stored version is missing or out of date.
        gone: Stored documents whose files no longer exist.
        digests: Content hashes of all files of code, by path.
        others: Files of code that are stored but were not walked, by path.
        problems: Files that cannot be indexed.
        contents: Contents of files in the plan, by path, so that they are not read
            again. The code graph reads its own files, in other processes.
    """

    found: Discovery
    known: Mapping[str, KnownDocument]
    plan: list[SourceFile] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    digests: dict[str, str] = field(default_factory=dict)
    others: dict[str, SourceFile] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    contents: dict[str, Content] = field(default_factory=dict)
    _kept_bytes: int = 0

    def add(self, file: SourceFile, content: Content | None) -> None:
        """Add a file to the plan, and keep its content if that is worth it."""
        self.plan.append(file)
        if content is None or file.has_grammar:
            return
        self._kept_bytes += len(content.data)
        if self._kept_bytes <= _MAX_KEPT_BYTES:
            self.contents[file.path] = content

    @property
    def unchanged(self) -> int:
        """Number of walked files whose stored version is up to date."""
        files = self.found.files
        return len(files) - sum(file.path in files for file in self.plan)

    def refuse(self, file: SourceFile, reason: str) -> None:
        """Remove a file that cannot be indexed, and its document."""
        if reason == GENERATED:
            self.found.skipped[GENERATED] += 1
        else:
            self.problems.append(Problem(path=file.path, reason=reason))
        self._drop(file)
        if file.path in self.known:
            self.gone.append(file.path)

    def leave(self, file: SourceFile) -> None:
        """Leave out a file that cannot be read; its stored document is kept."""
        self.problems.append(_unreadable(file.path))
        self._drop(file)

    def _drop(self, file: SourceFile) -> None:
        self.found.files.pop(file.path, None)
        self.others.pop(file.path, None)
        self.digests.pop(file.path, None)

    @property
    def documents(self) -> list[SourceFile]:
        """The files of the plan that are not code."""
        return [file for file in self.plan if file.kind != CODE]

    @property
    def code(self) -> list[SourceFile]:
        """All files of code, changed or not."""
        walked = [file for file in self.found.files.values() if file.kind == CODE]
        return [*walked, *self.others.values()]

    @property
    def changed_code(self) -> set[str]:
        """The paths of the files of code in the plan."""
        return {file.path for file in self.plan if file.kind == CODE}


def find_changes(
    roots: Sequence[Path],
    project: Path,
    config: IndexConfig,
    known: Mapping[str, KnownDocument],
    touched: Collection[str] | None,
    owns: Owns | None = None,
    scan: Scan | None = None,
) -> Changes:
    """Walk some paths and compare the files with the stored documents.

    Only `touched` documents are read, or all of them where it is None. Files that
    another database of the index `owns` count as deleted here. With a `scan`, the paths
    are its own.

    Raises:
        InputError: A path exists neither on disk nor in the store.
    """
    if scan is None:
        refuse_nothing(roots, project, known)
        found = discover(roots, project, config)
    else:
        found = scan.discover(project, config, known)
    if owns is not None:
        for path in [path for path, file in found.files.items() if not owns(file)]:
            del found.files[path]
    changes = Changes(found, known)
    changes.problems = [_unreadable(path) for path in sorted(found.kept)]
    folders = [root.as_posix() for root in roots]
    covers = scan.covers if scan is not None else partial(is_inside, folders=folders)
    changes.gone = _gone(covers, project, found, known)
    _compare(changes, found.files.values(), config, touched, scan)
    return changes


def note_other_code(changes: Changes, project: Path) -> None:
    """Add the code that is stored but was not walked, because the graph spans it too.

    It is assumed to be unchanged; the files are not read.
    """
    gone = set(changes.gone)
    is_kept = _are_inside(_absolute(path, project) for path in changes.found.kept)
    for path, document in changes.known.items():
        if document.kind != CODE or path in changes.found.files or path in gone:
            continue
        if is_kept(_absolute(path, project)):
            continue
        kind = kind_of(path.rpartition("/")[2]) or FileKind(CODE)
        changes.others[path] = SourceFile(
            path=path,
            file=Path(_absolute(path, project)),
            kind=CODE,
            size=0,
            modified_ns=0,
            lang=kind.lang,
            has_grammar=kind.has_grammar,
        )
        changes.digests[path] = document.content_hash or ""


def compare_other_code(
    changes: Changes, project: Path, config: IndexConfig, scan: Scan | None = None
) -> None:
    """Compare the code that was not walked too, because the new graph contains it.

    Code in object storage stays as it is noted: its graphs are their own.
    """
    remote = {path: f for path, f in changes.others.items() if is_remote(path)}
    others = {path: f for path, f in changes.others.items() if path not in remote}
    if not others:
        return
    files = [file.file for file in others.values()]
    found = discover(files, project, config)
    missing = [path for path in others if path not in found.files]
    changes.gone += [path for path in missing if path not in found.kept]
    for path in missing:
        del changes.digests[path]
    changes.others = {**found.files, **remote}
    _compare(changes, found.files.values(), config, None, scan)


def _compare(
    changes: Changes,
    files: Iterable[SourceFile],
    config: IndexConfig,
    touched: Collection[str] | None,
    scan: Scan | None,
) -> None:
    given = list(files)
    read, wanted = _reader(changes.known, given, touched, scan)
    for file in given:
        known = changes.known.get(file.path)
        digest = (known.content_hash if known is not None else None) or ""
        found = None
        if file.path in wanted:
            found = read(file)
            if found is None:
                changes.leave(file)
                continue
            digest = found.digest
        if known is None or _is_new(known, digest, file, config):
            reason = found.why_not(file.kind) if found else ""
            if reason:
                changes.refuse(file, reason)
                continue
            changes.add(file, found.content if found else None)
        if file.kind == CODE:
            changes.digests[file.path] = digest


def _reader(
    known: Mapping[str, KnownDocument],
    files: Sequence[SourceFile],
    touched: Collection[str] | None,
    scan: Scan | None,
) -> tuple[Callable[[SourceFile], Examined | None], set[str]]:
    """Return how to read files, and the paths of those to read.

    A document that is not stored yet is not read by a `scan`, only to be indexed.
    """
    if scan is not None:
        wanted = [f for f in files if f.kind == CODE or f.path in known]
        found = scan.examine(wanted)
        return lambda file: found.get(file.path), {file.path for file in wanted}
    paths = {file.path for file in files}
    if touched is not None:
        hashed = {path for path, each in known.items() if each.content_hash is not None}
        paths = (paths & {*touched}) | (paths - hashed)
    return lambda f: examine(f.file, f.kind, f.path, f.size), paths


def _is_new(
    known: KnownDocument, digest: str, file: SourceFile, config: IndexConfig
) -> bool:
    return known.fingerprint != fingerprint(digest, file.kind, config, file.lang)


def _gone(
    covers: Callable[[str], bool],
    project: Path,
    found: Discovery,
    known: Mapping[str, KnownDocument],
) -> list[str]:
    is_kept = _are_inside(_absolute(path, project) for path in found.kept)
    return [
        path
        for path, document in known.items()
        if document.kind != SYMBOL
        and path not in found.files
        and covers(_absolute(path, project))
        and not is_kept(_absolute(path, project))
    ]


def _are_inside(folders: Iterable[str]) -> Callable[[str], bool]:
    """Return `is_inside` for thousands of folders."""
    known = {folder.rstrip("/") for folder in folders}

    def is_known(path: str) -> bool:
        while path and path not in known:
            path = path.rpartition("/")[0]
        return path in known

    return is_known


def refuse_nothing(
    roots: Sequence[Path], project: Path, known: Mapping[str, KnownDocument]
) -> None:
    """Reject paths that exist neither on disk nor in the store.

    Raises:
        InputError: There is such a path.
    """
    for root in roots:
        if is_there(root):
            continue
        stored = (_absolute(path, project) for path in known)
        if not any(is_inside(path, [root.as_posix()]) for path in stored):
            raise InputError(f"there is no file or folder at {str(root)!r}")


def _unreadable(path: str) -> Problem:
    # The store cannot hold a name that is not valid UTF-8.
    shown = path.encode(errors="backslashreplace").decode()
    return Problem(path=shown, reason="unreadable")


def _absolute(path: str, project: Path) -> str:
    """Return the absolute POSIX path of a document."""
    if path.startswith("/") or is_remote(path):
        return path
    return f"{project.as_posix()}/{path}".removesuffix("/.")  # the project itself


def preview(changes: Changes, started: float) -> IndexReport:
    """Return the report of a run that would process some changes."""
    planned = sorted(file.path for file in changes.plan)
    return IndexReport(
        added=[path for path in planned if path not in changes.known],
        changed=[path for path in planned if path in changes.known],
        removed=sorted(changes.gone),
        unchanged=changes.unchanged,
        problems=sorted(changes.problems, key=lambda problem: problem.path),
        skipped=dict(changes.found.skipped),
        outside_links=changes.found.outside_links,
        secrets=changes.found.secrets,
        seconds=time.monotonic() - started,
        dry_run=True,
    )


def preview_first(
    paths: Iterable[Path], project: Path, config: IndexConfig
) -> IndexReport:
    """Return the report of the first run of a project without an index.

    Raises:
        InputError: A path does not exist.
    """
    started = time.monotonic()
    roots = resolve_paths(paths, project)
    return preview(find_changes(roots, project, config, {}, None), started)
