"""Resolves paths in the folder of a project, and tells URLs of object storage from them."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import TYPE_CHECKING

from outcrop.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

PathLike = str | os.PathLike[str]

# Documents from object storage have their URL as the path.
_PREFIXES = ("s3://", "gs://", "hf://", "az://")
# Parts of a key that are not the name of a file or folder.
_NOT_NAMES = frozenset({"", ".", ".."})
_MAX_NAME_BYTES = 255


def _listed(paths: Iterable[PathLike]) -> list[PathLike]:
    try:
        given = list(paths)
    except TypeError:
        given = [paths]  # type: ignore[list-item]  # reported below
    for path in given:
        if not isinstance(path, str | os.PathLike):
            raise InputError(
                f"{path!r} is not a path; give a str or a Path, or several"
            )
    return given


def resolve_paths(paths: PathLike | Iterable[PathLike], project: Path) -> list[Path]:
    """Return absolute paths; relative ones are relative to the project.

    An absolute path that leads into the project through a link becomes the direct one,
    so that a document has only one path.
    """
    given = [paths] if isinstance(paths, str | os.PathLike) else _listed(paths)
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


def is_remote(path: str) -> bool:
    """Return whether a path is the URL of an object rather than of a file here."""
    return path.startswith(_PREFIXES)


def is_safe_name(key: str) -> bool:
    """Return whether an object's name, relative to a folder, is a path inside it."""
    names = key.split("/")
    return (
        _NOT_NAMES.isdisjoint(names)
        and "\0" not in key
        and "\\" not in key
        and all(len(n.encode(errors="replace")) <= _MAX_NAME_BYTES for n in names)
    )
