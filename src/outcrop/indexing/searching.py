"""Searches an index."""

from __future__ import annotations

import logging
from contextlib import ExitStack, contextmanager
from copy import copy
from functools import lru_cache
from typing import TYPE_CHECKING, Self

from outcrop.errors import ConfigError, InputError, NotFoundError
from outcrop.indexing.hierarchy import check_limit
from outcrop.indexing.reader import IndexReader, name_similar
from outcrop.providers.embedder import is_local
from outcrop.providers.registry import open_reranker
from outcrop.search.context import Context, pack
from outcrop.search.neighbours import find_related
from outcrop.search.question import (
    DEFAULT_HIT_TOKENS,
    Mode,
    check_count,
    make_filter,
    make_question,
)
from outcrop.search.relations import read_expansion
from outcrop.search.searcher import search
from outcrop.search.source import KeptView
from outcrop.search.spelling import Spelling, check_spelling

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from outcrop.model.hit import Hit, Related
    from outcrop.providers.embedder import Embedder
    from outcrop.providers.reranker import Reranker
    from outcrop.search.question import Kind, ModeName
    from outcrop.search.source import SourceOpener
    from outcrop.text.tokens import TokenCounter

_log = logging.getLogger(__name__)

_TOKENS_PER_HIT = 60  # few hits are shorter
_MAX_CONTEXT_HITS = 300


NO_RERANKER = "off"


def choose_reranker(
    given: Reranker | str | None, default: Reranker | None
) -> Reranker | None:
    """Return a reranker, opened if it is named; the default if none is given.

    Raises:
        ConfigError: The name is unknown, or it is neither a name nor a reranker.
        MissingExtraError: Its library is not installed.
    """
    if given is None:
        return default
    if not isinstance(given, str):
        if not hasattr(given, "score"):
            raise ConfigError(
                f"reranker is {given!r}, but it must be a reranker or the name of one;"
                f" {NO_RERANKER!r} for none"
            )
        return given
    return None if given == NO_RERANKER else _open_reranker(given)


# A model is loaded once, not for every search.
_open_reranker = lru_cache(maxsize=8)(open_reranker)


class SearchableIndex(IndexReader):
    """The searching part of `Index`.

    Attributes:
        embedder: Makes the embeddings.
        reranker: Orders the best hits again, where there is one.
    """

    embedder: Embedder
    reranker: Reranker | None = None
    _open_source: SourceOpener
    _open_first: SourceOpener | None = None  # of `one_view`
    _count: TokenCounter

    def search(  # noqa: PLR0913 - one argument per filter
        self,
        query: str,
        limit: int = 10,
        *,
        kind: Kind | Sequence[Kind] | None = None,
        path_glob: str | Sequence[str] | None = None,
        depth: int | tuple[int, int] | None = None,
        document: str | Sequence[str] | None = None,
        package: str | Sequence[str] | None = None,
        mode: ModeName | Mode = Mode.HYBRID,
        expand: str | Sequence[str] | None = None,
        section: str | Sequence[str] | None = None,
        tag: str | Sequence[str] | None = None,
        lang: str | Sequence[str] | None = None,
        unit: str | None = None,
        max_hit_tokens: int = DEFAULT_HIT_TOKENS,
        group: bool = True,
        rerank: Reranker | str | None = None,
    ) -> list[Hit]:
        """Find the chunks, sections or documents that answer a question best.

        Args:
            query: The question, or words.
            limit: Maximum number of hits.
            kind: Kinds of chunk (`section`, `text`, `snippet`, ...) or sources (`doc`,
                `code`).
            path_glob: Patterns, one of which must match the document's path.
            depth: A level of the hierarchy, or the minimum and the maximum: 0 for
                documents, 1 for sections below an H1 and so on. Hits are then whole
                documents or sections, unless `unit` is `chunk`.
            document: Paths of documents to search in.
            package: Packages, modules or types of code to search in, with everything
                below them: `org.example.orders`.
            mode: `hybrid`, `vector` or `text`.
            expand: Relations of the code graph to follow from the best hits: `calls`,
                `callers`, `callees`, `parents`, `children`, `types`, `mentions` or
                `all`; several as a list or with commas.
            section: Headings, or paths of headings such as `Set it up/Tools`, in any
                case: only text below one of them is searched.
            tag: Tags, one of which must be in the document's front matter.
            lang: Languages of documents and of code: `en`, `ru`, `python`.
            unit: `chunk` (the default), `section` or `document`.
            max_hit_tokens: Maximum tokens of the text of a section or a document.
            group: Whether parts of one place become one hit, and a document takes at
                most three of the first five places; for chunks in mode `hybrid`.
            rerank: A reranker or its name: `local`, `local:code`,
                `endpoint:<url>#<model>`, `tei:<url>`, `fastembed:<model>`, or `off`. By
                default that of the index, which is `local` unless it was opened with
                another. It orders the best hits in mode `hybrid`, `local:code` only code;
                if it fails, their order stays as it is and a warning is logged.

        Returns:
            The hits, best first.

        Raises:
            InputError: The query is blank or an argument is invalid.
            ConfigError: The reranker is unknown.
            SchemaVersionError: The index was built with another embedder.
        """
        restriction = make_filter(
            kind=kind,
            path_glob=path_glob,
            depth=depth,
            document=document,
            package=package,
            section=section,
            tag=tag,
            lang=lang,
        )
        question = make_question(
            query,
            limit=limit,
            mode=mode,
            restriction=restriction,
            expand=expand,
            unit=unit,
            max_hit_tokens=max_hit_tokens,
            group=group,
        )
        hits = search(
            self._open_source,
            question,
            self.embedder,
            count=self._count,
            reranker=choose_reranker(rerank, self.reranker),
        )
        if not hits and self._is_unfilled():
            _log.warning("nothing is found, because the index is empty: call index()")
        return hits

    def _is_unfilled(self) -> bool:
        """Whether nothing has ever been indexed."""
        with self._open_source() as source:
            return source.embedder() is None

    def context(  # noqa: PLR0913 - as search
        self,
        query: str,
        max_tokens: int = 2000,
        *,
        kind: Kind | Sequence[Kind] | None = None,
        path_glob: str | Sequence[str] | None = None,
        depth: int | tuple[int, int] | None = None,
        document: str | Sequence[str] | None = None,
        package: str | Sequence[str] | None = None,
        mode: ModeName | Mode = Mode.HYBRID,
        expand: str | Sequence[str] | None = None,
        section: str | Sequence[str] | None = None,
        tag: str | Sequence[str] | None = None,
        lang: str | Sequence[str] | None = None,
        unit: str | None = None,
        with_summaries: bool = False,
        rerank: Reranker | str | None = None,
    ) -> Context:
        """Pack the best results for a question into a token budget.

        `max_tokens` limits the whole text, and `with_summaries` adds the summaries of
        documents and sections. The other arguments are those of `search`.

        Returns:
            A text; its `pieces` name the source of each part.

        Raises:
            InputError: The query is blank or an argument is invalid.
            SchemaVersionError: The index was built with another embedder.
        """
        check_count("max_tokens", max_tokens)
        limit = min(_MAX_CONTEXT_HITS, 10 + max_tokens // _TOKENS_PER_HIT)
        hits = self.search(
            query,
            limit,
            kind=kind,
            path_glob=path_glob,
            depth=depth,
            document=document,
            package=package,
            mode=mode,
            expand=expand,
            section=section,
            tag=tag,
            lang=lang,
            unit=unit,
            max_hit_tokens=max_tokens,
            group=False,
            rerank=rerank,
        )
        return pack(
            hits,
            max_tokens=max_tokens,
            count=self._count,
            with_summaries=with_summaries,
        )

    @contextmanager
    def one_view(self) -> Iterator[Self]:
        """Yield the index as it is now, to check the spelling of a query and search.

        Both then see the same state, and the database is asked once for what they have
        in common. It is for one thread.
        """
        if not is_local(self.embedder):
            # Nothing is held open while another machine embeds the query.
            yield self
            return
        with ExitStack() as opened:
            kept = KeptView(self._open_source, opened)
            view = copy(self)
            view._open_first, view._open_source = kept.keep, kept.take  # noqa: SLF001 - its own class
            yield view

    def check_spelling(self, query: str) -> Spelling:
        """Correct the words of a question that occur nowhere in the index.

        Returns:
            The question to ask; whether it differs; and other questions that may be
            meant, where the correction is not clear.
        """
        return check_spelling(self._open_first or self._open_source, query)

    def related(
        self,
        symbol_or_chunk: str,
        limit: int = 10,
        *,
        expand: str | Sequence[str] = "all",
    ) -> list[Related]:
        """Return the chunks related to a symbol or a chunk by the code graph.

        A document is related to the symbols it names, and they to it.

        Args:
            symbol_or_chunk: A qualified name, the end of one, a name, or the id of a
                node or of a chunk.
            limit: Maximum number of results.
            expand: Which relations to follow, as for `search`.

        Returns:
            Chunks with their relation, strongest first.

        Raises:
            InputError: The relation is unknown, the symbol is not a str, or the limit is
                not positive.
            NotFoundError: There is no such symbol and no such chunk.
        """
        if not isinstance(symbol_or_chunk, str):
            given = type(symbol_or_chunk).__name__
            raise InputError(
                f"a symbol or the id of a chunk must be a str, not {given};"
                " of a hit, give hit.id"
            )
        check_limit(limit)
        follow = read_expansion(expand)
        try:
            return find_related(self._open_source, symbol_or_chunk, follow, limit)
        except NotFoundError as error:
            similar = name_similar(self.store, symbol_or_chunk)
            raise NotFoundError(f"{error}{similar}") from error
