"""Finds the folder of a project and resolves paths in it."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import TYPE_CHECKING

from outcrop.errors import InputError
from outcrop.store.database import FOLDER
from outcrop.store.projects.identity import still_holds

if TYPE_CHECKING:
    from collections.abc import Iterable

    from outcrop.store.database import Database


def find_project(start: Path) -> Path:
    """Return the nearest folder, from `start` upwards, with an index; else `start`."""
    folder = start.resolve()
    for around in (folder, *folder.parents):
        if (around / FOLDER).is_dir():
            return around
    return folder


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
        raise InputError(f"there is no folder at {text!r} to open an index in")
    return Path(text).resolve()


def resolve_paths(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]], project: Path
) -> list[Path]:
    """Return absolute paths; relative ones are relative to the project.

    An absolute path that leads into the project through a link becomes the direct one,
    so that a document has only one path.
    """
    given = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    resolved: dict[Path, None] = {}
    for path in given:
        if "\0" in os.fspath(path):
            raise InputError(
                f"{os.fspath(path)!r} is not a valid path: it contains a NUL"
            )
        # `resolve` would replace a link inside the project by its target.
        absolute = Path(os.path.normpath(project / path))
        _refuse_odd_name(absolute)
        if not absolute.is_relative_to(project):
            real = Path(os.path.realpath(absolute))  # leaves a link to itself as it is
            absolute = real if real.is_relative_to(project) else absolute
        resolved[absolute] = None
    return list(resolved)


def _refuse_odd_name(path: Path) -> None:
    """Reject a path that no file can have."""
    try:
        path.lstat()
    except UnicodeEncodeError as error:
        raise InputError(
            f"{str(path)!r} is not a valid path: it is not valid UTF-8"
        ) from error
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise InputError(
                f"{str(path)!r} cannot be read: file name too long"
            ) from error


def require_paths(paths: Iterable[Path]) -> None:
    """Reject paths that do not exist.

    Raises:
        InputError: A path does not exist or cannot be read.
    """
    for path in paths:
        if not is_there(path):
            raise InputError(f"there is no file or folder at {str(path)!r}")


def is_there(path: Path) -> bool:
    """Whether there is a file or folder at a path.

    Raises:
        InputError: The path cannot be read.
    """
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise InputError(f"{str(path)!r} cannot be read: {reason}") from error
    return True
