"""A folder that the server's user can reach, whoever runs the tests."""

from __future__ import annotations

import os
import secrets
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from psycopg import sql

from integration.store.created import give_database
from integration.store.processes import wait_until_stopped
from integration.store.servers import embedded_project, server_url, shared_url, target
from outcrop.model.embedder_identity import EmbedderIdentity
from outcrop.store.database import Database
from outcrop.store.store import PostgresStore

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["embedded_project", "server_url", "shared_url", "target"]


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """Return a folder open to other users, unlike pytest's own."""
    folder = Path(tempfile.mkdtemp(prefix="outcrop-test-"))
    folder.chmod(0o755)
    yield folder
    for home in folder.rglob("server.lock"):
        assert wait_until_stopped(home.parent), f"a server is left in {home.parent}"
    shutil.rmtree(folder)


@pytest.fixture
def new_project(open_folder: Path) -> Path:
    """Return an empty project, whose database is still to be created."""
    folder = open_folder / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def project(new_project: Path) -> Path:
    """Return a project with an empty database that does not run."""
    give_database(new_project)
    return new_project


@pytest.fixture
def state_folder(open_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the state folder that this test's processes use."""
    folder = open_folder / "state"
    monkeypatch.setenv("OUTCROP_STATE_DIR", str(folder))
    return folder


@pytest.fixture
def as_root() -> None:
    if os.geteuid() != 0:
        pytest.skip("only root runs its server as another user")


@pytest.fixture
def schema() -> str:
    """Return the name of a schema that is this test's own."""
    return f"test_{secrets.token_hex(6)}"


@pytest.fixture
def database(target: str | Path, schema: str) -> Iterator[Database]:
    """Return an empty, migrated database."""
    with Database.open(target, schema=schema) as opened:
        yield opened
        with opened.write() as connection:
            connection.execute(
                sql.SQL("DROP SCHEMA {} CASCADE").format(sql.Identifier(schema))
            )


@pytest.fixture
def store(database: Database) -> PostgresStore:
    """Return an empty store with an embedder of four dimensions."""
    opened = PostgresStore(database)
    opened.use_embedder(EmbedderIdentity(name="tiny", dimension=4))
    return opened
