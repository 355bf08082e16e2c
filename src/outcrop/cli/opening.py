"""Options that name an index, and opening it: the same for every command that has one."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from outcrop.errors import NotFoundError

if TYPE_CHECKING:
    from collections.abc import Callable

    from outcrop.indexing.config import IndexConfig
    from outcrop.indexing.index import Index


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Which index the user means.

    Attributes:
        project: The project's folder; found from the current one where None.
        database_url: A database in place of the embedded one.
        embedder: Name of the embedder.
    """

    project: Path | None
    database_url: str | None
    embedder: str | None

    @property
    def folder(self) -> Path:
        """The project's folder."""
        from outcrop.indexing.project import find_project

        return self.project or find_project(Path.cwd())

    def open(self, config: IndexConfig | None = None) -> Index:
        """Open the index; an empty one is made where there is none."""
        from outcrop.indexing.index import Index

        # They tell of every retry; what comes of it is said in the end.
        logging.getLogger("stamina").setLevel(logging.ERROR)
        logging.getLogger("psycopg.pool").setLevel(logging.CRITICAL)
        return Index.open(
            self.folder,
            database_url=self.database_url,
            embedder=self.embedder,
            config=config,
        )

    def open_existing(self) -> Index:
        """Open the index.

        Raises:
            NotFoundError: There is none.
        """
        self.check_exists()
        return self.open()

    def check_exists(self) -> None:
        """Refuse a folder that has no index.

        Raises:
            NotFoundError: There is none.
        """
        from outcrop.store.database import FOLDER

        folder = self.folder
        if self.database_url is None and not (folder / FOLDER).is_dir():
            raise NotFoundError(
                f"there is no index in {folder} or above it; make one with:"
                " outcrop index PATH"
            )


def index_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options that name an index, as one `choice`."""

    @click.option(
        "--project",
        type=click.Path(exists=True, file_okay=False, path_type=Path),
        help="The project's folder, which holds the index.  [default: the nearest one "
        "with an index, or else the current folder]",
    )
    @click.option(
        "--database-url",
        envvar="OUTCROP_DATABASE_URL",
        metavar="URL",
        help="A PostgreSQL server to use in place of the embedded one; also "
        "OUTCROP_DATABASE_URL.",
    )
    @click.option(
        "--embedder",
        envvar="OUTCROP_EMBEDDER",
        metavar="NAME",
        help="What makes embeddings: local, or openai:MODEL; also OUTCROP_EMBEDDER.  "
        "[default: local]",
    )
    @wraps(command)
    def with_choice(
        *,
        project: Path | None,
        database_url: str | None,
        embedder: str | None,
        **others: Any,
    ) -> Any:
        choice = Choice(
            project=project, database_url=database_url or None, embedder=embedder
        )
        return command(choice=choice, **others)

    return with_choice
