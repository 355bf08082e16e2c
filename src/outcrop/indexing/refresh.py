"""Keeps an index up to date in the background, as long as its process runs.

Of several processes on one project, the one that holds a lease watches the files; when
it ends, another one takes over.
"""

from __future__ import annotations

import logging
from threading import Event, Thread
from typing import TYPE_CHECKING

from outcrop.errors import InputError, OutcropError
from outcrop.indexing.paths import is_remote, is_there, resolve_paths

if TYPE_CHECKING:
    from outcrop.indexing.report import Progress
    from outcrop.indexing.sharded import AnyIndex

_log = logging.getLogger(__name__)
# How soon another process takes over, and a failed run is tried again.
_POLL_SECONDS = 3.0
_MAX_PAUSE_SECONDS = 60.0
_PAGE = 1_000


def _has_files(index: AnyIndex) -> bool:
    """Whether one of the documents still has its file, or there is no document.

    A folder that is not mounted looks like one whose files were all deleted.
    """
    after = ""
    while page := index.documents(after=after, limit=_PAGE):
        if any(
            is_remote(document.path) or is_there(index.project / document.path)
            for document in page
        ):
            return True
        after = page[-1].path
    return not after


class _StoppedError(Exception):
    """The process ends."""


class Refresher:
    """Builds an empty index, then watches its files, in a thread.

    Attributes:
        problem: Why the index cannot be brought up to date, or None.
    """

    def __init__(self, index: AnyIndex) -> None:
        """Refresh an open index; it must stay open until `stop` returns."""
        self.problem: str | None = None
        self._index = index
        self._stopped = Event()
        self._settled = Event()
        self._thread = Thread(target=self._work, name="outcrop-refresh", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def wait(self, seconds: float) -> bool:
        """Wait until the first run has ended, or another process refreshes the index."""
        return self._settled.wait(seconds)

    def stop(self, seconds: float) -> bool:
        """End after the current batch; return whether that took less than some time."""
        self._stopped.set()
        self._settled.set()
        if self._thread.is_alive():
            self._thread.join(seconds)
        return not self._thread.is_alive()

    def _work(self) -> None:
        pause = _POLL_SECONDS
        while not self._stopped.is_set():
            try:
                self._try()
                pause = _POLL_SECONDS
            except _StoppedError:
                return
            except (OutcropError, OSError) as error:
                self._note(str(error))
                pause = min(2 * pause, _MAX_PAUSE_SECONDS)
            except BaseException:  # noqa: BLE001 - a panic of native code is not an Exception
                _log.exception("a run failed")
                self._note("an unexpected error; the log has the details")
                pause = _MAX_PAUSE_SECONDS
            self._stopped.wait(pause)

    def _try(self) -> None:
        with self._index.hold_watch() as is_held:
            if is_held:
                self._refresh()
            else:
                self._note(None)

    def _refresh(self) -> None:
        index = self._index.continued()
        paths = index.indexed_paths()
        if not paths:  # object storage cannot be watched
            self._note(None)
            return
        if not _has_files(index):
            raise InputError(
                "none of the indexed files exists any more, so the index is left as it"
                " is; run outcrop index to remove them from it"
            )
        there = [path for path in resolve_paths(paths, index.project) if is_there(path)]
        if len(there) < len(paths) or not index.documents(limit=1):
            # It takes a moment until a watch begins, and a deleted folder has none.
            index.index(paths, on_progress=self._go_on)
            self._note(None)
        for _ in index.watch(there, stop=self._stopped, on_progress=self._go_on):
            self._note(None)

    def _note(self, problem: str | None) -> None:
        if problem is not None and problem != self.problem:
            _log.warning("the index cannot be refreshed: %s", problem)
        self.problem = problem
        self._settled.set()

    def _go_on(self, _progress: Progress) -> None:
        if self._stopped.is_set():
            raise _StoppedError("interrupted; the next run continues it")
