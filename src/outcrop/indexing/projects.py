"""The projects of a shared database: listing, removing and moving them."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import psycopg

from outcrop.errors import ConfigError, StorageError
from outcrop.indexing.project import project_folder
from outcrop.store.address import URL_VARIABLE, Address, find_url
from outcrop.store.projects.listing import ProjectInfo, describe_projects
from outcrop.store.projects.manage import move_in, remove_from
from outcrop.store.projects.names import check_name

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from outcrop.store.database import Connection


def list_projects(database_url: str | None = None) -> list[ProjectInfo]:
    """Return the projects of a shared database, by name.

    Indexes that no project owns come last; whoever names one takes it over.

    Args:
        database_url: The database; without it `OUTCROP_DATABASE_URL` counts.

    Raises:
        ConfigError: No database is named.
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
        NotFoundError: There is no such project.
        StorageError: A run or a worker is busy with it, or the database refused.
    """
    check_name(name)
    with _connect(database_url) as connection:
        remove_from(connection, name)


def move_project(
    name: str, folder: str | os.PathLike[str], database_url: str | None = None
) -> None:
    """Make a project of a shared database the index of another folder.

    Nothing is indexed. There is no need for this where a folder was moved: it is
    recognised.

    Args:
        name: The project.
        folder: The folder that is indexed from now on.
        database_url: As for `list_projects`.

    Raises:
        InputError: There is no such folder.
        NotFoundError: There is no such project.
        StorageError: The database refused.
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
