"""Starting an embedded server while the rest of the program is loaded.

Both take a few tenths of a second, and neither needs the other.
"""

from __future__ import annotations

from contextlib import contextmanager, suppress
from threading import Thread
from typing import TYPE_CHECKING

from outcrop.errors import StorageError
from outcrop.store.server.embedded import EmbeddedServer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def started_early(folder: Path) -> Iterator[None]:
    """Start the server in a project's `.outcrop`, and keep it up for a block.

    Whoever opens the index within the block waits for the server and reports why it
    cannot be started, if so.

    A project without a server is left as it is.
    """
    server = EmbeddedServer(folder)
    if server.home is None:
        yield
        return
    thread = Thread(target=_start, args=(server,), name="outcrop-server", daemon=True)
    thread.start()
    try:
        yield
    finally:
        thread.join()
        server.close()


def _start(server: EmbeddedServer) -> None:
    with suppress(StorageError):
        server.ensure_running()
