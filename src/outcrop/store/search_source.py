"""The store as search sees it: one read transaction."""

from __future__ import annotations

import json
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from outcrop.model.candidate import (
    Candidate,
    ChunkRef,
    Leaf,
    Matches,
    Neighbour,
    SectionSpan,
    TermStatistics,
)
from outcrop.model.embedder_identity import EmbedderIdentity
from outcrop.model.filter import Filter
from outcrop.store.batch import Statement, array_literal, fetch, fetch_all
from outcrop.store.candidate_rows import (
    read_candidates,
    read_leaves,
    read_section_spans,
)
from outcrop.store.filters import Resolved, resolve
from outcrop.store.graph_rows import (
    definitions,
    in_order,
    read_neighbours,
    read_uses,
)
from outcrop.store.lexical.postings import WordsState
from outcrop.store.lexical.query import (
    MAX_CANDIDATES,
    STATISTICS,
    LexicalSearch,
    WordSearch,
    count_chunks,
    read_statistics,
    read_terms,
    term_statistics,
    weigh_terms,
)
from outcrop.store.lexical.read_postings import STATE
from outcrop.store.lexical.scans import finish_scans, first_scans
from outcrop.store.nodes import match_nodes
from outcrop.store.section_source import (
    read_document_openings,
    read_documents,
    read_section_openings,
    read_sections_by_id,
    read_sections_with,
)
from outcrop.store.sketches.rounded import VectorsState
from outcrop.store.sketches.table import BLOCKS, SketchState
from outcrop.store.vectors import VectorSearch

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from outcrop.model.candidate import (
        DocumentRef,
        LexicalQuery,
        NameQuery,
        Opening,
        SectionCandidate,
        VectorQuery,
    )
    from outcrop.store.database import Connection, Database
    from outcrop.store.lexical.postings import PostingLists
    from outcrop.store.lexical.query import WeighedTerm
    from outcrop.store.lexical.scans import Started
    from outcrop.store.sketches.rounded import RoundedVectors
    from outcrop.store.sketches.view import SketchView

# Plans are kept, as without a filter they do not depend on values.
_KEEP_PLANS = "set_config('plan_cache_mode', 'force_generic_plan', true)"
# For a query with many alternatives the planner would prefer a slower sequential scan.
_BY_INDEX = "set_config('enable_seqscan', 'off', true)"
_SETTINGS = Statement(f"SELECT {_KEEP_PLANS}")
_SETTINGS_WITH_TERMS = Statement(f"SELECT {_KEEP_PLANS}, {_BY_INDEX}")
# What is known of the index: read first in a view.
_STATE = Statement(f"""
SELECT (SELECT value::text FROM index_settings WHERE key = 'embedder') AS embedder,
    blocks.*, words.*
FROM ({BLOCKS}) blocks, ({STATE}) words
""")  # noqa: S608 - constants
_PLAN_BY_VALUES = "SELECT set_config('plan_cache_mode', 'force_custom_plan', true)"
_BY_PREFIX = """
SELECT id, node_id, ARRAY(SELECT jsonb_array_elements(metadata->'folded')->>'id')
FROM chunks WHERE id LIKE %s ORDER BY id LIMIT 2
"""
_DIGITS = re.compile("[0-9a-f]+")


@contextmanager
def open_source(
    database: Database, *, terms: Collection[str] = ()
) -> Iterator[PostgresSource]:
    """Open a view of a database in a transaction that sees one state throughout.

    Args:
        database: The open database.
        terms: Terms whose statistics will be wanted, to be read at once.
    """
    first = [_SETTINGS, _STATE]
    if terms:
        statistics = Statement(STATISTICS, {"terms": array_literal(terms)})
        first = [_SETTINGS_WITH_TERMS, _STATE, statistics]
    with database.view(*first) as (connection, (_, state, *found)):
        known = dict.fromkeys(terms) | term_statistics(*found)
        yield PostgresSource(connection, database, state[0], known)


class PostgresSource:
    """A `CandidateSource` on one read transaction; see there for the methods."""

    def __init__(
        self,
        connection: Connection,
        database: Database,
        state: Sequence[Any],
        known: dict[str, TermStatistics | None],
    ) -> None:
        """Read through a connection.

        Args:
            connection: In a transaction that sees one state throughout.
            database: Keeps what was read before: sketches of embeddings, and words.
            state: What the transaction sees of the index.
            known: The statistics of terms; None for a term that no chunk contains.
        """
        self._connection = connection
        # The transaction sees one state, so each term and each filter is looked up once.
        self._statistics = known
        self._resolved: list[tuple[Filter, Resolved]] = []
        embedder, is_complete, keys, table, batches, average = state
        self._embedder = EmbedderIdentity(**json.loads(embedder)) if embedder else None
        self._database = database
        self._words_state = WordsState(table, batches or "", average)
        self._sketch_state = SketchState.of(is_complete, keys)

    def embedder(self) -> EmbedderIdentity | None:
        """Return the embedder of the index."""
        return self._embedder

    def statistics(self, terms: Iterable[str]) -> dict[str, TermStatistics]:
        """Return the statistics of terms."""
        wanted = list(terms)
        missing = [term for term in wanted if term not in self._statistics]
        if missing:
            self._statistics |= dict.fromkeys(missing)
            self._statistics |= read_statistics(self._connection, missing)
        return {
            term: known
            for term in wanted
            if (known := self._statistics[term]) is not None
        }

    def indexed_terms(
        self, start: str, *, min_length: int, max_length: int
    ) -> Mapping[str, int]:
        """See `CandidateSource.indexed_terms`."""
        return read_terms(self._connection, start, min_length, max_length)

    def matches(
        self,
        *,
        lexical: Sequence[LexicalQuery] = (),
        vector: VectorQuery | None = None,
        names: NameQuery | None = None,
        restriction: Filter | None = None,
    ) -> Matches:
        """Run several searches, without waiting for one before the next."""
        connection, resolved = self._connection, self._resolve(restriction)
        words = [self._weigh(query, resolved) for query in lexical]
        started = [each for each in words if each is not None]
        lists = self._find_lists(started, resolved)
        statements = first_scans(started) if lists is None else []
        scans = len(statements)
        if names is not None and names.names:
            statements.append(definitions(names, resolved))
        near = None
        if vector is not None and vector.limit > 0:
            near = VectorSearch(vector, resolved, *self._read_vectors())
        left: list[Started] = []

        def meanwhile() -> Iterator[Statement]:
            """Compare sketches while the server looks for words, or the reverse."""
            if near is not None:
                yield from near.scans()
            if lists is not None:
                left.extend(each for each in started if not each[0].find_in(lists))

        # Words in memory need no database.
        asks = bool(statements) or near is not None
        rows = fetch_all(connection, statements, meanwhile) if asks else []
        if not asks:
            list(meanwhile())
        nearest = near.result(connection, rows.pop()) if near else []
        if lists is not None:
            rows_left = fetch_all(connection, first_scans(left))
            finish_scans(connection, left, rows_left)
        else:
            finish_scans(connection, started, rows[:scans])
        return Matches(
            lexical=[[] if each is None else each[0].result() for each in words],
            nearest=nearest,
            definitions=[
                chunk_id for found in rows[scans:] for *_, chunk_id in in_order(found)
            ],
        )

    def _find_lists(
        self, started: Sequence[Started], resolved: Resolved
    ) -> PostingLists | None:
        """Return the words in memory, where a search can use them."""
        if not started or resolved.restricts:
            return None
        chunks = started[0][0].chunks
        return self._database.postings.find(self._words_state, chunks)

    def _read_vectors(self) -> tuple[SketchView | None, RoundedVectors | None]:
        """Return the sketches, None if some may be missing, and the vectors in memory."""
        is_complete, keys = self._sketch_state
        if not is_complete or self._embedder is None:
            return None, None
        database, dimension = self._database, self._embedder.dimension
        sketches = database.sketches.view(self._connection, keys, dimension)
        state = VectorsState(keys, dimension)
        return sketches, database.vectors.find(state, len(sketches))

    def _weigh(self, query: LexicalQuery, resolved: Resolved) -> Started | None:
        """Return a search and its scans; None if no chunk can match."""
        terms = weigh_terms(query.terms, self.statistics(query.terms))
        if not terms or query.limit < 1:
            return None
        few = resolved.leaves_at_most(MAX_CANDIDATES)
        scans = LexicalSearch(self._connection, terms, query.limit, resolved)
        search = WordSearch(query, terms, few=few, filtered=resolved.restricts)
        return search, scans

    def candidates(
        self,
        ids: Collection[str],
        *,
        vector: NDArray[np.float32] | None = None,
        weights: Mapping[str, float] | None = None,
        terms: Sequence[str] = (),
    ) -> list[Candidate]:
        """Return chunks as candidates."""
        lists = self._database.postings.peek(self._words_state)
        scored = None
        if lists is not None and vector is not None:
            df = {
                term: each.df for term, each in self.statistics(weights or ()).items()
            }
            scored = lists.score({term: (weights or {})[term] for term in df}, df)
        return read_candidates(
            self._connection,
            ids,
            vector=vector,
            weights=weights,
            terms=terms,
            scored=scored,
        )

    def sections(self, ids: Collection[str]) -> list[SectionSpan]:
        """Return those of the given chunks that are sections with subsections."""
        return read_section_spans(self._connection, ids)

    def leaves(self, ranges: Sequence[tuple[str, int, int]]) -> list[Leaf]:
        """Return leaves with the summaries of their sections."""
        return read_leaves(self._connection, ranges)

    def sections_with(
        self,
        chunk_ids: Collection[str],
        *,
        vector: NDArray[np.float32] | None = None,
        weights: Mapping[str, float] | None = None,
    ) -> list[SectionCandidate]:
        """Return the sections that some chunks have text of."""
        return read_sections_with(
            self._connection, chunk_ids, vector=vector, weights=weights
        )

    def sections_by_id(self, ids: Collection[str]) -> list[SectionCandidate]:
        """Return sections by their ids."""
        return read_sections_by_id(self._connection, ids)

    def section_openings(
        self, sections: Sequence[SectionCandidate], *, max_tokens: int, whole: bool
    ) -> list[Opening]:
        """Return the beginnings of sections."""
        return read_section_openings(
            self._connection, sections, max_tokens=max_tokens, whole=whole
        )

    def documents(self, ids: Collection[str]) -> list[DocumentRef]:
        """Return documents by their ids."""
        return read_documents(self._connection, ids)

    def document_openings(
        self, ids: Sequence[str], *, max_tokens: int
    ) -> list[Opening]:
        """Return the beginnings of documents."""
        return read_document_openings(self._connection, ids, max_tokens=max_tokens)

    def neighbours(
        self,
        ends: Collection[str],
        *,
        leaving: Collection[str],
        entering: Collection[str],
        limit: int,
        restriction: Filter | None = None,
    ) -> list[Neighbour]:
        """Return the chunks one edge away."""
        if not ends or not (leaving or entering):
            return []
        return read_neighbours(
            self._connection,
            ends,
            leaving=leaving,
            entering=entering,
            limit=limit,
            resolved=self._resolve(restriction),
        )

    def uses(self, node_ids: Collection[str]) -> Mapping[str, int]:
        """See `CandidateSource.uses`."""
        return read_uses(self._connection, node_ids)

    def find_node(self, symbol: str) -> str | None:
        """Return the id of the node that a name most likely refers to."""
        nodes = match_nodes(self._connection, symbol, 1)
        return nodes[0].id if nodes else None

    def find_chunk(self, prefix: str) -> ChunkRef | None:
        """Return the only chunk whose id starts with these digits."""
        if not _DIGITS.fullmatch(prefix):
            return None
        rows = self._connection.execute(_BY_PREFIX, (f"{prefix}%",)).fetchall()
        if len(rows) != 1:
            return None
        chunk_id, node_id, folded = rows[0]
        return ChunkRef(chunk_id, node_id, tuple(folded))

    # For an index in several databases, of which this is one

    def count_chunks(self) -> int:
        """Return the number of chunks with indexed words."""
        return count_chunks(self._connection)

    def lexical_search(
        self, terms: Sequence[WeighedTerm], limit: int, restriction: Filter | None
    ) -> tuple[LexicalSearch, Resolved]:
        """Return a search by words with given weights, and the filter it applies."""
        resolved = self._resolve(restriction)
        return LexicalSearch(self._connection, terms, limit, resolved), resolved

    def ranked_definitions(
        self, names: NameQuery, restriction: Filter | None
    ) -> list[tuple[int, str]]:
        """Return chunks that define one of these names: a rank, and the id."""
        if not names.names:
            return []
        query = definitions(names, self._resolve(restriction))
        (rows,) = fetch_all(self._connection, [query])
        return in_order(rows)

    def _resolve(self, restriction: Filter | None) -> Resolved:
        wanted = restriction or Filter()
        for known, resolved in self._resolved:
            if known == wanted:
                return resolved
        if wanted:
            fetch(self._connection, _PLAN_BY_VALUES)
        resolved = resolve(self._connection, wanted)
        if wanted and not resolved.restricts:
            fetch(self._connection, *_SETTINGS)
        self._resolved.append((wanted, resolved))
        return resolved
