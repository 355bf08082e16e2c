"""A collection of Qdrant, in a folder or on a server."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid5

from outcrop.errors import InputError, MissingExtraError
from outcrop.export.target import PROJECT_FIELD, RUN_FIELD

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from outcrop.export.target import Export
    from outcrop.store.vectors import EmbeddedChunk

KEY_VARIABLE = "QDRANT_API_KEY"
# Qdrant takes UUIDs as ids: the same chunk of the same project has the same one.
_NAMESPACE = UUID("6f2f7f0e-6d0f-5a52-9b1b-3f0c1c0e8b11")


def write(export: Export, pages: Iterator[Sequence[EmbeddedChunk]]) -> int:
    """Write a collection, creating it if it does not exist."""
    try:
        from qdrant_client import QdrantClient, models
    except ImportError as error:
        raise MissingExtraError("an export to Qdrant", "qdrant") from error
    if export.destination.startswith(("http://", "https://")):
        key = os.environ.get(KEY_VARIABLE) or None
        # Its check of versions is a thread that may fail after the export has.
        client = QdrantClient(
            url=export.destination, api_key=key, check_compatibility=False
        )
    else:
        client = QdrantClient(path=export.destination)
    try:
        _ensure(client, models, export)
        count = 0
        for page in pages:
            points = [
                models.PointStruct(
                    id=str(uuid5(_NAMESPACE, f"{export.project}:{chunk.id}")),
                    vector=chunk.vector,
                    payload={"content": chunk.content, **export.metadata(chunk)},
                )
                for chunk in page
            ]
            client.upsert(export.collection, points)
            count += len(points)
        client.delete(export.collection, _left_over(models, export))
        return count
    finally:
        client.close()


def _ensure(client: Any, models: Any, export: Export) -> None:
    if not client.collection_exists(export.collection):
        client.create_collection(
            export.collection,
            vectors_config=models.VectorParams(
                size=export.dimension, distance=models.Distance.COSINE
            ),
        )
        return
    size = client.get_collection(export.collection).config.params.vectors.size
    if size != export.dimension:
        raise InputError(
            f"collection {export.collection!r} has vectors of {size} dimensions, but the"
            f" index has {export.dimension}; choose another with --collection"
        )


def _left_over(models: Any, export: Export) -> Any:
    """Select what earlier exports of the project wrote, and this one did not."""

    def is_value(name: str, value: str) -> Any:
        return models.FieldCondition(key=name, match=models.MatchValue(value=value))

    return models.FilterSelector(
        filter=models.Filter(
            must=[is_value(PROJECT_FIELD, export.project)],
            must_not=[is_value(RUN_FIELD, export.run)],
        )
    )
