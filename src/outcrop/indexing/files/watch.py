"""Watches files for changes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from outcrop.errors import MissingExtraError
from outcrop.indexing.files.discover import NEVER_ENTERED, document_path
from outcrop.indexing.files.ignore import IGNORE_FILES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from threading import Event

    from watchfiles import Change

_SETTLE_MS = 300  # an editor saves a file in several steps
_POLL_MS = 500


def watch_changes(
    roots: Sequence[Path], project: Path, stop: Event | None = None
) -> Iterator[set[str] | None]:
    """Yield the documents that may have changed since the call, until `stop` is set.

    Yields:
        Paths of documents; None first, and when any of them may have changed.
    """
    try:
        from watchfiles import watch
    except ImportError as error:
        raise MissingExtraError("watching files", "store") from error
    started = False
    # Editors often save by replacing the file, which would end a watch of the file
    # itself: so its folder is watched.
    are_files = all(root.is_file() for root in roots)
    watched = {root.parent for root in roots} if are_files else set(roots)
    for changes in watch(
        *watched,
        watch_filter=_concerns(roots),
        recursive=not are_files,
        debounce=_SETTLE_MS,
        rust_timeout=_POLL_MS,
        yield_on_timeout=True,
        stop_event=stop,
        raise_interrupt=False,
    ):
        if not started:
            started = True
            yield None  # for changes before the watch began
        elif changes:
            files = [Path(path) for _, path in changes]
            if any(file.name in IGNORE_FILES for file in files):
                yield None
            else:
                yield {document_path(file, project) for file in files}


def _concerns(roots: Sequence[Path]) -> Callable[[Change, str], bool]:
    """Return a filter for the changes below these paths."""

    def concerns(_change: Change, path: str) -> bool:
        file = Path(path)
        # The parents of a given path may have any name.
        return any(
            file.is_relative_to(root)
            and NEVER_ENTERED.isdisjoint(file.relative_to(root).parts)
            for root in roots
        )

    return concerns
