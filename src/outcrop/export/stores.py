"""Vector stores: a collection of Qdrant or Chroma, or a table of PostgreSQL.

Each writer creates what does not exist yet, and deletes what earlier exports of the
project wrote and this one did not.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
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


def write_qdrant(export: Export, pages: Iterator[Sequence[EmbeddedChunk]]) -> None:
    """Write a collection of Qdrant, in a folder or on a server."""
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
        _ensure_collection(client, models, export)
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
        client.delete(export.collection, _left_over(models, export))
    finally:
        client.close()


def _ensure_collection(client: Any, models: Any, export: Export) -> None:
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


def write_chroma(export: Export, pages: Iterator[Sequence[EmbeddedChunk]]) -> None:
    """Write a collection of Chroma, in a folder or on a server."""
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
    for page in pages:
        collection.upsert(
            ids=[f"{export.project}:{chunk.id}" for chunk in page],
            embeddings=[chunk.vector for chunk in page],
            documents=[chunk.content for chunk in page],
            metadatas=[_plain(export.metadata(chunk)) for chunk in page],
        )
    is_ours = {PROJECT_FIELD: {"$eq": export.project}}
    is_older = {RUN_FIELD: {"$ne": export.run}}
    collection.delete(where={"$and": [is_ours, is_older]})


def _plain(metadata: dict[str, Any]) -> dict[str, Any]:
    """Return metadata without lists, which not every version of Chroma takes."""
    return {
        name: " > ".join(map(str, value)) if isinstance(value, list) else value
        for name, value in metadata.items()
    }


_CREATE = """
CREATE TABLE IF NOT EXISTS {table} (
    project text NOT NULL,
    id text NOT NULL,
    run text NOT NULL,
    path text NOT NULL,
    content text NOT NULL,
    metadata jsonb NOT NULL,
    embedding vector({dimension}) NOT NULL,
    PRIMARY KEY (project, id)
)
"""
_WRITE = """
INSERT INTO {table} (project, id, run, path, content, metadata, embedding)
VALUES (%s, %s, %s, %s, %s, %s, %s::vector)
ON CONFLICT (project, id) DO UPDATE SET run = excluded.run, path = excluded.path,
    content = excluded.content, metadata = excluded.metadata,
    embedding = excluded.embedding
"""
_DELETE = "DELETE FROM {table} WHERE project = %s AND run <> %s"


def write_pgvector(export: Export, pages: Iterator[Sequence[EmbeddedChunk]]) -> None:
    """Write a table with the extension vector, in one transaction."""
    from psycopg import sql
    from psycopg.types.json import Jsonb

    from outcrop.store.address import Address, is_database_url

    if not is_database_url(export.destination):
        raise InputError(
            "the destination is not a PostgreSQL URL; write it as "
            "postgresql://user:password@host:5432/database"
        )
    address = Address.find(url=export.destination)
    parts: dict[str, Any] = {
        "table": sql.Identifier(export.collection),
        "dimension": sql.Literal(export.dimension),
    }
    with address.explain_failures("the export failed"), address.connect() as connection:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
        connection.execute(sql.SQL(_CREATE).format(**parts))
        statement = sql.SQL(_WRITE).format(**parts)
        with connection.cursor() as cursor:
            for page in pages:
                rows = [
                    (
                        *(export.project, chunk.id, export.run, chunk.path),
                        *(chunk.content, Jsonb(export.metadata(chunk))),
                        str(chunk.vector),
                    )
                    for chunk in page
                ]
                cursor.executemany(statement, rows)
        remove = sql.SQL(_DELETE).format(**parts)
        connection.execute(remove, (export.project, export.run))
