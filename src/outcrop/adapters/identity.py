"""Ids that are the same in every run and unique among all documents.

A chunk's own id is unique within its document. Frameworks store many documents together,
so there an id is a hash of the document's name and the chunk's id, as it is in Outcrop's
store, where the name is the document's path.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING
from uuid import UUID

if TYPE_CHECKING:
    from collections.abc import Mapping

# Metadata keys of the file and the page, as loaders of the frameworks set them.
_PATH_KEYS = ("file_path", "source")
_PAGE_KEYS = ("page_label", "page_number", "page")

_HEX_BYTES = 8
_UUID_BYTES = 16
_RANDOM = 4


def chunk_key(document: str, chunk_id: str, *, as_uuid: bool = False) -> str:
    """Return the id of a document's chunk, unique among all documents.

    Args:
        document: Name of the document, its path where it has one.
        chunk_id: The chunk's id within the document.
        as_uuid: Return a UUID instead of 16 hexadecimal digits.
    """
    # No path holds a zero byte, so no two pairs give the same text.
    name = f"{document}\0{chunk_id}".encode(errors="surrogatepass")
    if not as_uuid:
        return blake2b(name, digest_size=_HEX_BYTES).hexdigest()
    digest = blake2b(name, digest_size=_UUID_BYTES).digest()
    return str(UUID(bytes=digest, version=5))


class DocumentNames:
    """Names the documents of one call, so that no two of them share an id.

    The name is the path in the metadata, with the page if there is one; or else the
    document's own id; or, if that is missing or random, a hash of its text. Further
    documents of the same name are numbered.
    """

    def __init__(self) -> None:
        self._taken: dict[str, int] = {}

    def name(
        self, metadata: Mapping[str, object], own_id: str | None, text: str
    ) -> str:
        """Return the name of the next document."""
        name = _path(metadata) or _given(own_id) or _hash(text)
        count = self._taken.get(name, 0)
        self._taken[name] = count + 1
        return f"{name}\0{count}" if count else name


def _path(metadata: Mapping[str, object]) -> str | None:
    path = next((str(metadata[key]) for key in _PATH_KEYS if metadata.get(key)), None)
    if path is None:
        return None
    pages = (metadata[key] for key in _PAGE_KEYS if metadata.get(key) is not None)
    page = next(pages, None)
    return path if page is None else f"{path}\0page {page}"


def _given(own_id: str | None) -> str | None:
    """Return an id that was chosen; frameworks assign a random UUID otherwise."""
    if not own_id:
        return None
    try:
        return None if UUID(own_id).version == _RANDOM else own_id
    except ValueError:
        return own_id


def _hash(text: str) -> str:
    data = text.encode(errors="surrogatepass")
    return blake2b(data, digest_size=_UUID_BYTES).hexdigest()
