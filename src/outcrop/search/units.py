"""Sections and documents as hits: found by their chunks, ranked by all they have.

A section is a candidate if some chunk of it is. Its score adds the scores of its best
chunks, its own words and its own vector. If depths are wanted, sections count for the
section around them at that depth. A document is ranked by its best chunks.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from outcrop.model.hit import Hit
from outcrop.model.section import DOCUMENT_ROOT
from outcrop.search.hits import PREAMBLE
from outcrop.search.question import Mode, Unit
from outcrop.search.signals.signal import share_of_best
from outcrop.text.analysis import find_ranges
from outcrop.text.boundaries import cut_to_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from outcrop.model.candidate import DocumentRef, Opening, SectionCandidate
    from outcrop.search.fusion import Ranked
    from outcrop.search.question import Question
    from outcrop.search.source import CandidateSource

# How much the best, the second and the third chunk of a section or a document count.
_CHUNK_SHARES = (1.0, 0.3, 0.1)
_CHUNKS = 1.0
_LEXICAL = 0.5
_VECTOR = 0.1
# Only the best chunks make their sections candidates.
_MAX_CHUNKS = 400


@dataclass(frozen=True, slots=True)
class _RankedSection:
    section: SectionCandidate
    score: float
    parts: Mapping[str, float]
    matches: tuple[str, ...]


def find_units(
    source: CandidateSource,
    question: Question,
    ranked: Sequence[Ranked],
    *,
    vector: NDArray[np.float32] | None,
    count: Callable[[str], int],
) -> list[Hit]:
    """Return the best sections or documents, best first.

    The chunks are ranked, best first; there is no vector in mode `text`.
    """
    if question.unit is Unit.DOCUMENT:
        return _find_documents(source, question, ranked, count)
    sections = _rank_sections(source, question, ranked, vector)
    if question.depths is not None:
        sections = _at_depths(source, sections, question.depths)
    chosen = sections[: question.limit]
    openings = source.section_openings(
        [item.section for item in chosen],
        max_tokens=question.max_hit_tokens,
        whole=question.depths is not None,
    )
    return [
        _section_hit(item, opening, question, count)
        for item, opening in zip(chosen, openings, strict=True)
    ]


def _rank_sections(
    source: CandidateSource,
    question: Question,
    ranked: Sequence[Ranked],
    vector: NDArray[np.float32] | None,
) -> list[_RankedSection]:
    scores = {item.candidate.id: item.score for item in ranked[:_MAX_CHUNKS]}
    known = source.statistics(question.terms)
    weights = {term: known[term].idf * question.terms[term] for term in known}
    sections = [
        section
        for section in source.sections_with(
            list(scores), vector=vector, weights=weights
        )
        if question.restriction is None
        or question.restriction.allows_headings(section.headings)
    ]
    parts = _parts(sections, scores, question.mode)
    items = [
        _RankedSection(
            section,
            sum(values[at] for values in parts.values()),
            {name: values[at] for name, values in parts.items()},
            tuple(sorted(section.chunks, key=lambda chunk: -scores[chunk])),
        )
        for at, section in enumerate(sections)
    ]
    items.sort(key=lambda item: (-item.score, item.section.id))
    return items


def _parts(
    sections: Sequence[SectionCandidate], scores: Mapping[str, float], mode: Mode
) -> dict[str, list[float]]:
    """Return the parts of the score of each section, by name."""
    similarities = [section.similarity or 0.0 for section in sections]
    if mode is Mode.TEXT:
        return {"lexical": [section.lexical for section in sections]}
    if mode is Mode.VECTOR:
        return {"vector": similarities}
    floor = min(similarities, default=0.0) if len(similarities) > 1 else 0.0
    chunks = [_best_of(scores[chunk] for chunk in s.chunks) for s in sections]
    shares = {
        "chunks": (_CHUNKS, chunks),
        "lexical": (_LEXICAL, [section.lexical for section in sections]),
        "vector": (_VECTOR, [value - floor for value in similarities]),
    }
    return {
        name: [weight * value for value in share_of_best(values)]
        for name, (weight, values) in shares.items()
    }


def _best_of(scores: Iterable[float]) -> float:
    best = sorted(scores, reverse=True)
    return sum(share * score for share, score in zip(_CHUNK_SHARES, best, strict=False))


def _at_depths(
    source: CandidateSource, items: Sequence[_RankedSection], depths: tuple[int, int]
) -> list[_RankedSection]:
    """Let each section count for the one around it at one of the depths."""
    known = {item.section.id: item.section for item in items}
    missing = {s.parent_id for s in known.values() if s.parent_id is not None}
    while missing := missing - known.keys():
        above = {
            section.id: section for section in source.sections_by_id(list(missing))
        }
        known |= above
        missing = {s.parent_id for s in above.values() if s.parent_id is not None}
    groups: dict[str, list[_RankedSection]] = defaultdict(list)
    for item in items:
        section = item.section
        while section.depth > depths[1] and section.parent_id is not None:
            section = known[section.parent_id]
        if depths[0] <= section.depth <= depths[1]:
            groups[section.id].append(item)
    found = [
        _RankedSection(
            known[section_id],
            members[0].score,
            members[0].parts,
            tuple(dict.fromkeys(c for item in members for c in item.matches)),
        )
        for section_id, members in groups.items()
    ]
    found.sort(key=lambda item: (-item.score, item.section.id))
    return found


def _section_hit(
    item: _RankedSection,
    opening: Opening,
    question: Question,
    count: Callable[[str], int],
) -> Hit:
    section = item.section
    headings = section.headings
    content, is_cut = _fit(opening, question.max_hit_tokens, count)
    return Hit(
        id=section.id,
        path=section.path,
        content=content,
        start_line=opening.start_line,
        end_line=opening.end_line,
        start_offset=opening.start_offset,
        end_offset=opening.end_offset,
        header_path="/" + "/".join(headings) if headings else PREAMBLE,
        headers=headings,
        breadcrumb=" > ".join([section.path, *headings]),
        score=item.score,
        scores=item.parts,
        highlights=tuple(find_ranges(content, question.terms)),
        kind="section",
        level=section.depth,
        token_count=opening.token_count,
        parts=item.matches,
        summary=section.summary,
        document_summary=section.document_summary,
        unit=Unit.SECTION.value,
        heading=section.heading if section.heading != DOCUMENT_ROOT else None,
        depth=section.depth,
        order=section.order,
        parent_id=section.parent_id,
        matches=item.matches,
        is_cut=is_cut,
    )


def _find_documents(
    source: CandidateSource,
    question: Question,
    ranked: Sequence[Ranked],
    count: Callable[[str], int],
) -> list[Hit]:
    chunks: dict[str, list[Ranked]] = defaultdict(list)
    for item in ranked:
        chunks[item.candidate.document_id].append(item)
    scores = {
        document: _best_of(item.score for item in items)
        for document, items in chunks.items()
    }
    best = sorted(scores, key=lambda document: (-scores[document], document))
    chosen = best[: question.limit]
    documents = {document.id: document for document in source.documents(chosen)}
    openings = source.document_openings(chosen, max_tokens=question.max_hit_tokens)
    return [
        _document_hit(
            documents[document],
            opening,
            scores[document],
            chunks[document],
            question,
            count,
        )
        for document, opening in zip(chosen, openings, strict=True)
    ]


def _document_hit(
    document: DocumentRef,
    opening: Opening,
    score: float,
    matches: Sequence[Ranked],
    question: Question,
    count: Callable[[str], int],
) -> Hit:
    content, is_cut = _fit(opening, question.max_hit_tokens, count)
    ids = tuple(item.candidate.id for item in matches)
    return Hit(
        id=document.id,
        path=document.path,
        content=content,
        start_line=opening.start_line,
        end_line=opening.end_line,
        start_offset=opening.start_offset,
        end_offset=opening.end_offset,
        header_path="/",
        headers=(),
        breadcrumb=document.path,
        score=score,
        scores={"chunks": score},
        highlights=tuple(find_ranges(content, question.terms)),
        kind="document",
        source=document.source,
        level=0,
        token_count=opening.token_count,
        parts=ids,
        document_summary=document.summary,
        unit=Unit.DOCUMENT.value,
        heading=document.title,
        depth=0,
        matches=ids,
        is_cut=is_cut,
    )


def _fit(
    opening: Opening, max_tokens: int, count: Callable[[str], int]
) -> tuple[str, bool]:
    """Return the text of a hit within the budget, and whether its end is missing."""
    if opening.token_count <= max_tokens:
        return opening.text, False
    return cut_to_tokens(opening.text, max_tokens, count)[0], True
