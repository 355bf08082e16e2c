"""Whether an index is up to date: runs under way, and files that differ from it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from outcrop.indexing.files.content import hash_file
from outcrop.indexing.paths import is_remote, is_there, resolve_paths
from outcrop.model.run import RunState
from outcrop.store.leases import is_leased

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from outcrop.indexing.config import IndexConfig
    from outcrop.model.run import Run
    from outcrop.model.stored import Document
    from outcrop.store.database import Database
    from outcrop.store.documents import KnownDocument
    from outcrop.store.sharded_store import AnyStore
    from outcrop.store.store import PostgresStore

INDEX_LEASE = "index"
INDEX_RUN = "index"
_LATEST_RUNS = 5  # builds and runs of workers may be among them


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedFiles:
    """The files that differ from the index.

    Attributes:
        new: Paths of files without a document.
        changed: Paths of documents whose file has another content or other settings.
        gone: Paths of documents without a file.
    """

    new: Sequence[str] = ()
    changed: Sequence[str] = ()
    gone: Sequence[str] = ()

    @property
    def total(self) -> int:
        """The number of files."""
        return len(self.new) + len(self.changed) + len(self.gone)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningIndex:
    """A run of the indexer that is under way.

    Attributes:
        searchable: Number of documents that a search finds by now.
        remaining: Number of files that are still to be indexed.
    """

    searchable: int
    remaining: int

    def __str__(self) -> str:
        """Describe the progress."""
        documents = "document is" if self.searchable == 1 else "documents are"
        files = "file is" if self.remaining == 1 else "files are"
        return (
            f"{self.searchable:,} {documents} searchable, {self.remaining:,} {files}"
            " still to be indexed"
        )


def latest_run(store: PostgresStore) -> Run | None:
    """Return the latest run of the indexer."""
    runs = store.runs(_LATEST_RUNS)
    return next((run for run in runs if run.kind == INDEX_RUN), None)


def find_running(database: Database, store: PostgresStore) -> RunningIndex | None:
    """Return the run that is under way in any process, or None.

    The process of a run that is recorded as running may have been killed: it then no
    longer holds the lease.
    """
    if not is_leased(database, INDEX_LEASE):
        return None
    run = latest_run(store)
    if run is None or run.state != RunState.RUNNING:
        return None
    stages = run.statistics.get("stages", {}).get("documents", {})
    return RunningIndex(
        searchable=store.count_documents(),
        remaining=max(0, stages.get("total", 0) - stages.get("done", 0)),
    )


def compare_files(
    store: AnyStore, paths: Iterable[str], project: Path, config: IndexConfig
) -> ChangedFiles:
    """Compare the files at some paths with the index.

    A file is read only if it is new, or if its size or time differs from the stored one.
    """
    # A search loads this module too, and compares nothing.
    from outcrop.indexing.files.changes import find_changes

    known = store.known_documents()
    roots = [path for path in resolve_paths(paths, project) if is_there(path)]
    touched = _touched(known, project)
    found = find_changes(roots, project, config, known, touched)
    planned = sorted(file.path for file in found.plan)
    return ChangedFiles(
        new=[path for path in planned if path not in known],
        changed=[path for path in planned if path in known],
        gone=sorted(found.gone),
    )


def has_changed(document: Document, project: Path) -> bool:
    """Return whether the file of a document has changed since it was indexed."""
    if is_remote(document.path):
        return False  # only a run that names it reads it again
    file = project / document.path
    try:
        return _is_touched(file, document) and hash_file(file) != document.content_hash
    except (OSError, ValueError):
        return True


def _touched(known: Mapping[str, KnownDocument], project: Path) -> set[str]:
    touched = set()
    for path, document in known.items():
        with suppress(OSError, ValueError):
            if _is_touched(project / path, document):
                touched.add(path)
    return touched


def _is_touched(file: Path, document: Document | KnownDocument) -> bool:
    """Return whether a file has another size or time than the stored document."""
    status = file.stat()
    times = (status.st_mtime_ns, status.st_size)
    return times != (document.modified_ns, document.size_bytes)
