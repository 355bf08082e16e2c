"""Ids of what is stored: 16 hexadecimal digits, the same on every machine."""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b

_BYTES = 8


@lru_cache(maxsize=1024)  # looked up with every chunk of a document
def document_id(path: str) -> str:
    """Return the id of the document at a path."""
    return blake2b(path.encode(), digest_size=_BYTES).hexdigest()


@lru_cache(maxsize=8192)  # looked up again by everything that handles a chunk
def store_id(path: str, chunk_id: str) -> str:
    """Return the id of a document's chunk, unique in the whole store.

    Args:
        path: The document's path.
        chunk_id: The chunk's id within the document.
    """
    # No path holds a zero byte, so no two pairs give the same text.
    return blake2b(f"{path}\0{chunk_id}".encode(), digest_size=_BYTES).hexdigest()
