"""Naming documents of the index, and reading them back from it.

Nothing here touches the disk. A path is only ever compared with the paths that are
stored, and a text is put together from stored chunks: what was not indexed cannot be
read, whatever the path says and wherever links lead by now.
"""

from __future__ import annotations

import posixpath
from difflib import get_close_matches
from typing import TYPE_CHECKING

from outcrop.errors import NotFoundError
from outcrop.indexing.documents.document_text import leaves_of, text_of
from outcrop.text.tokens import replace_surrogates

if TYPE_CHECKING:
    from outcrop.indexing.index import Index
    from outcrop.model.stored import Document

_MAX_PATH_CHARS = 4_096
_SUGGESTIONS = 3


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
    return same[:_SUGGESTIONS] or get_close_matches(path, known, _SUGGESTIONS)
