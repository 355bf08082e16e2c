"""Lists, removes and moves the projects of a shared database."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import psycopg

from outcrop.errors import ConfigError, StorageError
from outcrop.indexing.project import project_folder
from outcrop.store.address import URL_VARIABLE, Address, find_url
from outcrop.store.projects.identity import check_name
from outcrop.store.projects.manage import (
    ProjectInfo,
    describe_projects,
    move_in,
    remove_from,
)

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from outcrop.store.database import Connection


def list_projects(database_url: str | None = None) -> list[ProjectInfo]:
    """Return the projects of a shared database, by name.

    Indexes without a project come last; the first project that names one owns it.

    Args:
        database_url: The database; defaults to `OUTCROP_DATABASE_URL`.

    Raises:
        ConfigError: No database is given.
        StorageError: It cannot be reached or read.
    """
    with _connect(database_url) as connection:
        return describe_projects(connection)


def remove_project(name: str, database_url: str | None = None) -> None:
    """Delete a project and its whole index from a shared database.

    Args:
        name: The project.
        database_url: As for `list_projects`.

    Raises:
        NotFoundError: The project does not exist.
        StorageError: A run or a worker is using it, or the database failed.
    """
    check_name(name)
    with _connect(database_url) as connection:
        remove_from(connection, name)


def move_project(
    name: str, folder: str | os.PathLike[str], database_url: str | None = None
) -> None:
    """Assign a project of a shared database to another folder.

    Nothing is indexed. A folder that was moved is recognised without this.

    Args:
        name: The project.
        folder: The new folder.
        database_url: As for `list_projects`.

    Raises:
        InputError: The folder does not exist.
        NotFoundError: The project does not exist.
        StorageError: The database failed.
    """
    check_name(name)
    found = project_folder(folder)
    with _connect(database_url) as connection:
        move_in(connection, name, found)


@contextmanager
def _connect(database_url: str | None) -> Iterator[Connection]:
    url = find_url(database_url)
    if url is None:
        raise ConfigError(
            "projects are kept apart in a shared database, and none is named; give"
            f" --database-url, or set {URL_VARIABLE}"
        )
    address = Address.find(url)
    with address.connect() as connection:
        try:
            yield connection
        except psycopg.Error as error:
            raise StorageError(f"the database failed: {error}".rstrip()) from error
