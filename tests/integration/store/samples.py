"""Small documents for the tests of the store."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import numpy as np

from outcrop.model.stored import Document, StoredChunk
from outcrop.text.analysis import count_terms

if TYPE_CHECKING:
    from collections.abc import Sequence


def document(path: str = "docs/a.md", version: str = "1", **fields: Any) -> Document:
    return Document(path=path, kind="markdown", fingerprint=version, **fields)


def chunk(
    text: str, path: str = "docs/a.md", index: int = 0, **fields: Any
) -> StoredChunk:
    """Return a chunk whose id is its text's, as the chunker makes it."""
    digest = hashlib.sha256(text.encode()).hexdigest()
    values: dict[str, Any] = {
        "chunk_id": digest[:8],
        "source": "doc",
        "kind": "section",
        "content_hash": digest,
        "search_hash": digest,
        "terms": count_terms(text),
        "emb": vector(text),
        "embed_model": "tiny",
        "level": 1,
    }
    values |= fields
    return StoredChunk(path=path, content=text, chunk_index=index, **values)


def chunks(texts: Sequence[str], path: str = "docs/a.md") -> list[StoredChunk]:
    return [chunk(text, path, index) for index, text in enumerate(texts)]


def vector(text: str) -> np.ndarray:
    """Return four numbers that depend on the text."""
    digest = hashlib.sha256(text.encode()).digest()
    numbers = np.frombuffer(digest[:16], np.uint32).astype(np.float32)
    numbers = numbers / 2**31 - 1
    return numbers / np.linalg.norm(numbers)
