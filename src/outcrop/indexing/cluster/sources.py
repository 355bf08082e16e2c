"""What a run on a cluster reads: folders, files, globs and object storage."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from outcrop.errors import InputError
from outcrop.indexing.files.discover import (
    NEVER_ENTERED,
    Discovery,
    SourceFile,
    is_inside,
)
from outcrop.indexing.files.discover import discover as walk
from outcrop.indexing.files.ignore import may_be_secret
from outcrop.indexing.files.kinds import CODE, GENERATED, kind_of, needs_convert
from outcrop.indexing.files.wildmatch import path_regex
from outcrop.indexing.paths import is_remote, is_safe_name, is_there, resolve_paths

if TYPE_CHECKING:
    from collections.abc import Iterable

    from outcrop.indexing.config import IndexConfig

_WILDCARDS = re.compile(r"[*?\[]")


@dataclass(frozen=True)
class Sources:
    """The sources of a run.

    Attributes:
        roots: Files and folders on this file system.
        patterns: Globs on this file system, absolute.
        urls: Objects, folders and globs in object storage.
    """

    roots: list[Path]
    patterns: list[str]
    urls: list[str]

    @classmethod
    def read(
        cls,
        paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
        project: Path,
    ) -> Sources:
        """Sort paths by what they are; relative ones are relative to the project.

        A file whose name has a wildcard in it is that file, not a glob.
        """
        given = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
        texts = [os.fspath(path) for path in given]
        urls = [text for text in texts if is_remote(text)]
        local = resolve_paths((t for t in texts if not is_remote(t)), project)
        patterns = [
            path.as_posix()
            for path in local
            if _WILDCARDS.search(str(path)) and not is_there(path)
        ]
        roots = [path for path in local if path.as_posix() not in patterns]
        return cls(roots, patterns, urls)

    @property
    def named(self) -> list[str]:
        """The sources that are not roots, for the record of the run."""
        return [*self.patterns, *self.urls]

    @property
    def walked(self) -> list[Path]:
        """The files and folders to walk on this file system."""
        bases = [Path(_base(pattern)) for pattern in self.patterns]
        return list(dict.fromkeys([*self.roots, *bases]))

    @property
    def url_folders(self) -> list[str]:
        """The folders in object storage that the sources are, or are in."""
        return [
            _base(url) if _WILDCARDS.search(url) else url.rstrip("/")
            for url in self.urls
        ]

    def covers(self, path: str) -> bool:
        """Return whether a file at an absolute path or URL is one of the sources."""
        return is_inside(path, self._folders) or any(
            expression.fullmatch(path) for expression in self._expressions
        )

    def walk(self, project: Path, config: IndexConfig) -> Discovery:
        """Find the files on this file system."""
        found = walk(self.walked, project, config)
        if self.patterns:
            found.files = {
                path: file
                for path, file in found.files.items()
                if self.covers(file.file.as_posix())
            }
        return found

    @cached_property
    def _folders(self) -> list[str]:
        plain = [url for url in self.urls if not _WILDCARDS.search(url)]
        return [*(root.as_posix() for root in self.roots), *plain]

    @cached_property
    def _expressions(self) -> list[re.Pattern[str]]:
        globs = [url for url in self.urls if _WILDCARDS.search(url)]
        return [_expression(pattern) for pattern in (*self.patterns, *globs)]


def listed_as(url: str) -> list[str]:
    """Return the globs that list an object, everything in a folder, or a glob."""
    if _WILDCARDS.search(url):
        return [url]
    return [url] if url.endswith("/") else [url, f"{url}/**"]


def take_objects(
    found: Discovery, objects: Iterable[tuple[str, int]], config: IndexConfig
) -> None:
    """Add objects that can be indexed to what was found, and count the others."""
    for url, size in objects:
        name = url.rpartition("/")[2]
        kind = kind_of(name)
        reason = _why_not(url, name, size, config)
        if kind is None or reason:
            found.skipped[reason or "other kinds"] += 1
            if reason == "secrets":
                found.secrets.append(url)
            continue
        found.files[url] = SourceFile(
            path=url,
            file=Path(url),
            kind=kind.kind,
            size=size,
            modified_ns=0,
            lang=kind.lang,
            has_grammar=kind.has_grammar,
        )


def _why_not(url: str, name: str, size: int, config: IndexConfig) -> str:
    """Return why an object is skipped; empty if it is not."""
    kind = kind_of(name)
    if kind is None:
        return "other kinds"
    is_ignored = not NEVER_ENTERED.isdisjoint(PurePosixPath(url).parts)
    is_secret = may_be_secret(name) and not config.include_secrets
    reasons = {
        "ignored": is_ignored,
        GENERATED: kind.kind == GENERATED,
        "unsafe names": kind.kind == CODE and not is_safe_name(_key(url)),
        "need outcrop[convert]": needs_convert(kind.kind),
        "secrets": is_secret,
        "too large": size > min(kind.max_bytes or size, config.max_file_bytes),
    }
    return next((reason for reason, holds in reasons.items() if holds), "")


def _key(url: str) -> str:
    """Return the name of an object in its bucket."""
    return url.partition("://")[2].partition("/")[2]


def _base(pattern: str) -> str:
    """Return the folder that a glob on this file system starts from."""
    before = pattern[: _WILDCARDS.search(pattern).start()]  # type: ignore[union-attr]
    return before.rpartition("/")[0] or "/"


def _expression(pattern: str) -> re.Pattern[str]:
    scheme, slashes, rest = pattern.rpartition("://")
    expression = path_regex(rest)
    if expression is None:
        raise InputError(f"{pattern!r} is not a valid glob: a bracket is not closed")
    return re.compile(re.escape(scheme + slashes) + expression, re.DOTALL)
