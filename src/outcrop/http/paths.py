"""Which files may be indexed: those in the project and in the folders named at start.

The resolved path decides, so neither `..` nor a link gets out. A file that may hold
secrets is rejected even if it is named: only the user at the machine may index it.
Documents are never read from files here: their text comes from the index.
"""

from __future__ import annotations

import os
from dataclasses import replace
from functools import cache
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING

from outcrop.errors import InputError
from outcrop.http.problems import ProblemError
from outcrop.indexing.files.discover import discover, is_inside
from outcrop.indexing.files.ignore import named_secret
from outcrop.indexing.project import resolve_paths

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from outcrop.indexing.index import Index


def check_paths(
    paths: Sequence[str], index: Index, roots: Iterable[Path]
) -> list[Path]:
    """Resolve paths, if everything below them may be indexed.

    Args:
        paths: Files and folders; relative ones are relative to the project.
        index: The index they are for.
        roots: Folders outside the project that may be indexed.

    Raises:
        ProblemError: A path, or a link below it, leads elsewhere, or a path is that of
            a file that may hold secrets.
        InputError: Not a valid path.
    """
    allowed = [os.path.realpath(root) for root in (index.project, *roots)]
    try:
        resolved = resolve_paths(paths, index.project)
        for path in resolved:
            if not is_inside(os.path.realpath(path), allowed):
                raise _outside(str(path))
            if not index.config.include_secrets and named_secret(path):
                raise _secret(str(path))
        # With links, to reject those that the run would silently skip.
        config = replace(index.config, follow_links=True)
        found = discover(resolved, index.project, config)
    except (OSError, UnicodeError) as error:  # too long, or not a valid name
        raise InputError(f"invalid path: {error}") from error
    folder_of = cache(os.path.realpath)
    for name, source in found.files.items():
        folder = folder_of(str(source.file.parent))
        real = os.path.join(folder, source.file.name)  # noqa: PTH118 - for every file
        if os.path.islink(real):  # noqa: PTH114 - as above
            real = os.path.realpath(real)
        if not is_inside(real, allowed):
            raise _outside(name)
    return resolved


def _outside(path: str) -> ProblemError:
    return ProblemError(
        HTTPStatus.FORBIDDEN,
        f"{path!r} leads outside the project; start the server with --root to allow "
        "another folder",
    )


def _secret(path: str) -> ProblemError:
    return ProblemError(
        HTTPStatus.FORBIDDEN,
        f"{path!r} may hold secrets, by its name; index it at the machine with:"
        " outcrop index PATH",
    )
