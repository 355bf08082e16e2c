"""Creating the embedded database of a project while the rest of the program is loaded."""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Never

from outcrop.errors import OutcropError
from outcrop.process_pool import may_fork
from outcrop.store.projects.identity import FOLDER, make_folder
from outcrop.store.server.embedded import EmbeddedServer
from outcrop.worker_process import fork

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def created_early(project: Path) -> Iterator[None]:
    """Create the database of a project in the background of a block, and keep it up.

    A fork creates it: a thread would keep this process from forking workers. Whoever
    opens the index within the block waits for the database, and reports why it cannot
    be created, if so.
    """
    with suppress(OSError):  # reported by whoever opens the index
        # At once: a walk through the project finds it in any case, or in none.
        make_folder(project / FOLDER)
    if not may_fork():
        yield
        return
    reader, writer = os.pipe()
    pid = fork()
    if not pid:
        _create(project, reader, writer)
    os.close(reader)
    try:
        yield
    finally:
        # Not only closed: forks that were made meanwhile have the other end too.
        with suppress(BrokenPipeError), os.fdopen(writer, "wb") as told:
            told.write(b"\0")
        os.waitpid(pid, 0)


def _create(project: Path, reader: int, writer: int) -> Never:
    try:
        os.close(writer)
        with suppress(OutcropError), EmbeddedServer(project / FOLDER):
            os.read(reader, 1)  # until the caller has opened it, or has ended
    finally:
        # Nothing of the caller's may run twice: no handler, no flush, no exception.
        os._exit(0)
