"""Which files a client may index: those of the project and of folders the user named.

The resolved path decides, so neither `..` nor a link gets out. A file that may hold
secrets is refused even if it is named: only the user at the machine may index it.
"""

from __future__ import annotations

import os
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from outcrop.errors import InputError
from outcrop.indexing.files.discover import discover, is_inside
from outcrop.indexing.files.ignore import named_secret
from outcrop.indexing.paths import resolve_paths

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from outcrop.indexing.config import IndexConfig


class ForbiddenPath(NamedTuple):
    """A path that a client may not index, and why."""

    path: str
    reason: Literal["outside", "secret"]


def find_forbidden(
    paths: Sequence[str], project: Path, config: IndexConfig, roots: Iterable[Path] = ()
) -> ForbiddenPath | None:
    """Return the first path that may not be indexed, or None.

    `roots` are folders outside the project that may be indexed.

    Raises:
        InputError: Not a valid path.
    """
    try:
        return next(_forbidden(paths, project, config, roots), None)
    except (OSError, UnicodeError) as error:  # too long, or not a valid name
        raise InputError(f"invalid path: {error}") from error


def _forbidden(
    paths: Sequence[str], project: Path, config: IndexConfig, roots: Iterable[Path]
) -> Iterator[ForbiddenPath]:
    allowed = [os.path.realpath(root) for root in (project, *roots)]
    for given in paths:
        for path in resolve_paths(given, project):
            if not is_inside(os.path.realpath(path), allowed):
                yield ForbiddenPath(given, "outside")
            elif not config.include_secrets and named_secret(path):
                yield ForbiddenPath(given, "secret")
    # With links, to refuse those that the run would silently skip.
    following = replace(config, follow_links=True)
    found = discover(resolve_paths(paths, project), project, following)
    folder_of = cache(os.path.realpath)
    for name, source in found.files.items():
        folder = folder_of(str(source.file.parent))
        real = os.path.join(folder, source.file.name)  # noqa: PTH118 - for every file
        if os.path.islink(real):  # noqa: PTH114 - as above
            real = os.path.realpath(real)
        if not is_inside(real, allowed):
            yield ForbiddenPath(name, "outside")
