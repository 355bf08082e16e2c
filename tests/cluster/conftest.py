"""What the tests of indexing by Daft and Ray share; `make test` runs them in .venv-cluster."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from outcrop import Index

# Read when the libraries are imported, which is after this. The last one keeps Ray on
# the loopback interface.
os.environ |= {
    "DAFT_ANALYTICS_ENABLED": "0",
    "DO_NOT_TRACK": "true",
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
}
DOCUMENTS = sorted((Path(__file__).parents[1] / "documents").glob("*.md"))


@pytest.fixture(scope="session")
def server_url() -> Iterator[str]:
    """Return the URL of a server with a password, for the whole session."""
    pytest.importorskip("psycopg", reason="needs the extra store")
    from integration.store.servers import tcp_server

    with tcp_server() as url:
        yield url


@pytest.fixture
def make_url(server_url: str) -> Iterator[Callable[[], str]]:
    """Return a function that creates an empty database and returns its URL."""
    from contextlib import ExitStack

    from integration.store.servers import fresh_database

    with ExitStack() as made:
        yield lambda: made.enter_context(fresh_database(server_url))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a project with documents, some in folders, and a package of code."""
    from integration.indexing.code_trees import write_tree

    folder = tmp_path / "project"
    folder.mkdir()
    write_tree(folder)
    (folder / "guides").mkdir()
    for number, file in enumerate(DOCUMENTS[:8]):
        shutil.copy(file, folder / "guides" if number % 2 else folder)
    return folder


@pytest.fixture
def open_index(
    project: Path, make_url: Callable[[], str]
) -> Iterator[Callable[..., Index]]:
    """Open an index of the project in a database of its own, or in a given one."""
    from outcrop import Index, IndexConfig

    opened: list[Index] = []

    def open_one(url: str | None = None) -> Index:
        index = Index.open(
            project, database_url=url or make_url(), config=IndexConfig(workers=1)
        )
        opened.append(index)
        return index

    yield open_one
    for index in opened:
        index.close()
