"""Databases of the tests here, and a small program to plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from integration.planning.shop import Shop
from integration.store.conftest import database, embedded_project, schema, store
from outcrop.model.embedder_identity import EmbedderIdentity
from outcrop.providers.local_embedder import LocalEmbedder

if TYPE_CHECKING:
    from pathlib import Path

    from outcrop.store.store import PostgresStore

__all__ = ["database", "embedded_project", "schema", "store"]


@pytest.fixture
def target(embedded_project: Path) -> Path:
    """Return what to open; planning is the same on every server."""
    return embedded_project


@pytest.fixture
def shop(store: PostgresStore, tmp_path: Path) -> Shop:
    """Return a program whose graph is stored, and an embedder for it."""
    embedder = LocalEmbedder()
    store.change_embedder(
        EmbedderIdentity(name=embedder.name, dimension=embedder.dimension)
    )
    shop = Shop(store, tmp_path)
    shop.read()
    return shop
