"""The index of the tools, opened when the first of them needs it, and its documents.

A client starts the server long before its first call, often in a folder without an
index. So starting opens nothing; an index that cannot be opened is an error of the call
that needs it, and the next call tries again.

Documents are never read from the disk. A path is only compared with the stored paths,
and a text is put together from stored chunks: what was not indexed cannot be read,
whatever the path says and wherever links lead by now.
"""

from __future__ import annotations

import posixpath
from difflib import get_close_matches
from threading import Lock
from typing import TYPE_CHECKING

from outcrop.errors import NotFoundError
from outcrop.indexing.documents.document_text import leaves_of, text_of
from outcrop.text.tokens import replace_surrogates

if TYPE_CHECKING:
    from collections.abc import Callable

    from outcrop.indexing.index import Index
    from outcrop.model.stored import Document


_MAX_PATH_CHARS = 4_096
_MAX_SUGGESTIONS = 3


class IndexSource:
    """An index that is opened on first use, by whichever thread comes first.

    Args:
        open_index: Opens it, or raises an `OutcropError`.
        owned: Whether `close` closes the index, or leaves that to its opener.
    """

    def __init__(self, open_index: Callable[[], Index], *, owned: bool = True) -> None:
        self._open_index = open_index
        self._owned = owned
        self._opening = Lock()
        self._index: Index | None = None

    def get(self) -> Index:
        """Return the index.

        Raises:
            OutcropError: It cannot be opened; the message says what to do.
        """
        with self._opening:
            if self._index is None:
                self._index = self._open_index()
            return self._index

    def close(self) -> None:
        """Close the index, if it was opened."""
        with self._opening:
            index, self._index = self._index, None
        if index is not None and self._owned:
            index.close()


def refuse_empty(index: Index) -> None:
    """Reject an empty index, with the command that fills it.

    Raises:
        NotFoundError: The index holds no document.
    """
    if not index.documents(limit=1):
        raise NotFoundError("the index is empty; fill it with: outcrop index PATH")


def find_document(index: Index, given: str) -> Document:
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
        raise NotFoundError("the index is empty; fill it with: outcrop index PATH")
    similar = _similar(path, known)
    advice = f"; similar: {', '.join(similar)}" if similar else ""
    raise NotFoundError(
        f"there is no document {path[:200]!r} in the index{advice}; outline without a"
        " path lists the documents"
    )


def read_text(index: Index, document: Document) -> str:
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
