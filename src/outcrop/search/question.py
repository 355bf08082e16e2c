"""The question of a search and its filter, checked and analysed."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from operator import index
from typing import TYPE_CHECKING, Literal, TypeVar, get_args

from outcrop.errors import InputError
from outcrop.model.candidate import LineQuery
from outcrop.model.filter import Filter
from outcrop.search.names import find_names, is_symbol, split_name
from outcrop.search.relations import FOLLOW_NOTHING, Follow, read_expansion
from outcrop.search.report import read_report, weigh_report
from outcrop.search.words import family, other_forms
from outcrop.text.analysis import count_terms
from outcrop.text.tokens import replace_surrogates

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from outcrop.search.names import Name

# Longer texts are not questions; their beginning says what they are about.
_MAX_CHARACTERS = 20_000
_MAX_HITS = 1_000
DEFAULT_HIT_TOKENS = 1_000
# A question with more lines or terms is a report.
_MAX_LINE_BREAKS = 2
_MAX_TERMS = 40
_MAX_PHRASE_TERMS = 5

# How, what, when and why: documentation answers such a question better than code.
_ASKS_FOR_PROSE = re.compile(
    r"(?:how (?:to|do|can|should|would) |what (?:is|are|does|do|happens)\b|when |why )|"
    r".*[?\uff1f]\s*$",
    re.IGNORECASE | re.DOTALL,
)
# A word of the question counts as often as this many of its other forms.
_OWN_FORM_COUNT = 4
# A longer question is clear without other forms of its words.
_MAX_TERMS_WITH_FORMS = 40
# Words by which a question asks for code after all.
_CODE_WORDS = frozenset(map(family, ("function", "method", "class", "implemented")))
# A path alone, or with a line: `app/run.py:12`, `run.py#L12`, `run.py, line 12`.
_LINE = re.compile(
    r"""[`'"]?([^\s:#`'"]{1,300}\.[A-Za-z]\w{0,9})"""
    r"""(?:(?::|\#L|,?[ ]line[ ])(\d{1,9})(?:[:-]L?\d+)?)?[`'"]?[.:,]?"""
)
_MAX_LEVEL = 2**31 - 1  # an integer of the database
_PACKAGE_SEPARATOR = re.compile(r"::|[./\\#]")

# What `mode` and `kind` may be, for type checkers.
ModeName = Literal["hybrid", "vector", "text"]
SourceName = Literal["doc", "code", "sql", "log"]
KindName = Literal["section", "text", "snippet", "explanation", "summary"]
Kind = SourceName | KindName

SOURCES: tuple[str, ...] = get_args(SourceName)
KINDS: tuple[str, ...] = (*SOURCES, *get_args(KindName))


_Choice = TypeVar("_Choice", bound=StrEnum)


class Mode(StrEnum):
    """What ranks the chunks."""

    HYBRID = "hybrid"  # all signals together
    VECTOR = "vector"  # the cosine of embeddings alone
    TEXT = "text"  # BM25 alone


class Unit(StrEnum):
    """What a hit is."""

    CHUNK = "chunk"
    SECTION = "section"
    DOCUMENT = "document"


class QuestionKind(StrEnum):
    """The shape of a question, by which the ranking chooses its weights."""

    NAME = "name"  # the name of a symbol and nothing else
    REPORT = "report"  # a long text: an error with its traceback, code, an issue
    MENTION = "mention"  # a sentence with the name of a symbol
    PHRASE = "phrase"  # a few words
    PROSE = "prose"  # any other


@dataclass(frozen=True, kw_only=True)
class Question:
    """A question with everything that can be read from it without an index.

    Attributes:
        text: The text to embed.
        terms: How often it contains each term, or what each counts in a report; empty if
            it has only stop words.
        limit: Maximum number of hits.
        mode: What ranks the chunks.
        restriction: Which chunks count; None for all.
        follow: Which edges of the code graph to follow from the best candidates.
        unit: What a hit is.
        depths: The lowest and the highest depth of sections; None for all.
        max_hit_tokens: Maximum tokens of the text of a section or a document.
        folds: Whether passages of one place become one hit.
        title: The first line of a report that is ranked by all signals, which says what
            it is about; otherwise empty.
    """

    text: str
    terms: Mapping[str, int]
    limit: int
    mode: Mode = Mode.HYBRID
    restriction: Filter | None = None
    follow: Follow = FOLLOW_NOTHING
    unit: Unit = Unit.CHUNK
    depths: tuple[int, int] | None = None
    max_hit_tokens: int = DEFAULT_HIT_TOKENS
    folds: bool = False
    title: str = ""

    @cached_property
    def is_symbol(self) -> bool:
        """Whether it is the name of a symbol and nothing else."""
        return is_symbol(self.text)

    @cached_property
    def names(self) -> tuple[Name, ...]:
        """The names of symbols in it, each from the outermost part to the innermost."""
        if self.is_symbol:
            return (split_name(self.text.strip()),)
        return tuple(find_names(self.text))

    @cached_property
    def kind(self) -> QuestionKind:
        """The shape of the question."""
        if self.is_symbol:
            return QuestionKind.NAME
        if (
            "```" in self.text
            or self.text.count("\n") > _MAX_LINE_BREAKS
            or len(self.terms) > _MAX_TERMS
        ):
            return QuestionKind.REPORT
        if self.names:
            return QuestionKind.MENTION
        is_short = len(self.terms) <= _MAX_PHRASE_TERMS
        return QuestionKind.PHRASE if is_short else QuestionKind.PROSE

    @cached_property
    def line(self) -> LineQuery | None:
        """The line of a file, if the question is nothing else; the first by default."""
        found = _LINE.fullmatch(self.text.strip())
        if found is None:
            return None
        path = found[1].replace("\\", "/").removeprefix("./").strip("/")
        return LineQuery(path, int(found[2] or 1))

    @cached_property
    def terms_with_forms(self) -> Mapping[str, int]:
        """The terms and, with lower counts, other forms of its words.

        A name means exactly what it says, and a long text is clear without other forms:
        neither has any.
        """
        if self.is_symbol or len(self.terms) > _MAX_TERMS_WITH_FORMS:
            return self.terms
        terms = {term: _OWN_FORM_COUNT * count for term, count in self.terms.items()}
        for term, count in self.terms.items():
            for form in other_forms(term):
                if terms.get(form, 0) < count:
                    terms[form] = count
        return terms

    @cached_property
    def asks_for_prose(self) -> bool:
        """Whether it is a sentence that asks for an explanation, not for code."""
        return _ASKS_FOR_PROSE.match(
            self.text.strip()
        ) is not None and _CODE_WORDS.isdisjoint(map(family, self.terms))


def make_question(  # noqa: PLR0913 - one argument per field
    text: str,
    *,
    limit: int,
    mode: ModeName | Mode = Mode.HYBRID,
    restriction: Filter | None = None,
    expand: str | Sequence[str] | None = None,
    unit: str | None = None,
    max_hit_tokens: int = DEFAULT_HIT_TOKENS,
    group: bool = False,
) -> Question:
    """Check a question and analyse its words.

    A NUL, which the database cannot store, counts as a space; a lone surrogate as
    U+FFFD; of a very long text only the beginning counts. Without a unit, hits are
    chunks; if levels of the hierarchy are wanted, they are sections, and documents at
    level 0.

    Raises:
        InputError: The question is blank, a number is below 1, or the mode, the unit or
            a relation is unknown.
    """
    if not isinstance(text, str):
        raise InputError(f"a query must be a str, not {type(text).__name__}")
    clean = replace_surrogates(text[:_MAX_CHARACTERS].replace("\0", " ")).strip()
    if not clean:
        raise InputError("the query is empty; say what to search for")
    check_count("limit", limit)
    check_count("max_hit_tokens", max_hit_tokens)
    chosen = _choose(Mode, "mode", mode)
    wanted = _default_unit(restriction) if unit is None else _choose(Unit, "unit", unit)
    depths = None
    if wanted is not Unit.CHUNK and restriction is not None:
        depths = restriction.levels
        restriction = replace(restriction, min_level=None, max_level=None)
    follow = read_expansion(expand)
    if follow and chosen is not Mode.HYBRID:
        raise InputError(f"expand requires mode 'hybrid', not {str(chosen)!r}")
    question = Question(
        text=clean,
        terms=count_terms(clean),
        limit=min(limit, _MAX_HITS),
        mode=chosen,
        restriction=restriction or None,
        follow=follow,
        unit=wanted,
        depths=depths,
        max_hit_tokens=max_hit_tokens,
        folds=group and chosen is Mode.HYBRID,
    )
    if chosen is not Mode.HYBRID or question.kind is not QuestionKind.REPORT:
        return question
    report = read_report(clean)
    return replace(question, terms=weigh_report(report), title=report.title)


def check_count(name: str, value: object) -> None:
    """Reject anything but a positive whole number.

    Raises:
        InputError: It is not one.
    """
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise InputError(
            f"{name} is {value!r}, but it must be a whole number of at least 1"
        )


def _choose(choices: type[_Choice], name: str, value: str) -> _Choice:
    try:
        return choices(value)
    except ValueError:
        known = ", ".join(choices)
        raise InputError(f"unknown {name} {value!r}; choose one of: {known}") from None


def _default_unit(restriction: Filter | None) -> Unit:
    if restriction is None or restriction.levels is None:
        return Unit.CHUNK
    if restriction.sources == ["code"]:
        return Unit.CHUNK  # code has levels, but no sections
    return Unit.DOCUMENT if restriction.levels[1] == 0 else Unit.SECTION


def make_filter(  # noqa: PLR0913 - one argument per filter
    *,
    kind: Kind | Sequence[Kind] | None = None,
    path_glob: str | Sequence[str] | None = None,
    depth: int | tuple[int, int] | None = None,
    document: str | Sequence[str] | None = None,
    package: str | Sequence[str] | None = None,
    section: str | Sequence[str] | None = None,
    tag: str | Sequence[str] | None = None,
    lang: str | Sequence[str] | None = None,
) -> Filter | None:
    """Return a filter, or None if nothing is restricted.

    Args:
        kind: Kinds of chunk, or sources: `doc`, `code`.
        path_glob: Patterns, one of which has to match the document's path.
        depth: A level of the hierarchy, or the lowest and the highest.
        document: Paths of documents.
        package: Packages, modules or types of code, with everything below them.
        section: Headings, or paths of them with slashes, of sections.
        tag: Tags, one of which has to be in the document's front matter.
        lang: Languages of documents and of code: `en`, `python`.

    Raises:
        InputError: A kind is unknown, a depth is not a level, a pattern or a package is
            empty, or a text contains a NUL.
    """
    kinds = _texts("kind", kind)
    for name in kinds:
        if name not in KINDS:
            raise InputError(
                f"unknown kind {name!r}; choose one of: {', '.join(KINDS)}"
            )
    min_level, max_level = _levels(depth)
    return (
        Filter(
            path_globs=[_path_glob(text) for text in _texts("path_glob", path_glob)],
            documents=[t.removeprefix("./") for t in _texts("document", document)],
            kinds=[name for name in kinds if name not in SOURCES],
            sources=[name for name in kinds if name in SOURCES],
            packages=[_package(text) for text in _texts("package", package)],
            sections=[_headings(text) for text in _texts("section", section)],
            tags=[text.removeprefix("#") for text in _texts("tag", tag)],
            langs=[text.lower() for text in _texts("lang", lang)],
            min_level=min_level,
            max_level=max_level,
        )
        or None
    )


def _headings(text: str) -> str:
    """Return a path of headings as it is compared."""
    headings = "/".join(part.strip() for part in text.split("/")).strip("/").casefold()
    if not headings:
        raise InputError(f"section {text!r} does not name a heading")
    return headings


def _path_glob(text: str) -> str:
    """Return a pattern for relative paths; a folder matches everything in it."""
    plain = text.removeprefix("./")
    if not plain:
        raise InputError(f"path_glob {text!r} is not a valid pattern")
    return f"{plain}**" if plain.endswith("/") else plain


def _package(text: str) -> str:
    """Return the name of a package with dots, however the language writes it."""
    parts = [part for part in _PACKAGE_SEPARATOR.split(text.strip()) if part]
    if not parts:
        raise InputError(f"package {text!r} is not the name of a package")
    return ".".join(parts)


def _texts(name: str, value: str | Sequence[str] | None) -> list[str]:
    if value is None:
        return []
    try:
        texts = [value] if isinstance(value, str) else list(value)
    except TypeError:
        raise InputError(
            f"{name} is {value!r}, but it must be a str or several"
        ) from None
    for text in texts:
        if not isinstance(text, str):
            raise InputError(f"{name} contains {text!r}, which is not a str")
        if "\0" in text:
            raise InputError(f"{name} is {text!r}, but it must not contain a NUL")
    return [replace_surrogates(text) for text in texts]


def _levels(depth: int | tuple[int, int] | None) -> tuple[int | None, int | None]:
    if depth is None:
        return None, None
    levels = (depth, depth) if isinstance(depth, int) else depth
    try:
        lowest, highest = map(index, levels)
    except (TypeError, ValueError):
        raise InputError(
            f"depth is {depth!r}, but it must be a level, or a pair of levels"
        ) from None
    if min(lowest, highest) < 0 or max(lowest, highest) > _MAX_LEVEL:
        raise InputError(
            f"depth is {depth!r}, but a level must be from 0 to {_MAX_LEVEL}"
        )
    return lowest, highest
