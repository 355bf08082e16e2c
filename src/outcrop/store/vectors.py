"""Vectors: the embedder of an index, storing embeddings and searching them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from psycopg import sql

from outcrop.errors import InputError, SchemaVersionError
from outcrop.model.candidate import Match
from outcrop.model.embedder_identity import EmbedderIdentity
from outcrop.store.batch import Rows, Statement, array_literal, fetch_all, vector_value
from outcrop.store.bulk import lock_documents, staged_rows
from outcrop.store.connected import ConnectedStore
from outcrop.store.filters import CHUNKS_CONDITION
from outcrop.store.packing import pack_vector
from outcrop.store.recorded_settings import read_setting, write_setting
from outcrop.store.sketches.table import forget_sketches, write_sketches

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from outcrop.model.candidate import VectorQuery
    from outcrop.store.database import Connection
    from outcrop.store.filters import Resolved
    from outcrop.store.sketches.rounded import RoundedVectors
    from outcrop.store.sketches.view import SketchView

_MAX_IN_ROW = 1_024  # dimensions

_SETTING = "embedder"
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
RETURNING c.id
"""
# A filter that leaves no more chunks than this is applied first, and all are compared.
_MAX_COMPARED = 5_000
# Of how many chunks that are near by their sketches the vectors are compared; see
# docs/benchmarks.md for what this misses.
_MIN_COMPARED = 200
_COMPARED_PER_MATCH = 5
# With a filter some of them do not pass.
_COMPARED_WITH_FILTER = 4

_COMPARE = """
SELECT c.id, 1 - (c.emb <=> %(vector)s::vector) AS score
FROM chunks c
WHERE c.id = ANY(%(near)s) AND c.emb IS NOT NULL AND c.indexable AND {condition}
ORDER BY score DESC, id LIMIT {limit}
"""
_COMPARE_ALL = """
SELECT c.id, 1 - (c.emb <=> %(vector)s::vector) AS score FROM chunks c
WHERE c.emb IS NOT NULL AND c.indexable AND {condition}
ORDER BY score DESC, id LIMIT {limit}
"""

CHUNKS_PER_PAGE = 500
_PAGE_OF_CHUNKS = """
SELECT c.id, d.path, c.content, c.emb::real[], c.kind, c.source, c.title,
    c.section_path, c.level, c.token_count, c.lang_detected,
    lower(c.span_lines), upper(c.span_lines) - 1,
    lower(c.span_chars), upper(c.span_chars)
FROM chunks c JOIN documents d ON d.id = c.document_id
WHERE c.indexable AND c.id > %(after)s
ORDER BY c.id LIMIT %(limit)s
"""
_FIELDS = (
    *("kind", "source", "title", "headers", "level", "token_count", "language"),
    *("start_line", "end_line", "start_offset", "end_offset"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedChunk:
    """A chunk that search finds, with its embedding.

    Attributes:
        id: Its id in the index.
        path: The document.
        content: The text.
        vector: The embedding, or None before the chunk is embedded.
        fields: Headings, lines, offsets and other metadata.
    """

    id: str
    path: str
    content: str
    vector: list[float] | None
    fields: dict[str, Any]


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
                # Another process may have been faster.
                connection.execute(_LOCK_SETTINGS)
                stored = read_embedder(connection)
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
            updated = connection.execute(_PUT_STAGED, (model,)).fetchall()
            stored = {chunk_id: vectors[chunk_id] for (chunk_id,) in updated}
            write_sketches(connection, stored, gone=stored)
        return len(stored)

    def embedded_chunks(self) -> Iterator[list[EmbeddedChunk]]:
        """Yield pages of chunks with their embeddings, by id."""
        after = ""
        while True:
            rows = self._fetch(
                _PAGE_OF_CHUNKS, {"after": after, "limit": CHUNKS_PER_PAGE}
            )
            if not rows:
                return
            yield [_unpack(row) for row in rows]
            after = rows[-1][0]


def _unpack(row: tuple[Any, ...]) -> EmbeddedChunk:
    key, path, content, vector, *others = row
    fields = dict(zip(_FIELDS, others, strict=True))
    fields["headers"] = list(fields["headers"] or ())
    return EmbeddedChunk(
        id=key, path=path, content=content, vector=vector, fields=fields
    )


def read_embedder(connection: Connection) -> EmbedderIdentity | None:
    """Return the embedder of the index, or None before there is one."""
    setting = read_setting(connection, _SETTING)
    return EmbedderIdentity(**setting) if setting else None


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
    write_setting(connection, _SETTING, setting)
    forget_sketches(connection)


class VectorSearch:
    """A search for the chunks nearest to a vector by cosine."""

    def __init__(
        self,
        query: VectorQuery,
        resolved: Resolved,
        sketches: SketchView | None,
        rounded: RoundedVectors | None = None,
    ) -> None:
        """Search by vector.

        Args:
            query: The vector, and how many matches are wanted.
            resolved: Which chunks count.
            sketches: Those of all embeddings, or None if some may be missing.
            rounded: The embeddings in memory, if they are there.
        """
        self._query = query
        self._resolved = resolved
        self._sketches = sketches
        self._rounded = rounded
        self._near: Sequence[str] | None = None
        self._compared: Sequence[str] = ()

    def scans(self) -> list[Statement]:
        """Return the query, after a look at the sketches."""
        query, rounded = self._query, self._rounded
        near: Sequence[str] | None = self._choose()
        self._near = near
        if near is None:
            return [self._scan(_COMPARE_ALL)]
        if rounded is not None and not self._resolved.restricts:
            near = rounded.narrow(near, query.vector, query.limit)
        self._compared = near
        return [self._scan(_COMPARE, near=array_literal(near))]

    def _choose(self) -> list[str] | None:
        """Return the chunks whose vectors are compared; None for all."""
        query, resolved, sketches = self._query, self._resolved, self._sketches
        if sketches is None or resolved.leaves_at_most(_MAX_COMPARED):
            return None
        number = max(_MIN_COMPARED, _COMPARED_PER_MATCH * query.limit)
        if resolved.restricts:
            number *= _COMPARED_WITH_FILTER
        # The server refuses a vector of another length.
        is_valid = len(query.vector) == sketches.dimension
        if number >= len(sketches) or not is_valid:
            return None
        return sketches.nearest(query.vector, number)

    def result(self, connection: Connection, rows: Rows) -> list[Match]:
        """Return the matches, nearest first.

        Args:
            connection: In the transaction of the query.
            rows: Those of the query.
        """
        near = self._near
        if near is not None and len(rows) < self._query.limit:
            again = None
            if self._resolved.restricts:  # perhaps too few have passed the filter
                again = self._scan(_COMPARE_ALL)
            elif len(self._compared) < len(near):  # some no longer have a vector
                again = self._scan(_COMPARE, near=array_literal(near))
            if again is not None:
                (rows,) = fetch_all(connection, [again])
        rows.sort(key=lambda row: (-row[1], row[0]))
        return [Match(id=chunk_id, score=score) for chunk_id, score in rows]

    def _scan(self, text: str, **values: str) -> Statement:
        query, resolved = self._query, self._resolved
        restricts = resolved.restricts
        filled = text.format(
            condition=CHUNKS_CONDITION if restricts else "true", limit=query.limit
        )
        restriction = resolved.parameters if restricts else {}
        vector = {"vector": vector_value(query.vector)}
        return Statement(filled, vector | values | restriction)
