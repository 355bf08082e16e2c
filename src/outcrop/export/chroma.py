"""A collection of Chroma, in a folder or on a server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from outcrop.errors import MissingExtraError
from outcrop.export.target import PROJECT_FIELD, RUN_FIELD

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from outcrop.export.target import Export
    from outcrop.store.vectors import EmbeddedChunk


def write(export: Export, pages: Iterator[Sequence[EmbeddedChunk]]) -> int:
    """Write a collection, creating it if it does not exist."""
    try:
        import chromadb
        from chromadb.config import Settings
    except ImportError as error:
        raise MissingExtraError("an export to Chroma", "chroma") from error
    settings = Settings(anonymized_telemetry=False)
    if export.destination.startswith(("http://", "https://")):
        url = urlsplit(export.destination)
        client = chromadb.HttpClient(
            host=url.hostname or "",
            port=url.port or (443 if url.scheme == "https" else 80),
            ssl=url.scheme == "https",
            settings=settings,
        )
    else:
        client = chromadb.PersistentClient(path=export.destination, settings=settings)
    collection = client.get_or_create_collection(
        export.collection,
        metadata={"hnsw:space": "cosine"},
        embedding_function=None,  # the default one would be downloaded
    )
    count = 0
    for page in pages:
        collection.upsert(
            ids=[f"{export.project}:{chunk.id}" for chunk in page],
            embeddings=[chunk.vector for chunk in page],
            documents=[chunk.content for chunk in page],
            metadatas=[_plain(export.metadata(chunk)) for chunk in page],
        )
        count += len(page)
    is_ours = {PROJECT_FIELD: {"$eq": export.project}}
    is_older = {RUN_FIELD: {"$ne": export.run}}
    collection.delete(where={"$and": [is_ours, is_older]})
    return count


def _plain(metadata: dict[str, Any]) -> dict[str, Any]:
    """Return metadata without lists, which not every version of Chroma takes."""
    return {
        name: " > ".join(map(str, value)) if isinstance(value, list) else value
        for name, value in metadata.items()
    }
