"""Indexes on the embedded server, and on one behind a URL."""

from integration.indexing.opened import index, open_index, project, schema
from integration.store.servers import embedded_project, server_url, target

__all__ = [
    "embedded_project",
    "index",
    "open_index",
    "project",
    "schema",
    "server_url",
    "target",
]
