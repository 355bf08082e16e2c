"""The scope of an index: what a run without the user's options has to bring up to date."""

from __future__ import annotations

import os
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from outcrop.indexing.files.discover import document_path, is_inside
from outcrop.indexing.paths import is_remote
from outcrop.store.recorded_settings import StoredScope

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from outcrop.indexing.config import IndexConfig
    from outcrop.store.sharded_store import AnyStore
    from outcrop.store.store import PostgresStore

PROJECT = "."
# The strategy and the summaries of an index are recorded by themselves.
_RECORDED = (
    *("max_tokens", "max_code_tokens", "max_file_bytes", "encoding"),
    *("follow_links", "include_secrets"),
)


def record_scope(
    store: PostgresStore, roots: Sequence[Path], project: Path, config: IndexConfig
) -> None:
    """Record the paths and the settings of a run.

    Paths outside the project are not recorded: only the user's own runs read them.
    """
    known = store.scope()
    paths = [] if known is None else list(known.paths)
    paths += [document_path(root, project) for root in roots]
    settings = {name: getattr(config, name) for name in _RECORDED}
    store.set_scope(StoredScope(paths=_outermost(paths), settings=settings))


def indexed_paths(store: AnyStore) -> list[str]:
    """Return the paths that an index was built from.

    For an index that has not recorded them, these are the folders of its documents:
    the innermost below each top one. For an empty index it is the project, and for one
    of object storage alone there are none.
    """
    scope = store.scope()
    if scope is not None and scope.paths:
        return list(scope.paths)
    below: dict[str, list[str]] = defaultdict(list)
    documents = [document.path for document in store.documents()]
    for path in documents:
        if not path.startswith("/") and not is_remote(path):
            below[path.partition("/")[0]].append(path)
    found = [os.path.commonpath(paths) for paths in below.values()]
    return [] if any(map(is_remote, documents)) and not found else found or [PROJECT]


def with_recorded_settings(config: IndexConfig, store: AnyStore) -> IndexConfig:
    """Return settings with those that the last run recorded."""
    scope = store.scope()
    known = {} if scope is None else scope.settings
    return replace(config, **{name: known[name] for name in _RECORDED if name in known})


def _outermost(paths: list[str]) -> list[str]:
    """Return the paths that are not inside another one, within the project."""
    if PROJECT in paths:
        return [PROJECT]
    inside = sorted({path for path in paths if not path.startswith("/")})
    return [
        path for path in inside if not is_inside(path, [p for p in inside if p != path])
    ]
