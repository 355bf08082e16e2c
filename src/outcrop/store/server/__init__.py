"""The embedded PostgreSQL server of a project."""

from __future__ import annotations

from outcrop.store.server.embedded import EmbeddedServer

__all__ = ["EmbeddedServer"]
