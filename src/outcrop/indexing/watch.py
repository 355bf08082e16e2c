"""Keeping an index current while files change."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from outcrop.errors import MissingExtraError
from outcrop.indexing.discover import NEVER_ENTERED, document_path
from outcrop.indexing.ignore import IGNORE_FILES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from threading import Event

    from watchfiles import Change

_SETTLE_MS = 300  # an editor saves a file in several steps
_POLL_MS = 500


def watch_changes(
    roots: Sequence[Path], project: Path, stop: Event | None = None
) -> Iterator[set[str] | None]:
    """Yield what may have changed, from the moment of the call on.

    Args:
        roots: Absolute paths that exist.
        project: The folder that paths are relative to.
        stop: Ends the watch once it is set.

    Yields:
        Paths of documents; None first, and whenever all of them may have changed.
    """
    try:
        from watchfiles import watch
    except ImportError as error:
        raise MissingExtraError("watching files", "store") from error
    started = False
    for changes in watch(
        *roots,
        watch_filter=_concerns_us,
        debounce=_SETTLE_MS,
        rust_timeout=_POLL_MS,
        yield_on_timeout=True,
        stop_event=stop,
        raise_interrupt=False,
    ):
        if not started:
            started = True
            yield None  # whatever happened before the watch began
        elif changes:
            files = [Path(path) for _, path in changes]
            if any(file.name in IGNORE_FILES for file in files):
                yield None
            else:
                yield {document_path(file, project) for file in files}


def _concerns_us(_change: Change, path: str) -> bool:
    return NEVER_ENTERED.isdisjoint(Path(path).parts)
