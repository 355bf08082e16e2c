"""Databases of the tests here: embedded, and behind a URL."""

from integration.providers.conftest import server
from integration.store.conftest import (
    database,
    embedded_project,
    schema,
    server_url,
    store,
    target,
)

__all__ = [
    "database",
    "embedded_project",
    "schema",
    "server",
    "server_url",
    "store",
    "target",
]
