"""Runs of the indexer that callers start: one at a time, each recorded in the store.

The indexer records its progress in the store, where any process can follow it, so the
events of a run do not depend on who does the work.
"""

from __future__ import annotations

import logging
import os
from dataclasses import replace
from functools import cache
from http import HTTPStatus
from pathlib import Path
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING

from outcrop.errors import InputError, OutcropError
from outcrop.http.problems import ProblemError
from outcrop.indexing.files.discover import discover, is_inside
from outcrop.indexing.files.ignore import named_secret
from outcrop.indexing.project import resolve_paths
from outcrop.indexing.run import RUN_KIND

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from outcrop.indexing.index import Index
    from outcrop.indexing.report import Progress
    from outcrop.model.run import Run

_log = logging.getLogger(__name__)


class IndexRuns:
    """Starts runs of the indexer, one after the other."""

    def __init__(self, index: Index, roots: Sequence[Path]) -> None:
        """Index into an index, from its project and some other folders."""
        self._index = index
        self._roots = roots
        self._lock = Lock()
        self._thread: Thread | None = None
        self._run_id: int | None = None
        self._closing = Event()

    def start(self, paths: Sequence[str]) -> Run:
        """Start a run in the background.

        Raises:
            ProblemError: A path is not allowed, or another run is still running.
        """
        resolved = check_paths(paths, self._index, self._roots)
        with self._lock:
            if self._closing.is_set() or (self._thread and self._thread.is_alive()):
                raise ProblemError(
                    HTTPStatus.CONFLICT,
                    f"run {self._run_id} is still running; wait for it",
                    extra={"run_id": self._run_id},
                )
            run = self._index.store.create_run(
                RUN_KIND, parameters={"paths": list(paths)}
            )
            self._run_id = run.id
            self._thread = Thread(
                target=self._work, args=(run.id, resolved), name="outcrop-index"
            )
            self._thread.start()
        return run

    def close(self) -> None:
        """Start no new run, and stop the current one after its batch."""
        with self._lock:
            self._closing.set()
        if self._thread is not None:
            self._thread.join()

    def _work(self, run_id: int, paths: Sequence[Path]) -> None:
        try:
            self._index.index(paths, run_id=run_id, on_progress=self._go_on)
        except OutcropError as error:
            _log.warning("run %s failed: %s", run_id, error)
            self._fail(run_id, str(error))
        except Exception:  # noqa: BLE001 - any failure is recorded with the run
            _log.exception("run %s failed", run_id)
            self._fail(run_id, "this is a bug in Outcrop; the server's log says more")

    def _go_on(self, _: Progress) -> None:
        """Stop a run between two batches when the server stops."""
        if self._closing.is_set():
            raise OutcropError("the server was stopped; the next run continues")

    def _fail(self, run_id: int, message: str) -> None:
        try:
            self._index.store.fail_run(run_id, message)
        except OutcropError:
            _log.exception("cannot note that run %s failed", run_id)


def check_paths(
    paths: Sequence[str], index: Index, roots: Iterable[Path]
) -> list[Path]:
    """Resolve paths, if everything below them may be indexed.

    Args:
        paths: Files and folders; relative ones are relative to the project.
        index: The index they are for.
        roots: Folders outside the project that may be indexed.

    Raises:
        ProblemError: A path, or a link below it, leads elsewhere, or a path is that of
            a file that may hold secrets.
        InputError: Not a valid path.
    """
    allowed = [os.path.realpath(root) for root in (index.project, *roots)]
    try:
        resolved = resolve_paths(paths, index.project)
        for path in resolved:
            if not is_inside(os.path.realpath(path), allowed):
                raise _outside(str(path))
            if not index.config.include_secrets and named_secret(path):
                raise _secret(str(path))
        # With links, to reject those that the run would silently skip.
        config = replace(index.config, follow_links=True)
        found = discover(resolved, index.project, config)
    except (OSError, UnicodeError) as error:  # too long, or not a valid name
        raise InputError(f"invalid path: {error}") from error
    folder_of = cache(os.path.realpath)
    for name, source in found.files.items():
        folder = folder_of(str(source.file.parent))
        real = os.path.join(folder, source.file.name)  # noqa: PTH118 - for every file
        if os.path.islink(real):  # noqa: PTH114 - as above
            real = os.path.realpath(real)
        if not is_inside(real, allowed):
            raise _outside(name)
    return resolved


def _outside(path: str) -> ProblemError:
    return ProblemError(
        HTTPStatus.FORBIDDEN,
        f"{path!r} leads outside the project; start the server with --root to allow "
        "another folder",
    )


def _secret(path: str) -> ProblemError:
    return ProblemError(
        HTTPStatus.FORBIDDEN,
        f"{path!r} may hold secrets, by its name; index it at the machine with:"
        " outcrop index PATH",
    )
