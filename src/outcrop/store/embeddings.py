"""Embeddings: the embedder that an index is bound to, and storing vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from psycopg import sql
from psycopg.types.json import Jsonb

from outcrop.errors import InputError, SchemaVersionError
from outcrop.model.embedder_identity import EmbedderIdentity
from outcrop.store.bulk import lock_documents, staged_rows
from outcrop.store.connected import ConnectedStore
from outcrop.store.packing import pack_vector

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from outcrop.store.database import Connection

_MAX_IN_ROW = 1_024  # dimensions

_READ_EMBEDDER = "SELECT value FROM index_settings WHERE key = 'embedder'"
_SET_EMBEDDER = """
INSERT INTO index_settings (key, value) VALUES ('embedder', %s)
ON CONFLICT (key) DO UPDATE SET value = excluded.value
"""
_LOCK_SETTINGS = "LOCK TABLE index_settings IN SHARE ROW EXCLUSIVE MODE"
_FORGET = """
UPDATE chunks SET emb = NULL, embed_model = NULL, embed_ts = NULL
WHERE emb IS NOT NULL
"""
_STAGED = {"id": "text", "search_hash": "text", "emb": "bytea"}
_PUT_STAGED = """
UPDATE chunks c SET emb = s.emb, embed_model = %s, embed_ts = now()
FROM chunks_stage s
WHERE c.id = s.id AND c.search_hash IS NOT DISTINCT FROM s.search_hash
"""


class Embeddings(ConnectedStore):
    """The embeddings of chunks."""

    def embedder(self) -> EmbedderIdentity | None:
        """Return the embedder of the index, or None before there is one."""
        return self._read(read_embedder)

    def use_embedder(self, embedder: EmbedderIdentity) -> None:
        """Bind a new index to an embedder, or check that it is the one of the index.

        Raises:
            SchemaVersionError: The index was built with another one.
        """
        with self._database.write() as connection:
            stored = read_embedder(connection)
            if stored is None:
                connection.execute(_LOCK_SETTINGS)
                stored = read_embedder(
                    connection
                )  # another process may have been faster
            if stored is None:
                _bind(connection, embedder)
            elif stored != embedder:
                raise SchemaVersionError(
                    f"the index was built with embedder {stored}, but {embedder} is "
                    f"configured; use --embedder {stored.name}, or run: outcrop reembed"
                )

    def change_embedder(self, embedder: EmbedderIdentity) -> None:
        """Bind the index to another embedder and delete all embeddings."""
        with self._database.write() as connection:
            connection.execute(_LOCK_SETTINGS)
            connection.execute("LOCK TABLE chunks IN ACCESS EXCLUSIVE MODE")
            connection.execute("DROP INDEX IF EXISTS chunks_emb")
            connection.execute(_FORGET)
            _bind(connection, embedder)

    def put_embeddings(
        self,
        vectors: Mapping[str, NDArray[np.float32]],
        *,
        model: str,
        search_hashes: Mapping[str, str | None],
    ) -> int:
        """Store embeddings of chunks; return the number of chunks that got one.

        Args:
            vectors: The embeddings, by the chunks' ids.
            model: The embedder's name.
            search_hashes: Hashes of the texts that were embedded: a chunk whose text
                has changed since is skipped.
        """
        rows = (
            (chunk_id, search_hashes[chunk_id], pack_vector(vector))
            for chunk_id, vector in vectors.items()
        )
        with (
            self._database.write() as connection,
            staged_rows(connection, "chunks", _STAGED, rows),
        ):
            lock_documents(connection, of_chunks=vectors)
            return connection.execute(_PUT_STAGED, (model,)).rowcount


def read_embedder(connection: Connection) -> EmbedderIdentity | None:
    """Return the embedder of the index, or None before there is one."""
    row = connection.execute(_READ_EMBEDDER).fetchone()
    return EmbedderIdentity(**row[0]) if row else None


def _bind(connection: Connection, embedder: EmbedderIdentity) -> None:
    if embedder.dimension < 1:
        raise InputError(f"an embedding cannot have {embedder.dimension} dimensions")
    connection.execute(
        sql.SQL("ALTER TABLE chunks ALTER COLUMN emb TYPE vector({})").format(
            sql.Literal(embedder.dimension)
        )
    )
    # Changing the type has reset this. A scan reads vectors fastest from the row itself,
    # where only short ones fit.
    storage = "PLAIN" if embedder.dimension <= _MAX_IN_ROW else "EXTERNAL"
    connection.execute(
        sql.SQL("ALTER TABLE chunks ALTER COLUMN emb SET STORAGE {}").format(
            sql.SQL(storage)
        )
    )
    setting = {"name": embedder.name, "dimension": embedder.dimension}
    connection.execute(_SET_EMBEDDER, (Jsonb(setting),))
