"""One run of the indexer: find out what changed, chunk, embed, store, clean up."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from outcrop.errors import InputError
from outcrop.indexing.discover import (
    KINDS,
    Discovery,
    SourceFile,
    discover,
)
from outcrop.indexing.embed import embed_documents, embed_missing, identify
from outcrop.indexing.fingerprint import content_hash, fingerprint
from outcrop.indexing.prepare import Prepared, Task
from outcrop.indexing.report import IndexReport, OnProgress, Problem, Progress
from outcrop.indexing.workers import prepare_files
from outcrop.store.candidates import read_fingerprints

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from pathlib import Path

    from outcrop.indexing.config import IndexConfig
    from outcrop.providers.embedder import Embedder
    from outcrop.store.database import Database
    from outcrop.store.records import Document, Replaced, StoredChunk
    from outcrop.store.store import PostgresStore

_TEXT_KINDS = sorted(set(KINDS.values()))
# What one transaction writes: enough to be fast, little enough to hold.
_BATCH_CHUNKS = 1_000
_BATCH_CHARACTERS = 4_000_000
# Problems that say nothing about what the file holds: its stored version stays.
_PASSING = frozenset(["unreadable", "brought a worker down"])
# After fewer changes the indexes and statistics of the database are still good.
_MAINTAIN_FROM_CHUNKS = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Runner:
    """Everything a run works with.

    Attributes:
        database: The open database.
        store: The store in it.
        embedder: Makes the embeddings.
        project: The folder that paths are relative to.
        config: How to index.
    """

    database: Database
    store: PostgresStore
    embedder: Embedder
    project: Path
    config: IndexConfig

    def run(
        self,
        roots: Sequence[Path],
        *,
        dry_run: bool = False,
        touched: Collection[str] | None = None,
        on_progress: OnProgress | None = None,
    ) -> IndexReport:
        """Bring the index up to date with some files and folders.

        Args:
            roots: Absolute paths.
            dry_run: Say what would happen and write nothing.
            touched: Paths of documents that may have changed; all where None.
            on_progress: Told after each batch how far it is.

        Raises:
            InputError: There is nothing at a path, neither on disk nor in the index.
            SchemaVersionError: The index was built with another embedder.
            StorageError: The database refused or failed.
        """
        started = time.monotonic()
        if not dry_run:
            self.store.use_embedder(identify(self.embedder))
        # Before the walk: what another run adds meanwhile must not look deleted.
        with self.database.read() as connection:
            known = read_fingerprints(connection, _TEXT_KINDS)
        self._refuse_nothing(roots, known)
        found = discover(roots, self.project, max_file_bytes=self.config.max_file_bytes)
        plan = self._plan(found, known, touched)
        gone = self._gone(roots, found, known)
        work = _Work(self, plan, known, on_progress)
        if dry_run:
            work.report_only()
        else:
            work.do()
        removed = sorted([*gone, *work.lost])
        if not dry_run:
            if removed:
                self.store.delete_documents(removed)
            work.finish()
        return work.report(
            found,
            removed=removed,
            unchanged=len(found.files) - len(plan),
            seconds=time.monotonic() - started,
            dry_run=dry_run,
        )

    def _plan(
        self,
        found: Discovery,
        known: dict[str, str],
        touched: Collection[str] | None,
    ) -> list[SourceFile]:
        """Return the files whose stored version is missing or out of date."""
        return [
            file
            for path, file in found.files.items()
            if path not in known
            or ((touched is None or path in touched) and self._differs(file, known))
        ]

    def _differs(self, file: SourceFile, known: dict[str, str]) -> bool:
        try:
            digest = content_hash(file.file.read_bytes())
        except OSError:
            return True
        return known[file.path] != fingerprint(digest, file.kind, self.config)

    def _gone(
        self, roots: Sequence[Path], found: Discovery, known: dict[str, str]
    ) -> list[str]:
        """Return the stored documents that a walk of the roots should have found."""
        folders = [root.as_posix() for root in roots]
        kept = [self._absolute(path) for path in found.kept]
        return [
            path
            for path in known
            if path not in found.files
            and _is_below_any(self._absolute(path), folders)
            and not _is_below_any(self._absolute(path), kept)
        ]

    def _refuse_nothing(self, roots: Sequence[Path], known: dict[str, str]) -> None:
        for root in roots:
            if root.exists():
                continue
            stored = map(self._absolute, known)
            if not any(_is_below_any(path, [root.as_posix()]) for path in stored):
                raise InputError(f"there is no file or folder at {str(root)!r}")

    def _absolute(self, path: str) -> str:
        """Return where a document is, as an absolute POSIX path."""
        return path if path.startswith("/") else f"{self.project.as_posix()}/{path}"


@dataclass(slots=True)
class _Work:
    """The documents of one run on their way into the store."""

    runner: Runner
    plan: Sequence[SourceFile]
    known: dict[str, str]
    on_progress: OnProgress | None
    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    replaced: list[Replaced] = field(default_factory=list)
    embedded: int = 0
    size_bytes: int = 0

    def report_only(self) -> None:
        """Sort the files without reading them."""
        for file in self.plan:
            (self.changed if file.path in self.known else self.added).append(file.path)

    def do(self) -> None:
        for batch in self._batches():
            items, embedded = embed_documents(
                batch, self.runner.store, self.runner.embedder
            )
            self.replaced.append(self.runner.store.replace_documents(items))
            self.embedded += embedded
            for document, _ in items:
                is_known = document.path in self.known
                (self.changed if is_known else self.added).append(document.path)
                self.size_bytes += document.size_bytes or 0
            self._tell()

    def finish(self) -> None:
        """Complete what an interrupted run left, and keep the database in shape."""
        store = self.runner.store
        self.embedded += embed_missing(store, self.runner.embedder)
        touched = sum(r.inserted + r.updated + r.deleted for r in self.replaced)
        if touched >= _MAINTAIN_FROM_CHUNKS:
            store.maintain()

    def report(
        self,
        found: Discovery,
        *,
        removed: list[str],
        unchanged: int,
        seconds: float,
        dry_run: bool,
    ) -> IndexReport:
        return IndexReport(
            added=sorted(self.added),
            changed=sorted(self.changed),
            removed=removed,
            unchanged=unchanged,
            problems=sorted(self.problems, key=lambda problem: problem.path),
            skipped=dict(found.skipped),
            chunks_inserted=sum(r.inserted for r in self.replaced),
            chunks_updated=sum(r.updated for r in self.replaced),
            chunks_unchanged=sum(r.unchanged for r in self.replaced),
            chunks_deleted=sum(r.deleted for r in self.replaced),
            embedded=self.embedded,
            size_bytes=self.size_bytes,
            seconds=seconds,
            dry_run=dry_run,
        )

    def _batches(self) -> Iterator[list[tuple[Document, Sequence[StoredChunk]]]]:
        """Yield documents in portions that fit one transaction."""
        batch: list[tuple[Document, Sequence[StoredChunk]]] = []
        chunks = characters = 0
        for prepared in self._prepared():
            if prepared.document is None:
                self._note(prepared)
                continue
            batch.append((prepared.document, prepared.chunks))
            chunks += len(prepared.chunks)
            characters += sum(len(chunk.content) for chunk in prepared.chunks)
            if chunks >= _BATCH_CHUNKS or characters >= _BATCH_CHARACTERS:
                yield batch
                batch, chunks, characters = [], 0, 0
        if batch:
            yield batch

    def _prepared(self) -> Iterator[Prepared]:
        tasks = [
            Task(
                path=file.path,
                file=str(file.file),
                kind=file.kind,
                modified_ns=file.modified_ns,
            )
            for file in self.plan
        ]
        size = sum(file.size for file in self.plan)
        return prepare_files(tasks, self.runner.config, size_bytes=size)

    def _note(self, prepared: Prepared) -> None:
        self.problems.append(Problem(path=prepared.path, reason=prepared.problem))
        if prepared.path in self.known and prepared.problem not in _PASSING:
            self.lost.append(prepared.path)

    def _tell(self) -> None:
        if self.on_progress is None:
            return
        self.on_progress(
            Progress(
                files=len(self.added) + len(self.changed) + len(self.problems),
                total_files=len(self.plan),
                size_bytes=self.size_bytes,
                total_bytes=sum(file.size for file in self.plan),
                chunks=sum(r.inserted + r.updated + r.unchanged for r in self.replaced),
            )
        )


def _is_below_any(path: str, folders: Sequence[str]) -> bool:
    """Say whether a path is one of the folders or lies in one."""
    return any(
        path == folder or path.startswith(f"{folder.rstrip('/')}/")
        for folder in folders
    )
