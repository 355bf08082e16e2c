"""The index of the tools, opened on first use, its documents, and what it lacks.

A client starts the server long before its first call, often in a folder without an
index. So starting opens nothing; an index that cannot be opened is an error of the call
that needs it, and the next call tries again. A call that comes while the first index is
built waits a little, then answers from what is there.

Documents are never read from the disk. A path is only compared with the stored paths,
and a text is put together from stored chunks: what was not indexed cannot be read,
whatever the path says and wherever links lead by now.
"""

from __future__ import annotations

import posixpath
import time
from difflib import get_close_matches
from threading import Lock
from typing import TYPE_CHECKING

from outcrop.errors import NotFoundError
from outcrop.indexing.documents.document_text import leaves_of, text_of
from outcrop.text.marks import on_one_line
from outcrop.text.tokens import replace_surrogates

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from outcrop.indexing.freshness import ChangedFiles
    from outcrop.indexing.refresh import Refresher
    from outcrop.indexing.sharded import AnyIndex
    from outcrop.model.stored import Document

_MAX_PATH_CHARS = 4_096
_MAX_SUGGESTIONS = 3
# How long the first call waits for the first index: a small project is then complete.
_PATIENCE_SECONDS = 2.5
# The same while the index is empty.
_MAX_PATIENCE_SECONDS = 10.0
_POLL_SECONDS = 0.1
_SECONDS_TO_STOP = 2.0


class IndexSource:
    """An index that is opened on first use, by whichever thread comes first.

    Args:
        open_index: Opens it, or raises an `OutcropError`.
        owned: Whether `close` closes the index, or leaves that to its opener.
        is_refreshed: Whether to bring the index up to date in the background, from its
            first use until it is closed.
    """

    def __init__(
        self,
        open_index: Callable[[], AnyIndex],
        *,
        owned: bool = True,
        is_refreshed: bool = False,
    ) -> None:
        self._open_index = open_index
        self._owned = owned
        self.is_refreshed = is_refreshed
        self._opening = Lock()
        self._index: AnyIndex | None = None
        self._refresher: Refresher | None = None

    def open(self) -> AnyIndex:
        """Return the index, however much it holds by now.

        Raises:
            OutcropError: It cannot be opened; the message says what to do.
        """
        with self._opening:
            if self._index is None:
                self._index = self._open_index()
                self._refresh(self._index)
            return self._index

    def get(self) -> AnyIndex:
        """Return the index; while it is built for the first time, wait a little before.

        Raises:
            OutcropError: As for `open`.
        """
        called = time.monotonic()
        index = self.open()
        refresher = self._refresher
        if refresher is None or refresher.wait(0) or index.documents(limit=1):
            return index
        while not refresher.wait(_POLL_SECONDS):
            waited = time.monotonic() - called
            is_filled = waited > _PATIENCE_SECONDS and index.documents(limit=1)
            if is_filled or waited > _MAX_PATIENCE_SECONDS:
                break
        return index

    @property
    def opened(self) -> AnyIndex | None:
        """The index, if it is open."""
        return self._index

    @property
    def problem(self) -> str | None:
        """Why the index cannot be brought up to date, or None."""
        return None if self._refresher is None else self._refresher.problem

    def close(self) -> bool:
        """Close the index, if it was opened; return whether nothing is left running."""
        with self._opening:
            index, self._index = self._index, None
            refresher, self._refresher = self._refresher, None
        if refresher is not None and not refresher.stop(_SECONDS_TO_STOP):
            return False
        if index is not None and self._owned:
            index.close()
        return True

    def _refresh(self, index: AnyIndex) -> None:
        if self.is_refreshed:
            from outcrop.indexing.refresh import Refresher

            self._refresher = Refresher(index)
            self._refresher.start()


def reject_empty(index: AnyIndex) -> None:
    """Reject an empty index, with the command that fills it.

    Raises:
        NotFoundError: The index holds no document.
    """
    if index.documents(limit=1):
        return
    if index.running() is not None:
        raise NotFoundError("nothing is searchable yet; ask again in a few seconds")
    raise NotFoundError("the index is empty; fill it with: outcrop index PATH")


def find_document(index: AnyIndex, given: str) -> Document:
    """Return the document with a path.

    The path may be relative to the project, absolute, or start with `doc://`.

    Raises:
        NotFoundError: The index has no such document; the message names similar ones.
    """
    path = _normalise(given, index.project.as_posix())
    try:
        return index.store.get_document(path)
    except NotFoundError:
        known = [document.path for document in index.documents()]
    if not known:
        reject_empty(index)
    similar = _similar(path, known)
    advice = f"; similar: {', '.join(similar)}" if similar else ""
    raise NotFoundError(
        f"there is no document {path[:200]!r} in the index{advice}; outline without a"
        " path lists the documents"
    )


def documents_below(index: AnyIndex, given: str) -> list[Document]:
    """Return the documents below a folder; the path may be given as for a document."""
    path = _normalise(given, index.project.as_posix())
    documents = index.documents()
    if path in {".", index.project.as_posix()}:
        return documents
    return [each for each in documents if each.path.startswith(f"{path}/")]


def read_text(index: AnyIndex, document: Document) -> str:
    """Return the text of a document, as it was indexed."""
    return text_of(leaves_of(index.store.chunks_of(document.path)))


def _normalise(given: str, project: str) -> str:
    text = given[:_MAX_PATH_CHARS].removeprefix("doc://").replace("\0", "\ufffd")
    path = replace_surrogates(posixpath.normpath(text))
    if path.startswith(f"{project}/"):
        path = path.removeprefix(f"{project}/")
    return path


def _similar(path: str, known: list[str]) -> list[str]:
    name = posixpath.basename(path).lower()
    same = [other for other in known if posixpath.basename(other).lower() == name]
    return same[:_MAX_SUGGESTIONS] or get_close_matches(path, known, _MAX_SUGGESTIONS)


# Comparing walks the project, which takes a third of a second for 5,000 files.
_SECONDS_BETWEEN_COMPARISONS = 10.0
_MAX_NAMES = 5


class FreshnessNotes:
    """Describes what the index of a source lacks.

    A watched index lacks what its run has not reached yet, and says so. Otherwise the
    files are compared, at most every few seconds.
    """

    def __init__(self, source: IndexSource) -> None:
        self._source = source
        self._comparing = Lock()
        self._compared: ChangedFiles | None = None
        self._compared_at = -_SECONDS_BETWEEN_COMPARISONS

    def describe(self, paths: Collection[str] = ()) -> str | None:
        """Return what an answer with some documents may lack; None if nothing."""
        index = self._source.opened
        if index is None:
            return None
        notes = [
            index.note,
            self._describe_index(index),
            _describe_documents(index, paths),
        ]
        return "; ".join(note for note in notes if note) or None

    def _describe_index(self, index: AnyIndex) -> str | None:
        if (running := index.running()) is not None:
            return f"the index is being brought up to date: {running}"
        if (problem := self._source.problem) is not None:
            return f"the index cannot be brought up to date: {problem}"
        if self._source.is_refreshed:
            return None
        changed = self._compare(index)
        if changed is None or not changed.total:
            return None
        return f"{count_changes(changed)}; bring it up to date with: outcrop index"

    def _compare(self, index: AnyIndex) -> ChangedFiles | None:
        with self._comparing:
            if time.monotonic() - self._compared_at > _SECONDS_BETWEEN_COMPARISONS:
                self._compared = index.compare()
                self._compared_at = time.monotonic()
            return self._compared


def count_changes(changed: ChangedFiles) -> str:
    """Return how many files differ from the index, in words."""
    return (
        f"files that differ from the index: {len(changed.new):,} new,"
        f" {len(changed.changed):,} changed, {len(changed.gone):,} gone"
    )


def _describe_documents(index: AnyIndex, paths: Collection[str]) -> str | None:
    changed = index.changed_documents(paths)
    if not changed:
        return None
    names = ", ".join(map(on_one_line, changed[:_MAX_NAMES]))
    more = f" and {len(changed) - _MAX_NAMES:,} more" if changed[_MAX_NAMES:] else ""
    return f"changed since they were indexed: {names}{more}"
