"""`Index`: the one object that people open, fill and search."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Self

from outcrop.errors import InputError
from outcrop.indexing.config import IndexConfig
from outcrop.indexing.documents.embed import embed_missing, identify
from outcrop.indexing.project import (
    find_folder,
    find_project,
    project_folder,
    require_paths,
    resolve_paths,
)
from outcrop.indexing.reader import IndexReader
from outcrop.indexing.status import IndexStatus, describe_mismatch
from outcrop.providers.registry import DEFAULT_EMBEDDER, open_embedder
from outcrop.search.context import Context, pack
from outcrop.search.filters import make_filter
from outcrop.search.question import Mode, make_question
from outcrop.search.related import find_related
from outcrop.search.relations import read_expansion
from outcrop.search.searcher import search
from outcrop.store.database import Database, is_database_url
from outcrop.store.search_source import open_source
from outcrop.store.store import PostgresStore
from outcrop.text.tokens import TokenCounter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from threading import Event
    from types import TracebackType

    from outcrop.codegraph.resolve import ResolutionLevel
    from outcrop.indexing.report import GraphReport, IndexReport, OnProgress
    from outcrop.indexing.run import Runner
    from outcrop.model.hit import Hit
    from outcrop.model.related import Related
    from outcrop.providers.embedder import Embedder
    from outcrop.store.projects.space import Space

EMBEDDER_VARIABLE = "OUTCROP_EMBEDDER"

PathLike = str | os.PathLike[str]

_TOKENS_PER_HIT = 60  # few hits are shorter
_MAX_CONTEXT_HITS = 300


class Index(IndexReader):
    """Documents of one project, kept in PostgreSQL and found again.

    Safe to use from several threads, and by several processes at a time.

    Attributes:
        project: The folder that paths are relative to.
        config: How documents are indexed.
        embedder: What makes embeddings.
        store: The store, for what is not offered here.
    """

    def __init__(
        self,
        database: Database,
        project: Path,
        *,
        embedder: Embedder,
        config: IndexConfig | None = None,
    ) -> None:
        """Use an open database; prefer `open`."""
        self._database = database
        self._open_source = partial(open_source, database)
        self.project = project
        self.config = config or IndexConfig()
        self.embedder = embedder
        super().__init__(PostgresStore(database))
        self._count = TokenCounter(self.config.encoding)

    @classmethod
    def open(
        cls,
        path_or_url: PathLike | None = None,
        *,
        database_url: str | None = None,
        project: str | None = None,
        embedder: Embedder | str | None = None,
        config: IndexConfig | None = None,
        schema: str | None = None,
        create: bool = True,
    ) -> Self:
        """Open a project's index; an empty one is made where there is none.

        Args:
            path_or_url: The project's folder, or the URL of a PostgreSQL database.
                Without a folder it is the one that the database has for a project that
                is named, where that exists, and the current folder otherwise.
            database_url: A database for the project, in place of the embedded one;
                without it the environment variable `OUTCROP_DATABASE_URL` counts.
            project: The project's name in such a database; without it the environment
                variable `OUTCROP_PROJECT` counts, and else the folder decides.
            embedder: An embedder or its name; without one the environment variable
                `OUTCROP_EMBEDDER` counts, and else the local one.
            config: How to index.
            schema: A PostgreSQL schema to use, whichever project it belongs to.
            create: Whether to make an empty index where there is none.

        Raises:
            InputError: There is no such folder.
            ConfigError: A setting is wrong.
            NotFoundError: There is no index, and `create` is false.
            StorageError: The database cannot be reached, started or used.
        """
        text = None if path_or_url is None else os.fspath(path_or_url)
        is_url = text is not None and is_database_url(text)
        folder = None if text is None or is_url else project_folder(text)
        if embedder is None or isinstance(embedder, str):
            name = embedder or os.environ.get(EMBEDDER_VARIABLE) or DEFAULT_EMBEDDER
            embedder = open_embedder(name)
        url = text if is_url else database_url
        here = Path.cwd()
        # A name may be given anywhere in the project, as on the command line.
        start = folder or (find_project(here) if project is not None else here)
        database = Database.open(
            start,
            url=url,
            name=project,
            schema=schema,
            create=create,
        )
        folder = folder or find_folder(database, start)
        return cls(database, folder, embedder=embedder, config=config)

    @property
    def space(self) -> Space:
        """The project's name and schema in the database."""
        return self._database.space

    def close(self) -> None:
        """Close the index; an embedded server stops with its last user."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # Filling

    def index(
        self,
        paths: PathLike | Iterable[PathLike] = ".",
        *,
        dry_run: bool = False,
        on_progress: OnProgress | None = None,
        run_id: int | None = None,
    ) -> IndexReport:
        """Bring the index up to date with files and folders.

        New and changed documents are chunked, embedded and stored; documents below
        `paths` whose file is gone are removed; unchanged ones cost a hash.

        Args:
            paths: Files and folders; relative ones are relative to the project.
            dry_run: Say what would happen and write nothing.
            on_progress: Told after each batch how far it is.
            run_id: A run in the store that stands for this; otherwise one is made
                where there is something to do.

        Raises:
            InputError: There is nothing at a path.
            SchemaVersionError: The index was built with another embedder.
            StorageError: The database refused or failed.
        """
        roots = resolve_paths(paths, self.project)
        return self._runner().run(
            roots, dry_run=dry_run, on_progress=on_progress, run_id=run_id
        )

    def watch(
        self,
        paths: PathLike | Iterable[PathLike] = ".",
        *,
        stop: Event | None = None,
        on_progress: OnProgress | None = None,
    ) -> Iterator[IndexReport]:
        """Index, and index again whenever files change.

        Args:
            paths: As for `index`.
            stop: Ends the watch once it is set.
            on_progress: As for `index`.

        Yields:
            What each run did: the first one always, others where the index or the
            files that cannot be indexed are different.
        """
        from outcrop.indexing.files.watch import watch_changes

        roots = resolve_paths(paths, self.project)
        require_paths(roots)
        runner, problems = self._runner(keeps_graphs=True), None
        for touched in watch_changes(roots, self.project, stop):
            report = runner.run(roots, touched=touched, on_progress=on_progress)
            if report.wrote or report.problems != problems:
                yield report
            problems = report.problems

    def reembed(
        self, *, force: bool = False, on_page: Callable[[int], None] | None = None
    ) -> int:
        """Embed what the configured embedder has not embedded yet.

        Where the index was built with another one, all embeddings are made anew. An
        interrupted run is continued by the next.

        Args:
            force: Make all embeddings anew in any case.
            on_page: Told how many are done after each page.

        Returns:
            How many chunks were embedded.
        """
        identity = identify(self.embedder)
        if force or self.store.embedder() != identity:
            self.store.change_embedder(identity)
        done = embed_missing(self.store, self.embedder, on_page)
        if done:
            self.store.maintain()
        return done

    # Searching

    def search(  # noqa: PLR0913 - one argument a filter
        self,
        query: str,
        limit: int = 10,
        *,
        kind: str | Sequence[str] | None = None,
        path_glob: str | Sequence[str] | None = None,
        depth: int | tuple[int, int] | None = None,
        document: str | Sequence[str] | None = None,
        mode: str = Mode.HYBRID,
        expand: str | Sequence[str] | None = None,
    ) -> list[Hit]:
        """Find the chunks that answer a question best.

        Args:
            query: The question, or words.
            limit: How many hits at most.
            kind: Kinds of chunk (`section`, `text`) or sources (`doc`, `code`).
            path_glob: Patterns, one of which has to match the document's path.
            depth: A level of the hierarchy, or the least and the greatest.
            document: Paths of documents to search in.
            mode: `hybrid`, `vector` or `text`.
            expand: Relations of the code graph to follow from the best hits: `calls`,
                `callers`, `callees`, `parents`, `children`, `types`, `mentions` or
                `all`; several as a list or with commas.

        Returns:
            The hits, best first.

        Raises:
            InputError: The query is blank or an argument is wrong.
            SchemaVersionError: The index was built with another embedder.
        """
        restriction = make_filter(
            kind=kind, path_glob=path_glob, depth=depth, document=document
        )
        question = make_question(
            query, limit=limit, mode=mode, restriction=restriction, expand=expand
        )
        return search(self._open_source, question, self.embedder)

    def context(  # noqa: PLR0913 - as search
        self,
        query: str,
        max_tokens: int = 2000,
        *,
        kind: str | Sequence[str] | None = None,
        path_glob: str | Sequence[str] | None = None,
        depth: int | tuple[int, int] | None = None,
        document: str | Sequence[str] | None = None,
        mode: str = Mode.HYBRID,
        expand: str | Sequence[str] | None = None,
    ) -> Context:
        """Pack the best text for a question into a budget of tokens.

        Args:
            query: The question, or words.
            max_tokens: The most tokens of the whole text.
            kind: As for `search`.
            path_glob: As for `search`.
            depth: As for `search`.
            document: As for `search`.
            mode: As for `search`.
            expand: As for `search`.

        Returns:
            A text; its `pieces` say where each part is from.

        Raises:
            InputError: The query is blank or an argument is wrong.
            SchemaVersionError: The index was built with another embedder.
        """
        if not isinstance(max_tokens, int) or max_tokens < 1:
            raise InputError(f"max_tokens is {max_tokens!r}, but it must be at least 1")
        limit = min(_MAX_CONTEXT_HITS, 10 + max_tokens // _TOKENS_PER_HIT)
        hits = self.search(
            query,
            limit,
            kind=kind,
            path_glob=path_glob,
            depth=depth,
            document=document,
            mode=mode,
            expand=expand,
        )
        return pack(hits, max_tokens=max_tokens, count=self._count)

    def related(
        self,
        symbol_or_chunk: str,
        limit: int = 10,
        *,
        expand: str | Sequence[str] = "all",
    ) -> list[Related]:
        """Return what is related to a symbol or a chunk by the code graph.

        A document is related to the symbols it names, and they to it.

        Args:
            symbol_or_chunk: A qualified name, the end of one, a name, or the id of a
                node or of a chunk.
            limit: How many at most.
            expand: Which relations to follow, as for `search`.

        Returns:
            Chunks with their relation, the strongest first.

        Raises:
            InputError: There is no such relation.
            NotFoundError: There is no such symbol and no such chunk.
        """
        follow = read_expansion(expand)
        return find_related(self._open_source, symbol_or_chunk, follow, max(1, limit))

    # The code graph

    def build_graph(
        self,
        path: PathLike = ".",
        *,
        application: str | None = None,
        level: ResolutionLevel = "flow",
        on_progress: OnProgress | None = None,
    ) -> GraphReport:
        """Build the code graph of a folder into the store, without its documents.

        `index` does so for all code it takes; this is for code that is to be looked
        up but not searched, or planned in another way. Where no file has changed,
        nothing is built.

        Args:
            path: A file or folder; a relative one is relative to the project.
            application: Name of the application; the folder's name by default.
            level: `flow` follows values across calls; `local` stays within each.
            on_progress: Told what is being done.

        Raises:
            InputError: There is nothing at the path.
            StorageError: The database refused or failed.
        """
        from outcrop.indexing.code.graph import build_graph

        root = resolve_paths(path, self.project)[0]
        return build_graph(
            self._runner(),
            root,
            application=application,
            level=level,
            on_progress=on_progress,
        )

    def status(self) -> IndexStatus:
        """Say what the index is and count what is in it."""
        space = self._database.space
        return IndexStatus(
            project=str(self.project),
            name=space.name,
            schema=space.schema,
            root=None if space.root is None else str(space.root),
            notice=describe_mismatch(space, self.project),
            server=self.store.server,
            contents=self.store.status(),
            embedder=self.embedder.name,
        )

    def _runner(self, *, keeps_graphs: bool = False) -> Runner:
        # The chunker and the code graph are not needed to search.
        from outcrop.indexing.run import Runner

        return Runner(
            database=self._database,
            store=self.store,
            embedder=self.embedder,
            project=self.project,
            config=self.config,
            keeps_graphs=keeps_graphs,
        )
