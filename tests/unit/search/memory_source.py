"""A `CandidateSource` on lists in memory: exact BM25 and cosine, no server."""

from __future__ import annotations

import re
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from outcrop.errors import InputError
from outcrop.model.candidate import (
    Candidate,
    ChunkRef,
    DocumentRef,
    Leaf,
    LexicalQuery,
    Match,
    Matches,
    NameQuery,
    Neighbour,
    Opening,
    SectionCandidate,
    SectionSpan,
    TermStatistics,
    VectorQuery,
)
from outcrop.model.edge import EdgeKind
from outcrop.model.stored import document_id
from outcrop.store.filters import glob_to_regex
from outcrop.store.lexical.weights import K1, B, pin_of
from outcrop.store.sections import _AVERAGE_TERMS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from outcrop.model.edge import Edge
    from outcrop.model.embedder_identity import EmbedderIdentity
    from outcrop.model.filter import Filter
    from outcrop.model.node import Node
    from outcrop.model.section import IndexedSection
    from outcrop.model.stored import StoredChunk

_TYPES = ("CLASS", "INTERFACE", "ENUM")


@dataclass(frozen=True, kw_only=True)
class MemorySource:
    """Chunks with their terms and embeddings, and a code graph."""

    identity: EmbedderIdentity | None
    chunks: Sequence[StoredChunk]
    summaries: Mapping[str, str | None] = field(default_factory=dict)
    nodes: Sequence[Node] = ()
    edges: Sequence[Edge] = ()
    sections_stored: Sequence[IndexedSection] = ()

    @contextmanager
    def open(self, *, terms: Iterable[str] = ()) -> Iterator[MemorySource]:
        yield self

    def matches(self, *, lexical=(), vector=None, names=None, restriction=None):
        return Matches(
            lexical=[self._lexical_matches(query, restriction) for query in lexical],
            nearest=self._vector_matches(vector, restriction) if vector else [],
            definitions=self._definitions(names, restriction) if names else [],
        )

    def embedder(self):
        return self.identity

    # Words

    def statistics(self, terms):
        total = len(self._indexed)
        return {
            term: TermStatistics(len(weights), max(weights), total)
            for term in terms
            if (
                weights := [
                    self._weight(c, term) for c in self._indexed if term in c.terms
                ]
            )
        }

    def indexed_terms(self, start, *, min_length, max_length):
        return Counter(
            term
            for chunk in self._indexed
            for term in chunk.terms
            if term.startswith(start) and min_length <= len(term) <= max_length
        )

    def _lexical_matches(self, query: LexicalQuery, restriction) -> list[Match]:
        terms = query.terms
        known = self.statistics(terms)
        weights = {term: known[term].idf * terms[term] for term in known}
        found = {
            chunk.id: self._lexical(chunk, weights)
            for chunk in self._passing(restriction)
            if not known.keys().isdisjoint(chunk.terms)
        }
        return _best(found, query.limit)

    def _lexical(self, chunk: StoredChunk, weights: Mapping[str, float]) -> float:
        return sum(w * self._weight(chunk, term) for term, w in weights.items())

    def _weight(self, chunk: StoredChunk, term: str) -> float:
        lengths = [sum(c.terms.values()) for c in self._indexed]
        average = pin_of(sum(lengths) / len(lengths))
        tf = chunk.terms.get(term, 0)
        return tf / (tf + K1 * (1 - B + B * sum(chunk.terms.values()) / average))

    # Vectors

    def _vector_matches(self, query: VectorQuery, restriction) -> list[Match]:
        chunks = [c for c in self._passing(restriction) if c.emb is not None]
        return _best({c.id: _cosine(c, query.vector) for c in chunks}, query.limit)

    # Candidates

    def _definitions(self, query: NameQuery, restriction) -> list[str]:
        kinds = {node.id: node.kind for node in self.nodes if node.name in query.names}
        uses = self.uses(kinds)
        found = sorted(
            (
                kinds[c.node_id] not in _TYPES,
                kinds[c.node_id] != "FUNCTION",
                -uses[c.node_id],
                c.id,
            )
            for c in self._passing(restriction)
            if c.node_id in kinds and not c.metadata.get("part")
        )
        return [chunk_id for *_, chunk_id in found[: query.limit]]

    def candidates(self, ids, *, vector=None, weights=None, terms=()):
        has_scores = vector is not None
        return [
            Candidate(
                id=chunk.id,
                document_id=chunk.document_id,
                parent_id=chunk.parent_id,
                place=chunk.place,
                section_path=tuple(chunk.section_path),
                token_count=chunk.token_count or 0,
                rank_boost=chunk.rank_boost,
                part=chunk.metadata.get("part"),
                parts=chunk.metadata.get("parts"),
                path=chunk.path,
                source=chunk.source,
                node_id=chunk.node_id,
                node_kind=chunk.metadata.get("node_kind"),
                lang=None,  # as in the filter
                lexical=self._lexical(chunk, weights or {}) if has_scores else 0.0,
                similarity=_cosine(chunk, vector) if has_scores else None,
                matched_terms=tuple(t for t in terms if t in chunk.terms),
            )
            for chunk in self._by_id(ids)
        ]

    def sections(self, ids):
        return [
            SectionSpan(
                chunk.id,
                chunk.document_id,
                chunk.place,
                chunk.metadata["last_leaf"],
                chunk.metadata["section_tokens"],
                tuple(chunk.section_path),
            )
            for chunk in self._by_id(ids)
            if chunk.kind == "section" and "last_leaf" in chunk.metadata
        ]

    def _section_summary(self, chunk: StoredChunk) -> str | None:
        # Of sections that end in the same chunk, the last one.
        found = self._sections_of(chunk)[::-1]
        best = min(found, key=lambda each: each.last_chunk, default=None)
        return None if best is None else best.section.summary

    def leaves(self, ranges):
        found = [
            Leaf(chunk, self._section_summary(chunk), self.summaries.get(chunk.path))
            for chunk in self.chunks
            if chunk.is_leaf
            and any(
                chunk.document_id == document and low <= chunk.place <= high
                for document, low, high in ranges
            )
        ]
        return sorted(
            found, key=lambda leaf: (leaf.chunk.document_id, leaf.chunk.place)
        )

    # Sections and documents

    def sections_with(self, chunk_ids, *, vector=None, weights=None):
        found = {
            each.section.id: each
            for chunk in self._by_id(chunk_ids)
            for each in self._sections_of(chunk)
        }
        return [
            replace(
                self._section_candidate(found[key]),
                lexical=_weigh(found[key].terms, weights or {}),
                similarity=self._section_cosine(found[key], vector),
                chunks=tuple(
                    c.id for c in self._chunks_of(found[key]) if c.id in chunk_ids
                ),
            )
            for key in sorted(found)
        ]

    def sections_by_id(self, ids):
        found = [each for each in self.sections_stored if each.section.id in ids]
        found.sort(key=lambda each: each.section.id)
        return [self._section_candidate(each) for each in found]

    def section_openings(self, sections, *, max_tokens, whole):
        return [self._opening(section, whole=whole) for section in sections]

    def documents(self, ids):
        by_id = {chunk.document_id: chunk for chunk in self.chunks}
        return [
            DocumentRef(
                key,
                by_id[key].path,
                None,
                by_id[key].source,
                self.summaries.get(by_id[key].path),
            )
            for key in sorted(ids)
        ]

    def document_openings(self, ids, *, max_tokens):
        return [
            _extent([c for c in self.chunks if c.document_id == key and c.is_leaf])
            for key in ids
        ]

    def _opening(self, section: SectionCandidate, *, whole: bool) -> Opening:
        of_document = [
            each
            for each in self.sections_stored
            if each.section.document_path == section.path
        ]
        chosen = [of_document[section.place]]
        for each in of_document[section.place + 1 :] if whole else ():
            if each.section.depth <= section.depth:
                break
            chosen.append(each)
        first, last = chosen[0].section, chosen[-1].section
        return Opening(
            "".join(each.section.content for each in chosen),
            sum(each.section.token_count for each in chosen),
            first.start_line,
            last.end_line,
            first.start_offset,
            last.end_offset,
        )

    def _section_candidate(self, each: IndexedSection) -> SectionCandidate:
        section = each.section
        beside = [
            other.section.id
            for other in self.sections_stored
            if other.section.document_path == section.document_path
        ]
        return SectionCandidate(
            id=section.id,
            document_id=document_id(section.document_path),
            path=section.document_path,
            headings=each.headings,
            heading=section.heading,
            depth=section.depth,
            order=section.order,
            parent_id=section.parent_id,
            place=beside.index(section.id),
            summary=section.summary,
            document_summary=self.summaries.get(section.document_path),
        )

    def _section_cosine(self, each: IndexedSection, vector) -> float | None:
        embs = [c.emb for c in self._chunks_of(each) if c.emb is not None]
        if vector is None or not embs:
            return None
        mean = np.mean(embs, axis=0)
        return float(mean @ vector / np.linalg.norm(mean) / np.linalg.norm(vector))

    def _sections_of(self, chunk: StoredChunk) -> list[IndexedSection]:
        return [
            each
            for each in self.sections_stored
            if each.section.document_path == chunk.path
            and each.first_chunk <= chunk.place <= each.last_chunk
        ]

    def _chunks_of(self, each: IndexedSection) -> list[StoredChunk]:
        return [
            chunk
            for chunk in self.chunks
            if chunk.is_leaf
            and chunk.path == each.section.document_path
            and each.first_chunk <= chunk.place <= each.last_chunk
        ]

    # The code graph

    def neighbours(self, ends, *, leaving, entering, limit, restriction=None):
        ways = [
            (edge.src, edge.dst, edge, True)
            for edge in self.edges
            if edge.src in ends and edge.kind in leaving and not edge.external
        ] + [
            (edge.dst, edge.src, edge, False)
            for edge in self.edges
            if edge.dst in ends and edge.kind in entering
        ]
        found = [
            Neighbour(here, c.id, edge.kind, is_out, edge.confidence, edge.resolution)
            for here, there, edge, is_out in ways
            for c in self._passing(restriction)
            if there == c.id
            or (
                (there == c.node_id or _shows(c, there, here, edge))
                and not c.metadata.get("part")
            )
        ]
        found.sort(key=lambda n: (-n.confidence, n.chunk_id, n.end, n.kind, n.leaving))
        return found[:limit]

    def chunks_at(self, query, *, limit, restriction=None):
        nearest = {}
        for chunk in self._passing(restriction):
            own, named = f"/{chunk.path}", f"/{query.path}"
            if own.endswith(named) or named.endswith(own):
                has_line = chunk.start_line <= query.line <= chunk.end_line
                key = (not has_line, abs(chunk.start_line - query.line), chunk.id)
                nearest[chunk.path] = min(key, nearest.get(chunk.path, key))
        length = len(query.path) + 1
        best = sorted(nearest, key=lambda path: (abs(len(path) - length), path))
        return sorted(nearest[path][-1] for path in best[:limit])

    def uses(self, node_ids):
        apart = {EdgeKind.CONTAINS, EdgeKind.MENTIONS}
        used = Counter(edge.dst for edge in self.edges if edge.kind not in apart)
        return {node_id: used[node_id] for node_id in node_ids}

    def find_node(self, symbol):
        for of in ("id", "fqn", "name"):
            for node in self.nodes:
                if getattr(node, of) == symbol:
                    return node.id
        return None

    def find_chunk(self, prefix):
        found = [chunk for chunk in self.chunks if chunk.id.startswith(prefix)]
        if len(found) != 1:
            return None
        folded = tuple(each["id"] for each in found[0].metadata.get("folded", ()))
        return ChunkRef(found[0].id, found[0].node_id, folded)

    # Chunks

    @property
    def _indexed(self) -> list[StoredChunk]:
        return [chunk for chunk in self.chunks if chunk.indexable]

    def _by_id(self, ids: Iterable[str]) -> list[StoredChunk]:
        wanted = set(ids)
        found = [chunk for chunk in self.chunks if chunk.id in wanted]
        return sorted(found, key=lambda chunk: chunk.id)

    def _passing(self, restriction: Filter | None) -> list[StoredChunk]:
        if restriction is None:
            return self._indexed
        return [chunk for chunk in self._indexed if _passes(chunk, restriction)]


def _best(scores: Mapping[str, float], limit: int) -> list[Match]:
    ordered = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
    return [Match(id=chunk_id, score=score) for chunk_id, score in ordered[:limit]]


def _weigh(terms: Mapping[str, int], weights: Mapping[str, float]) -> float:
    scale = K1 * (1 - B + B * sum(terms.values()) / _AVERAGE_TERMS)
    return sum(
        weight * terms[term] / (terms[term] + scale)
        for term, weight in weights.items()
        if term in terms
    )


def _extent(leaves: Sequence[StoredChunk]) -> Opening:
    low, high = leaves[0].start_offset or 0, leaves[-1].end_offset or 0
    text = "".join(c.content + c.metadata.get("gap_after", "") for c in leaves)
    return Opening(
        text[: high - low],
        sum(chunk.token_count or 0 for chunk in leaves),
        leaves[0].start_line or 1,
        leaves[-1].end_line or 1,
        low,
        high,
    )


def _cosine(chunk: StoredChunk, vector: np.ndarray) -> float | None:
    if chunk.emb is None:
        return None
    lengths = np.linalg.norm(chunk.emb) * np.linalg.norm(vector)
    return float(chunk.emb @ vector / lengths)


def _passes(chunk: StoredChunk, wanted: Filter) -> bool:
    return (
        _has_path(chunk.path, wanted.path_globs)
        and not (wanted.tags or wanted.langs)  # documents have none here
        and chunk.path in (wanted.documents or [chunk.path])
        and (
            not (wanted.kinds or wanted.sources)
            or chunk.kind in wanted.kinds
            or chunk.source in wanted.sources
            or ("code" in wanted.sources and chunk.node_id is not None)
        )
        and (not wanted.packages or _is_in_package(chunk, wanted.packages))
        and wanted.allows_headings(chunk.section_path)
        and (wanted.min_level is None or chunk.level >= wanted.min_level)
        and (wanted.max_level is None or chunk.level <= wanted.max_level)
    )


def _is_in_package(chunk: StoredChunk, packages: Sequence[str]) -> bool:
    own = ".".join(chunk.section_path) + "."
    return chunk.node_id is not None and own.startswith(
        tuple(f"{package}." for package in packages)
    )


def _has_path(path: str, globs: Sequence[str]) -> bool:
    try:
        patterns = [re.compile(glob_to_regex(glob)) for glob in globs]
    except re.error as error:
        raise InputError(f"path_glob {globs} is not a valid pattern") from error
    return not globs or any(pattern.search(path) for pattern in patterns)


def _shows(chunk, node_id, end, edge):
    """Whether a small definition shares this chunk with others."""
    if edge.kind == EdgeKind.CONTAINS and chunk.node_id == end:
        return False
    return any(each["id"] == node_id for each in chunk.metadata.get("folded", ()))
