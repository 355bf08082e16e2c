"""What is asked for, made fit for every part of the search."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from operator import index
from typing import TYPE_CHECKING

from outcrop.errors import InputError
from outcrop.model.filter import Filter
from outcrop.search.asked import is_symbol
from outcrop.search.relations import Follow, read_expansion
from outcrop.text.analysis import count_terms
from outcrop.text.tokens import replace_surrogates

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# Longer texts are no questions; what comes first says what they are about.
_MOST_CHARACTERS = 20_000
_MOST_HITS = 1_000
_DEEPEST = 2**31 - 1  # what the database can compare with
_SOURCES = frozenset(["doc", "code", "sql", "log"])


class Mode(StrEnum):
    """What ranks the chunks."""

    HYBRID = "hybrid"  # words, meaning, headings and documents together
    VECTOR = "vector"  # meaning alone: the cosine of embeddings
    TEXT = "text"  # words alone: BM25


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A question, checked.

    Attributes:
        text: What is embedded.
        terms: How often it says each term; empty where all its words are stop words.
        limit: How many hits at most.
        mode: What ranks.
        restriction: Which chunks count; None for all.
        follow: Which edges of the code graph are followed from the best candidates.
    """

    text: str
    terms: Mapping[str, int]
    limit: int
    mode: Mode = Mode.HYBRID
    restriction: Filter | None = field(default=None)
    follow: Follow = field(default=Follow((), ()))

    @property
    def is_symbol(self) -> bool:
        """Whether it is the name of a symbol and nothing else."""
        return is_symbol(self.text)


def make_query(
    text: str,
    *,
    limit: int,
    mode: str = Mode.HYBRID,
    restriction: Filter | None = None,
    expand: str | Sequence[str] | None = None,
) -> Query:
    """Check a question and analyse its words.

    A NUL, which the database cannot hold, counts as a space; a lone surrogate as
    U+FFFD; of a very long text the beginning counts.

    Raises:
        InputError: The question is blank, the limit is no count, or there is no such
            mode or relation; the message says so.
    """
    if not isinstance(text, str):
        raise InputError(f"a query must be a str, not {type(text).__name__}")
    clean = replace_surrogates(text[:_MOST_CHARACTERS].replace("\0", " ")).strip()
    if not clean:
        raise InputError("the query is empty: say what to look for")
    if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1:
        raise InputError(f"limit is {limit!r}, but it must be at least 1")
    try:
        chosen = Mode(mode)
    except ValueError:
        known = ", ".join(Mode)
        raise InputError(f"mode is {mode!r}, but it must be one of {known}") from None
    follow = read_expansion(expand)
    if follow and chosen is not Mode.HYBRID:
        raise InputError(
            f"mode {chosen} ranks by one thing alone: expand goes with hybrid"
        )
    return Query(
        text=clean,
        terms=count_terms(clean),
        limit=min(limit, _MOST_HITS),
        mode=chosen,
        restriction=restriction or None,
        follow=follow,
    )


def make_filter(
    *,
    kind: str | Sequence[str] | None = None,
    path_glob: str | Sequence[str] | None = None,
    depth: int | tuple[int, int] | None = None,
    document: str | Sequence[str] | None = None,
) -> Filter | None:
    """Make a restriction of what callers give.

    Args:
        kind: Kinds of chunk, or sources: `doc`, `code`.
        path_glob: Patterns, one of which has to match the document's path.
        depth: A level of the hierarchy, or the least and the greatest.
        document: Paths of documents.

    Raises:
        InputError: A depth is no level, a pattern is empty, or a text holds a NUL.
    """
    kinds = _texts("kind", kind)
    least, greatest = _levels(depth)
    return (
        Filter(
            path_globs=[_glob(text) for text in _texts("path_glob", path_glob)],
            documents=[t.removeprefix("./") for t in _texts("document", document)],
            kinds=[name for name in kinds if name not in _SOURCES],
            sources=[name for name in kinds if name in _SOURCES],
            min_level=least,
            max_level=greatest,
        )
        or None
    )


def _glob(text: str) -> str:
    """Return a pattern as paths are written; a folder stands for what is in it."""
    plain = text.removeprefix("./")
    if not plain:
        raise InputError(f"path_glob is {text!r}, which is no pattern")
    return f"{plain}**" if plain.endswith("/") else plain


def _texts(name: str, given: str | Sequence[str] | None) -> list[str]:
    if given is None:
        return []
    texts = [given] if isinstance(given, str) else list(given)
    for text in texts:
        if "\0" in text:
            raise InputError(f"{name} is {text!r}, but a NUL is in no path or kind")
    return [replace_surrogates(text) for text in texts]


def _levels(depth: int | tuple[int, int] | None) -> tuple[int | None, int | None]:
    if depth is None:
        return None, None
    levels = (depth, depth) if isinstance(depth, int) else depth
    try:
        least, greatest = map(index, levels)
    except (TypeError, ValueError):
        raise InputError(f"depth is {depth!r}, but it must be a level or two") from None
    if min(least, greatest) < 0 or max(least, greatest) > _DEEPEST:
        raise InputError(
            f"depth is {depth!r}, but levels are counted from 0 to at most {_DEEPEST}"
        )
    return least, greatest
