"""Indexes for tests: on the embedded server and on one behind a URL."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

import pytest
from psycopg import sql

from outcrop.indexing.config import IndexConfig
from outcrop.indexing.index import Index
from outcrop.providers.local_embedder import LocalEmbedder
from outcrop.store.database import Database

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray


class CountingEmbedder(LocalEmbedder):
    """The local embedder, which remembers what it was asked for."""

    def __init__(self, name: str = LocalEmbedder.name) -> None:
        self.name = name
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.texts.extend(texts)
        return super().embed(texts)


@pytest.fixture
def schema(target: str | Path) -> Iterator[str]:
    """Return the name of a schema that is this test's own."""
    name = f"test_{secrets.token_hex(6)}"
    yield name
    with Database.open(target, schema=name) as database, database.write() as connection:
        connection.execute(
            sql.SQL("DROP SCHEMA {} CASCADE").format(sql.Identifier(name))
        )


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return an empty project."""
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def open_index(
    target: str | Path, schema: str, project: Path
) -> Iterator[Callable[..., Index]]:
    """Open the test's index, as often as wanted."""
    opened: list[Index] = []

    def open_one(**given: object) -> Index:
        database = Database.open(target, schema=schema)
        given.setdefault("embedder", CountingEmbedder())
        given.setdefault("config", IndexConfig(workers=1))
        index = Index(database, project, **given)
        opened.append(index)
        return index

    yield open_one
    for index in opened:
        index.close()


@pytest.fixture
def index(open_index: Callable[..., Index]) -> Index:
    """Return an empty index of `project`."""
    return open_index()
