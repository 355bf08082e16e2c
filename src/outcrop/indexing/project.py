"""Finds the folder of a project, and manages the projects of a shared database."""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from outcrop.errors import ConfigError, InputError, StorageError
from outcrop.store.address import URL_VARIABLE, Address, find_url
from outcrop.store.projects.identity import check_name, still_holds
from outcrop.store.projects.manage import (
    ProjectInfo,
    describe_projects,
    move_in,
    remove_from,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outcrop.store.database import Connection, Database


def find_folder(database: Database, otherwise: Path) -> Path:
    """Return the folder of an open project for which none was given.

    This is the folder recorded in the database, if it still exists.
    """
    space = database.space
    if space.root is not None and still_holds(space.root, space.id):
        return space.root
    return otherwise.resolve()


def project_folder(path: str | os.PathLike[str]) -> Path:
    """Return the folder of a project, as an absolute path.

    Raises:
        InputError: The folder does not exist.
    """
    text = os.fspath(path)
    # pathlib's method raises for names that no file can have.
    if not os.path.isdir(text):  # noqa: PTH112
        if "://" in str(text):
            raise InputError(
                f"{text!r} is neither a folder nor the URL of a PostgreSQL database,"
                " which starts with postgresql://"
            )
        raise InputError(f"there is no folder at {text!r} to open an index in")
    return Path(text).resolve()


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
    import psycopg  # here, so that `outcrop.store` names the extra that is missing

    address = Address.find(url)
    with address.connect() as connection:
        try:
            yield connection
        except psycopg.Error as error:
            raise StorageError(f"the database failed: {error}".rstrip()) from error
