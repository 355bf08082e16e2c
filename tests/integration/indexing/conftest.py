"""Indexes on the embedded server, and on one behind a URL."""

from integration.indexing.opened import (
    embedded_project,
    index,
    open_index,
    project,
    schema,
    server_url,
    shared_url,
    target,
)

__all__ = [
    "embedded_project",
    "index",
    "open_index",
    "project",
    "schema",
    "server_url",
    "shared_url",
    "target",
]
