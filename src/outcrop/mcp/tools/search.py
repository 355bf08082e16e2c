"""`search` and `context`: places that answer a question, or the best text for it."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, Literal

from mcp_types import CallToolResult
from pydantic import Field

from outcrop.mcp.answers import (
    Answer,
    Languages,
    Packages,
    PathGlobs,
    Place,
    Quotation,
    Tags,
    add_line,
    make_answer,
    make_snippet,
    place_values,
    quote,
)
from outcrop.mcp.source import IndexSource, reject_empty
from outcrop.model.hit import Hit, OtherPart
from outcrop.presentation.reasons import name_unmatched
from outcrop.presentation.text import shorten
from outcrop.search.spelling import Spelling
from outcrop.text.marks import on_one_line

if TYPE_CHECKING:
    from outcrop.indexing.sharded import AnyIndex

_MAX_SNIPPET_CHARS = 280  # characters: about 70 tokens
_MAX_HITS = 50
_MAX_MATCHES = 10
_MAX_SUMMARY_CHARS = 300
_MAX_TOKENS = 32_000
_NO_HITS = "nothing found; ask in other words, or with fewer restrictions"
_NO_CONTEXT = "nothing found; ask in other words, without filters, or with more tokens"


UnitName = Annotated[
    Literal["chunk", "section", "document"] | None,
    Field(description="What to find; chunks by default"),
]
SectionName = Annotated[
    str | None,
    Field(max_length=300, description="Only below this heading, or `Guide/Setup`"),
]


Verbatim = Annotated[bool, Field(description="Do not correct unknown words")]


class SearchHit(Place):
    """A chunk, or a section that stands for its parts."""

    score: float = Field(description="Comparable within one search only")
    unit: str = Field(description="What it is: chunk, section or document")
    depth: int | None = Field(default=None, description="Level of a section's heading")
    summary: str | None = Field(default=None, description="Summary of its section")
    document_summary: str | None = Field(
        default=None, description="Summary of its document"
    )
    matches: list[str] | None = Field(
        default=None, description="Ids of the chunks of a section that matched"
    )
    others: list[str] | None = Field(
        default=None, description="Other parts of the place: lines and id of each"
    )
    tokens: int = Field(description="Tokens of the whole text")
    snippet: str = Field(description="The stretch that matches best")


class SpelledAnswer(Answer):
    """An answer to a question that may have been misspelt."""

    searched_for: str | None = Field(
        default=None, description="The question with its misspelt words corrected"
    )
    did_you_mean: list[str] | None = Field(
        default=None, description="Other questions that may be meant"
    )


class SearchHits(SpelledAnswer):
    """The hits of a search, best first."""

    hits: list[SearchHit]


def bind_search(source: IndexSource) -> Callable[..., CallToolResult]:
    """Make the tool for an index."""

    def search(  # noqa: PLR0913 - one argument per filter
        query: Annotated[str, Field(description="A question, keywords, or a name")],
        limit: Annotated[
            int, Field(ge=1, le=_MAX_HITS, description="Maximum number of hits")
        ] = 8,
        kind: Annotated[
            Literal["doc", "code"] | None,
            Field(description="Search only documents or only code"),
        ] = None,
        path_glob: PathGlobs = None,
        *,
        package: Packages = None,
        unit: UnitName = None,
        section: SectionName = None,
        depth: Annotated[
            int | None,
            Field(ge=0, le=6, description="Find sections of this level; 0: documents"),
        ] = None,
        tag: Tags = None,
        lang: Languages = None,
        verbatim: Verbatim = False,
    ) -> Annotated[CallToolResult, SearchHits]:
        """Find the passages of the indexed documents and code that answer a question.

        Returns places (path, lines, heading) with a snippet each. Read more of one with
        read_chunk, or get the best text directly with context.
        """
        index = source.get()
        filters: Any = {"kind": kind, "path_glob": path_glob, "package": package}
        filters |= {"unit": unit, "section": section, "tag": tag, "lang": lang}
        with index.one_view() as view:
            spelling = _check_spelling(view, query, verbatim=verbatim)
            found = view.search(spelling.query, limit, depth=depth, **filters)
        hits = [_make_hit(hit) for hit in found]
        value = SearchHits(hits=hits, **_spelling_fields(spelling))
        if not found:
            reject_empty(index)
            text = _explain_nothing(index, filters, _NO_HITS)
        else:
            text = _hits_text(hits)
        return make_answer(value, _with_spelling(text, spelling))

    return search


def _explain_nothing(index: "AnyIndex", filters: dict[str, Any], advice: str) -> str:
    """Return why nothing was found, if a filter is the reason, or else some advice."""
    reasons = name_unmatched(index, filters)
    return f"nothing found: {'; '.join(reasons)}" if reasons else advice


def _check_spelling(index: "AnyIndex", query: str, *, verbatim: bool) -> Spelling:
    return Spelling(query=query) if verbatim else index.check_spelling(query)


def _spelling_fields(spelling: Spelling) -> dict[str, Any]:
    return {
        "searched_for": spelling.query if spelling.is_corrected else None,
        "did_you_mean": list(spelling.suggestions) or None,
    }


def _with_spelling(text: str, spelling: Spelling) -> str:
    """Return an answer that says which question it answers, if that is not clear."""
    if spelling.is_corrected:
        text = add_line(text, f"searched for: {on_one_line(spelling.query)}")
    if spelling.suggestions:
        meant = ", or ".join(map(on_one_line, spelling.suggestions))
        text = add_line(text, f"did you mean: {meant}")
    return text


def _make_hit(hit: Hit) -> SearchHit:
    is_chunk = hit.unit == "chunk"
    return SearchHit(
        **place_values(hit),
        score=round(hit.score, 4),
        unit=hit.unit,
        depth=hit.depth,
        summary=_short(hit.summary),
        document_summary=_short(hit.document_summary),
        matches=None if is_chunk else list(hit.matches[:_MAX_MATCHES]),
        others=[_name_other(other, hit.path) for other in hit.others] or None,
        tokens=hit.token_count,
        snippet=make_snippet(*hit.without_prefix(), _MAX_SNIPPET_CHARS),
    )


def _name_other(other: OtherPart, path: str) -> str:
    where = "" if other.path == path else f"{on_one_line(other.path)}:"
    return f"{where}{other.start_line}-{other.end_line} [{other.id}]"


def _short(summary: str | None) -> str | None:
    return None if summary is None else shorten(summary, _MAX_SUMMARY_CHARS)


def _hits_text(hits: list[SearchHit]) -> str:
    quotations = []
    for rank, hit in enumerate(hits, 1):
        # Each note on its own line: a summary is text of the document.
        notes = [f"summary: {on_one_line(hit.summary)}"] if hit.summary else []
        if hit.others:
            notes.append(f"also: {', '.join(hit.others)}")
        label = f"{rank}. {hit.label}  [{hit.id}]"
        quotations.append(Quotation(label, hit.snippet, notes))
    return quote(quotations)


class Source(Place):
    """Where a piece of the text is from."""

    is_cut: bool = Field(description="Whether the end is missing")


class PackedContext(SpelledAnswer):
    """A text for a model, and where its pieces are from."""

    text: str = Field(description="The pieces, each under a line with its place")
    tokens: int = Field(description="Tokens of the text")
    sources: list[Source] = Field(description="In the order of the text")


def bind_context(source: IndexSource) -> Callable[..., CallToolResult]:
    """Make the tool for an index."""

    def context(  # noqa: PLR0913 - as search
        query: Annotated[str, Field(description="A question, keywords, or a name")],
        max_tokens: Annotated[
            int, Field(ge=50, le=_MAX_TOKENS, description="Maximum tokens of text")
        ] = 2000,
        kind: Annotated[
            Literal["doc", "code"] | None,
            Field(description="Use only documents or only code"),
        ] = None,
        path_glob: PathGlobs = None,
        package: Packages = None,
        unit: UnitName = None,
        *,
        section: SectionName = None,
        tag: Tags = None,
        lang: Languages = None,
        with_summaries: Annotated[
            bool, Field(description="Add summaries of documents and sections")
        ] = False,
        verbatim: Verbatim = False,
    ) -> Annotated[CallToolResult, PackedContext]:
        """Get the best text for a question, whole passages, within a token budget.

        Use it to answer a question in one step; use search to look around first.
        """
        index = source.get()
        filters: Any = {"kind": kind, "path_glob": path_glob, "package": package}
        filters |= {"unit": unit, "section": section, "tag": tag, "lang": lang}
        with index.one_view() as view:
            spelling = _check_spelling(view, query, verbatim=verbatim)
            packed = view.context(
                spelling.query, max_tokens, with_summaries=with_summaries, **filters
            )
        text = str(packed)
        if not packed.pieces:
            reject_empty(index)
            text = _explain_nothing(index, filters, _NO_CONTEXT)
        sources = [
            Source(**place_values(piece.hit), is_cut=piece.is_cut)
            for piece in packed.pieces
        ]
        value = PackedContext(
            text=str(packed),
            tokens=packed.token_count,
            sources=sources,
            **_spelling_fields(spelling),
        )
        return make_answer(value, _with_spelling(text, spelling))

    return context
