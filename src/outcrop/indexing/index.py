"""`Index`: the object to open, fill and search."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Self

from outcrop.errors import ConfigError
from outcrop.indexing.config import IndexConfig, read_config, read_embedder
from outcrop.indexing.documents.embed import reembed
from outcrop.indexing.fresh_index import FreshIndex
from outcrop.indexing.paths import PathLike, resolve_paths
from outcrop.indexing.project import find_folder, project_folder
from outcrop.indexing.reader import IndexStatus, read_status
from outcrop.indexing.searching import choose_reranker
from outcrop.providers.embedder import check_embedder
from outcrop.providers.registry import (
    DEFAULT_SUMMARIZER,
    default_embedder,
    open_embedder,
)
from outcrop.settings import find_project
from outcrop.store.database import Database, is_database_url
from outcrop.store.search_source import open_source
from outcrop.store.store import PostgresStore
from outcrop.text.tokens import TokenCounter

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence
    from threading import Event

    from outcrop.codegraph.resolve import ResolutionLevel
    from outcrop.indexing.cluster.engine import Engine
    from outcrop.indexing.cluster.run import ClusterRun
    from outcrop.indexing.code.build import CodeBuild
    from outcrop.indexing.files.changes import Owns
    from outcrop.indexing.report import GraphReport, IndexReport, OnProgress
    from outcrop.indexing.run import Runner
    from outcrop.providers.embedder import Embedder, OwnEmbedder
    from outcrop.providers.reranker import Reranker
    from outcrop.store.projects.choose import Space

EMBEDDER_VARIABLE = "OUTCROP_EMBEDDER"
RERANK_VARIABLE = "OUTCROP_RERANK"
DEFAULT_RERANKER = "local"


class Index(FreshIndex):
    """The index of one project, stored in PostgreSQL.

    Safe to use from several threads and processes at once.

    Attributes:
        project: The folder that paths are relative to.
        config: The settings.
        embedder: Makes the embeddings.
        reranker: Orders the best hits again, where there is one.
        store: The store, for operations that `Index` does not offer.
        owns: Which files belong into this database, where the index has several.
        outer_run: The run that this index does a part of, if its runs are parts.
    """

    def __init__(
        self,
        database: Database,
        project: Path,
        *,
        embedder: Embedder,
        config: IndexConfig | None = None,
        reranker: Reranker | None = None,
    ) -> None:
        """Create an index on an open database; prefer `open`."""
        self._database = database
        self.owns: Owns | None = None
        self.outer_run: int | None = None
        self._open_source = partial(open_source, database)
        self.project = project
        self.config = config or IndexConfig()
        self.embedder = embedder
        self.reranker = reranker
        super().__init__(PostgresStore(database))
        self._count = TokenCounter(self.config.encoding)

    @classmethod
    def open(  # noqa: PLR0913 - one argument per setting
        cls,
        path_or_url: PathLike | None = None,
        *,
        database_url: str | None = None,
        project: str | None = None,
        embedder: OwnEmbedder | str | None = None,
        config: IndexConfig | None = None,
        schema: str | None = None,
        create: bool = True,
        reranker: Reranker | str | None = None,
    ) -> Self:
        """Open a project's index, creating an empty one if it does not exist.

        Args:
            path_or_url: The project's folder, or the URL of a PostgreSQL database.
                Without a folder, the folder recorded in the database for the named
                project if it exists, else the current folder.
            database_url: A database to use in place of the embedded one; defaults to
                the environment variable `OUTCROP_DATABASE_URL`.
            project: The project's name in such a database; defaults to the environment
                variable `OUTCROP_PROJECT`, and else is found by the folder.
            embedder: An embedder or its name; defaults to the environment variable
                `OUTCROP_EMBEDDER`, then to the project's settings file, and else to
                the local one, or that of earlier releases if the index is built with it.
            config: The settings; defaults to those of the project's settings file.
            schema: A PostgreSQL schema to use, regardless of its project.
            create: Whether to create a missing index.
            reranker: A reranker or its name, as `search` takes it, for all searches;
                defaults to the environment variable `OUTCROP_RERANK`, and else to
                `local`; `off` for none.

        Raises:
            InputError: The folder does not exist.
            ConfigError: A setting is invalid.
            NotFoundError: There is no index, and `create` is false.
            StorageError: The database cannot be reached, started or used.
        """
        if config is not None and not isinstance(config, IndexConfig):
            raise ConfigError(f"config is {config!r}, but it must be an IndexConfig")
        text = None if path_or_url is None else os.fspath(path_or_url)
        is_url = text is not None and is_database_url(text)
        folder = None if text is None or is_url else project_folder(text)
        url = text if is_url else database_url
        here = Path.cwd()
        # A name may be given from any folder of the project, as on the command line.
        start = folder or (find_project(here) if project is not None else here)
        if embedder is None or embedder == "":
            embedder = os.environ.get(EMBEDDER_VARIABLE) or read_embedder(start)
        if isinstance(embedder, str):
            embedder = open_embedder(embedder)
        elif embedder is not None:
            embedder = check_embedder(embedder)
        chosen = choose_reranker(
            reranker or os.environ.get(RERANK_VARIABLE) or DEFAULT_RERANKER, None
        )
        database = Database.open(
            start, url=url, name=project, schema=schema, create=create
        )
        folder = folder or find_folder(database, start)
        if embedder is None:
            bound = PostgresStore(database).embedder()
            embedder = open_embedder(default_embedder(bound.name if bound else None))
        return cls(
            database,
            folder,
            embedder=embedder,
            config=config or read_config(folder),
            reranker=chosen,
        )

    @property
    def parts(self) -> list[Index]:
        """The parts of the index in different databases: itself."""
        return [self]

    @property
    def database(self) -> Database:
        """The open database."""
        return self._database

    @property
    def space(self) -> Space:
        """The project's name and schema in the database."""
        return self._database.space

    def close(self) -> None:
        """Close the index; an embedded server stops with its last user."""
        self._database.close()

    # Filling

    def index(
        self,
        paths: PathLike | Iterable[PathLike] = ".",
        *,
        dry_run: bool = False,
        on_progress: OnProgress | None = None,
        run_id: int | None = None,
        engine: Engine | None = None,
    ) -> IndexReport:
        """Bring the index up to date with files and folders.

        New and changed documents are chunked, embedded and stored; documents below
        `paths` whose file no longer exists are removed; unchanged ones are only hashed.

        Args:
            paths: Files and folders; relative ones are relative to the project.
            dry_run: Return what would be done, without writing.
            on_progress: Called with progress after each batch.
            run_id: An existing run in the store to use; by default one is created if
                there is something to do.
            engine: Reads and writes on a cluster, or in this process by the same
                dataflow; paths may then be globs and URLs of object storage. See
                `outcrop.indexing.cluster`.

        Raises:
            InputError: A path does not exist.
            ConfigError: The engine cannot be used with this database.
            SchemaVersionError: The index was built with another embedder.
            StorageError: The database failed.
        """
        if engine is None:
            runner, roots = self._runner(), resolve_paths(paths, self.project)
        else:
            engine.check_database(self._database.key)
            cluster = engine.start(paths, self.project)
            runner, roots = self._runner(cluster), cluster.sources.roots
        return runner.run(
            roots, dry_run=dry_run, on_progress=on_progress, run_id=run_id
        )

    def update(
        self,
        roots: Sequence[Path],
        touched: Collection[str] | None,
        *,
        on_progress: OnProgress | None = None,
    ) -> IndexReport:
        """Index again after some files changed.

        Args:
            roots: Absolute paths.
            touched: The documents that may have changed; any, if None.
            on_progress: As for `index`.
        """
        return self._runner().run(roots, touched=touched, on_progress=on_progress)

    def reembed(
        self, *, force: bool = False, on_page: Callable[[int], None] | None = None
    ) -> int:
        """Embed what the configured embedder has not embedded yet.

        If the index was built with another one, everything is embedded again. The next
        run continues an interrupted one.

        Args:
            force: Embed everything again in any case.
            on_page: Called with the number of embedded chunks after each page.

        Returns:
            The number of chunks that were embedded.
        """
        return reembed(self.store, self.embedder, force=force, on_page=on_page)

    # The code graph

    def build(  # noqa: PLR0913 - one argument per option
        self,
        paths: PathLike | Iterable[PathLike] | None = None,
        *,
        strategy: str | None = None,
        include_kinds: Iterable[str] | None = None,
        limit: int | None = None,
        batch_size: int | None = None,
        with_edges_relations: bool = True,
        summarizer: str | None = None,
        retry_failed: bool = False,
        dry_run: bool = False,
        wait: bool = True,
        stop: Event | None = None,
        run_id: int | None = None,
    ) -> CodeBuild:
        """Plan the chunks of code as a run, and fill them.

        `index` does this in one step. A build records plans and progress, so that
        other processes can share the work and continue it: with `wait=False` the plans
        are queued for `outcrop worker`.

        Args:
            paths: Files and folders; the whole project if None.
            strategy: `adaptive` or `per-node`; None for that of the index. Later runs
                keep it, unless kinds or the number of nodes were limited.
            include_kinds: Plan only nodes of these kinds, such as `CLASS`.
            limit: Maximum number of nodes to plan.
            batch_size: Nodes to read, and chunks to fill, at a time.
            with_edges_relations: Read the calls between nodes for `relations`.
            summarizer: `extractive`, or `openai:<model>`.
            retry_failed: Also retry the stages that failed in earlier runs.
            dry_run: Return what would be planned, without writing.
            wait: Fill the chunks in this process and return when all are done.
            stop: Ends the wait after the current batch once it is set.
            run_id: An existing run in the store to use.

        Raises:
            InputError: There is no code at the paths.
            ConfigError: A setting is invalid.
            MissingExtraError: The extra `jobs` is not installed.
            StorageError: The database failed.
        """
        from outcrop.indexing.code.build import Builder
        from outcrop.indexing.code.build_options import BuildOptions

        options = BuildOptions(
            strategy=strategy,
            kinds=None if include_kinds is None else tuple(include_kinds),
            limit=limit,
            batch_size=batch_size,
            relations=with_edges_relations,
            summarizer=summarizer or DEFAULT_SUMMARIZER,
            retry_failed=retry_failed,
        )
        config = self._settled_config()
        builder = Builder(self._database, self.embedder, self.project, config)
        roots = resolve_paths("." if paths is None else paths, self.project)
        if dry_run:
            return builder.dry_run(roots, options)
        built = builder.start(roots, options, run_id=run_id)
        return builder.work(built, stop) if wait else built

    def build_graph(
        self,
        path: PathLike = ".",
        *,
        application: str | None = None,
        level: ResolutionLevel = "flow",
        on_progress: OnProgress | None = None,
    ) -> GraphReport:
        """Build and store the code graph of a folder, without its documents.

        `index` does this for all code it indexes; use this for code that is looked up
        but not searched, or planned with another strategy. If no file has changed,
        nothing is built.

        Args:
            path: A file or folder; a relative one is relative to the project.
            application: Name of the application; the folder's name by default.
            level: `flow` follows values across calls; `local` stays within functions.
            on_progress: Called with each step.

        Raises:
            InputError: The path does not exist.
            StorageError: The database failed.
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
        """Describe the index and count its contents."""
        return read_status(self.space, self.store, self.project, self.embedder.name)

    def _runner(self, cluster: ClusterRun | None = None) -> Runner:
        # Searching needs neither the chunker nor the code graph.
        from outcrop.indexing.run import Runner

        return Runner(
            database=self._database,
            store=self.store,
            embedder=self.embedder,
            project=self.project,
            config=self.run_config(),
            owns=self.owns,
            outer_run=self.outer_run,
            cluster=cluster,
        )
