"""Options that choose an index, and opening it, for every command that needs one."""

from __future__ import annotations

import logging
import os
import time
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from outcrop.cli.verbosity import silence
from outcrop.errors import ConfigError, NotFoundError
from outcrop.settings import INDEX_FOLDER, find_project

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from outcrop.indexing.config import IndexConfig
    from outcrop.indexing.index import Index
    from outcrop.indexing.sharded import AnyIndex, ShardedIndex
    from outcrop.providers.embedder import Embedder
    from outcrop.store.database import Database

_log = logging.getLogger(__name__)

_RERANK_VARIABLE = "OUTCROP_RERANK"
# They log retries, and that nothing is indexed, which is reported at the end.
_CHATTY = ("psycopg.pool", "outcrop.indexing.searching")


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Which index the user means."""

    project: Path | None  # the project's folder; found from the current folder if None
    database_url: str | None  # a database to use instead of the embedded one
    embedder: str | None  # name of the embedder
    name: str | None = None  # the project's name in a shared database
    reranker: str | None = None  # name of the reranker, if there is one

    @property
    def folder(self) -> Path:
        """The project's folder."""
        return self.project or find_project(Path.cwd())

    @property
    def is_by_name(self) -> bool:
        """Whether the project is chosen by its name alone, not by its folder."""
        return self.name is not None and self.project is None

    @property
    def has_several_databases(self) -> bool:
        """Whether the index is in several databases, whose URLs have spaces between."""
        if self.database_url is None:
            return False
        from outcrop.store.address import split_urls

        return len(split_urls(self.database_url)) > 1

    def find(self, config: IndexConfig) -> Index | None:
        """Open the index if there is one; see `open`."""
        if self.database_url is None:
            from outcrop.store.projects.identity import has_embedded_index

            if not has_embedded_index(self.folder):
                return None
        try:
            return self.open(config, create=False)
        except NotFoundError:
            return None

    def open(
        self,
        config: IndexConfig | None = None,
        *,
        create: bool = True,
        embedder: Embedder | None = None,
    ) -> Index:
        """Open the index, with the embedder if that is open already.

        Raises:
            NotFoundError: There is no index and `create` is false.
        """
        silence(*_CHATTY)
        started = time.monotonic()
        with self._early_server():
            from outcrop.indexing.index import Index

            opened = Index.open(
                None if self.is_by_name else self.folder,
                database_url=self.database_url,
                project=self.name,
                embedder=embedder or self.embedder,
                config=config,
                create=create,
                reranker=self.reranker,
            )
        _log.info(
            "opened the index of %s in %.0f ms, embedder %s",
            opened.project,
            (time.monotonic() - started) * 1000,
            opened.embedder.name,
        )
        return opened

    def _early_server(self) -> AbstractContextManager[None]:
        if self.database_url is not None:
            return nullcontext()
        from outcrop.store.server.early import started_early

        return started_early(self.folder / INDEX_FOLDER)

    def early_database(self) -> AbstractContextManager[None]:
        """Create the embedded database in the background of a block."""
        if self.database_url is not None:
            return nullcontext()
        from outcrop.store.early_database import created_early

        return created_early(self.folder)

    def configured_embedder(self) -> str:
        """Return the embedder of an option, of the settings file, or the default.

        Opening an index without a choice keeps the embedder it was built with instead.
        """
        from outcrop.indexing.config import read_embedder
        from outcrop.providers.registry import DEFAULT_EMBEDDER

        return self.embedder or read_embedder(self.folder) or DEFAULT_EMBEDDER

    def check_reranker(self) -> None:
        """Open the reranker, if one is named, before there is an index.

        Raises:
            ConfigError: It is unknown.
            MissingExtraError: Its library is not installed.
        """
        name = self.reranker or os.environ.get(_RERANK_VARIABLE)
        if name:
            from outcrop.indexing.searching import choose_reranker

            choose_reranker(name, None)

    def open_all(
        self,
        config: IndexConfig | None = None,
        *,
        create: bool = False,
        require_all: bool = True,
    ) -> AnyIndex:
        """Open the index in all its databases; see `open`.

        With `require_all`, a database that cannot be reached is an error.
        """
        if self.has_several_databases:
            return self._open_sharded(config, create=create, require_all=require_all)
        return self.open(config, create=create)

    def _open_sharded(
        self, config: IndexConfig | None, *, create: bool, require_all: bool
    ) -> ShardedIndex:
        from outcrop.indexing.sharded import ShardedIndex
        from outcrop.store.address import split_urls

        silence(*_CHATTY)
        return ShardedIndex.open(
            split_urls(self.database_url),
            None if self.is_by_name else self.folder,
            project=self.name,
            embedder=self.embedder,
            config=config,
            create=create,
            require_all=require_all,
            reranker=self.reranker,
        )

    def open_database(self, *, create: bool, max_connections: int) -> Database:
        """Open only the database of the index, or that of its code; see `open`."""
        from outcrop.store.database import Database

        url = self.database_url
        if self.has_several_databases:
            with self._open_sharded(None, create=create, require_all=True) as opened:
                url = opened.home_url
        return Database.open(
            self.folder,
            url=url,
            name=self.name,
            create=create,
            max_connections=max_connections,
        )

    def folder_in(self, database: Database) -> Path:
        """Return the folder of an open project."""
        from outcrop.indexing.project import find_folder

        return find_folder(database, self.folder) if self.is_by_name else self.folder

    def check_paths(self, folder: Path, paths: Iterable[Path]) -> None:
        """Reject paths outside the folder of a project that was chosen by name alone.

        A name in the environment must not bring the files of one project into another.

        Raises:
            ConfigError: A path lies outside.
        """
        if not self.is_by_name:
            return
        for path in paths:
            if not path.resolve().is_relative_to(folder):
                raise ConfigError(
                    f"{path} is not in {folder}, the folder of project {self.name!r};"
                    " go there, or name another project with --project or"
                    " OUTCROP_PROJECT"
                )


def _read_project(value: str) -> Path | str:
    """Return a word that can be the name of a project as it is, or else a folder."""
    from outcrop.store.projects.identity import is_name

    return value if is_name(value) else _read_folder(value)


def _read_folder(value: str) -> Path:
    folder = click.Path(exists=True, file_okay=False, path_type=Path)
    return Path(folder.convert(value, None, None))


def _choose(
    project: Path | str | None, database_url: str | None, embedder: str | None
) -> Choice:
    """Read a word as a name if the database is shared, and as a folder otherwise."""
    name = None
    if database_url is None:
        project = _read_folder(project) if isinstance(project, str) else project
    elif isinstance(project, str):
        project, name = None, project
    else:
        from outcrop.store.projects.identity import name_from_environment

        name = name_from_environment()
    return Choice(
        project=project, database_url=database_url, embedder=embedder, name=name
    )


json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print every field as JSON."
)
database_url_option = click.option(
    "--database-url",
    envvar="OUTCROP_DATABASE_URL",
    metavar="URL",
    help="A PostgreSQL server to use instead of the embedded one, or several with "
    "spaces between them; also OUTCROP_DATABASE_URL.",
)


def limit_option(default: int, help_text: str) -> Callable[..., Any]:
    """Return the option for the maximum number of results of a command."""
    return click.option(
        "--limit",
        type=click.IntRange(min=1),
        default=default,
        show_default=True,
        metavar="N",
        help=help_text,
    )


require_all_option = click.option(
    "--require-all",
    is_flag=True,
    help="Fail if one of several databases does not answer, instead of returning "
    "partial results.",
)


def index_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that choose an index to a command, as one `choice`."""

    @click.option(
        "--project",
        type=_read_project,
        is_eager=True,  # decides which settings file the defaults come from
        metavar="PROJECT",
        help="The project's folder; with a shared database a word is the project's name "
        "there, also as OUTCROP_PROJECT.  [default: the nearest folder with an index, "
        "or the current one]",
    )
    @database_url_option
    @click.option(
        "--embedder",
        envvar="OUTCROP_EMBEDDER",
        metavar="NAME",
        help="The embedder: local, openai:MODEL, model2vec:MODEL, fastembed:MODEL, "
        "sentence-transformers:MODEL, or wordllama, that of earlier releases; also "
        "OUTCROP_EMBEDDER.  [default: local, or that of an older index]",
    )
    @wraps(command)
    def with_choice(
        *,
        project: Path | str | None,
        database_url: str | None,
        embedder: str | None,
        **others: Any,
    ) -> Any:
        choice = _choose(project, database_url or None, embedder)
        return command(choice=choice, **others)

    return with_choice


def rerank_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the option that chooses a reranker to a command, below `index_options`."""

    @click.option(
        "--rerank",
        envvar=_RERANK_VARIABLE,
        metavar="NAME",
        help="Order the best hits with a model: local, local:code, endpoint:URL#MODEL, "
        "tei:URL or fastembed:MODEL; off for none; also OUTCROP_RERANK.  "
        "[default: local]",
    )
    @wraps(command)
    def with_reranker(*, choice: Choice, rerank: str | None, **others: Any) -> Any:
        return command(choice=replace(choice, reranker=rerank or None), **others)

    return with_reranker
