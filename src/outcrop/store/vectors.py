"""Vectors: the embedder of an index, storing embeddings and searching them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from psycopg import sql
from psycopg.types.json import Jsonb

from outcrop.errors import InputError, SchemaVersionError
from outcrop.model.candidate import Match
from outcrop.model.embedder_identity import EmbedderIdentity
from outcrop.store.batch import Ranked, Rows, fetch, fetch_ranked
from outcrop.store.binary import vector_value
from outcrop.store.bulk import lock_documents, staged_rows
from outcrop.store.connected import ConnectedStore
from outcrop.store.filters import CHUNKS_CONDITION
from outcrop.store.packing import pack_vector

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from outcrop.model.candidate import VectorQuery
    from outcrop.store.database import Connection
    from outcrop.store.filters import Resolved

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
# Below this an exact scan is about as fast as the index, and misses nothing.
INDEX_FROM_ROWS = 5_000
# How many neighbours the index keeps in view: more is slower and misses less.
_DEFAULT_MIN_EFFORT = 200
USUAL_EFFORT = 100  # that of most searches in a small index
MAX_EFFORT = 1_000  # the limit of pgvector
# With the same effort, the index misses more the larger it is; see docs/benchmarks.md.
_EFFORT_AT = 30_000
_EFFORT_THERE = 150
_EFFORT_GROWTH = 0.3
EFFORT_BY_SIZE = f"""
SELECT least({MAX_EFFORT}, ceil({_EFFORT_THERE}
    * power(greatest(0, reltuples) / {_EFFORT_AT}, {_EFFORT_GROWTH})))::int AS effort
FROM pg_class WHERE oid = 'chunks'::regclass
"""  # noqa: S608 - constants

_SET_EFFORT = "SELECT set_config('hnsw.ef_search', %(ef)s, true)"
_NEAREST = """
SELECT c.id, 1 - (c.emb <=> %(vector)s::vector) AS score
FROM chunks c
WHERE c.emb IS NOT NULL AND c.indexable AND {condition}
ORDER BY c.emb::halfvec({dimension}) <=> %(vector)s::vector::halfvec({dimension})
LIMIT {limit}
"""
# Materialised first, so that the vector index is not used.
_NEAREST_EXACTLY = """
WITH passing AS MATERIALIZED (
    SELECT c.id, 1 - (c.emb <=> %(vector)s::vector) AS score FROM chunks c
    WHERE c.emb IS NOT NULL AND c.indexable AND {condition}
)
SELECT id, score FROM passing ORDER BY score DESC, id LIMIT {limit}
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


class VectorSearch:
    """A search for the chunks nearest to a vector by cosine."""

    def __init__(
        self, query: VectorQuery, resolved: Resolved, index: VectorIndex
    ) -> None:
        """Choose between the index and an exact scan.

        Args:
            query: The vector, and how many matches are wanted.
            resolved: Which chunks count.
            index: The index of the embeddings.
        """
        self._query = query
        self._resolved = resolved
        self._index = index
        self._uses_index = index.exists and not resolved.leaves_at_most(INDEX_FROM_ROWS)

    def configure(self, connection: Connection) -> None:
        """Set how thoroughly the index is searched, if not as a view starts with."""
        query = self._query
        wanted = max(query.min_effort or _DEFAULT_MIN_EFFORT, 2 * query.limit)
        effort = min(MAX_EFFORT, max(wanted, self._index.effort))
        if self._uses_index and effort != max(USUAL_EFFORT, self._index.effort):
            fetch(connection, _SET_EFFORT, {"ef": str(effort)})

    def scan(self) -> Ranked:
        """Return the query."""
        return self._scan(_NEAREST if self._uses_index else _NEAREST_EXACTLY)

    def result(self, connection: Connection, rows: Rows) -> list[Match]:
        """Return the matches, nearest first.

        Args:
            connection: In the transaction of the query.
            rows: Those of the query.
        """
        # With a filter the index may stop before enough chunks have passed.
        is_cut_short = len(rows) < self._query.limit and self._resolved.restricts
        if self._uses_index and is_cut_short:
            (rows,) = fetch_ranked(connection, [self._scan(_NEAREST_EXACTLY)])
        # The index compares in half precision; the scores are exact.
        rows.sort(key=lambda row: (-row[1], row[0]))
        return [Match(id=chunk_id, score=score) for chunk_id, score in rows]

    def _scan(self, text: str) -> Ranked:
        query, resolved = self._query, self._resolved
        restricts = resolved.restricts
        filled = text.format(
            condition=CHUNKS_CONDITION if restricts else "true",
            dimension=len(query.vector),
            limit=query.limit,
        )
        restriction = resolved.parameters if restricts else {}
        vector = {"vector": vector_value(query.vector)}
        return Ranked(filled, vector | restriction)


class VectorIndex(NamedTuple):
    """The index of the embeddings.

    Attributes:
        exists: Whether there is one; a small store needs none.
        effort: How many neighbours it has to keep in view for its size.
    """

    exists: bool
    effort: int
