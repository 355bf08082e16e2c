"""Several processes at one index."""

from __future__ import annotations

import subprocess
import sys

from integration.indexing.states import clean_state, state_of
from integration.store.servers import EVERY_SERVER
from outcrop.store.database import Database

# Each indexer rewrites what it is given, over and over; the searcher checks every hit.
INDEXER = """
import sys
from pathlib import Path
from outcrop.indexing.config import IndexConfig
from outcrop.indexing.index import Index
from outcrop.providers.local_embedder import LocalEmbedder
from outcrop.store.database import Database
target, schema, project, own = sys.argv[1:]
target = target if "://" in target else Path(target)
database = Database.open(target, schema=schema)
config = IndexConfig(workers=1)
folder = Path(project)
with Index(database, folder, embedder=LocalEmbedder(), config=config) as index:
    for turn in range(8):
        for number in range(6):
            text = f"# Page {number}\\n\\n" + f"Turn {turn} of {own}. " * (30 + turn)
            (folder / own / f"{number}.md").write_text(text)
        index.index([own, "common"])
"""
# Edits code that others index at the same time, and asks for a symbol of it.
CODER = """
import sys
from pathlib import Path
from outcrop.indexing.config import IndexConfig
from outcrop.indexing.index import Index
from outcrop.providers.local_embedder import LocalEmbedder
from outcrop.store.database import Database
target, schema, project, own = sys.argv[1:]
target = target if "://" in target else Path(target)
database = Database.open(target, schema=schema)
config = IndexConfig(workers=1)
folder = Path(project)
with Index(database, folder, embedder=LocalEmbedder(), config=config) as index:
    for turn in range(4):
        text = f"import common\\n\\n\\ndef {own}_{turn}(x):\\n"
        text += f"    y = common.shared(x)\\n    return y + {turn}\\n"
        (folder / own / "code.py").write_text(text)
        index.index()
        view = index.symbol("common.shared")
        assert any(own in link.name for link in view.callers), view.callers
"""
SEARCHER = """
import sys
from pathlib import Path
from outcrop.indexing.index import Index
from outcrop.providers.local_embedder import LocalEmbedder
from outcrop.store.database import Database
target, schema, project = sys.argv[1:]
target = target if "://" in target else Path(target)
database = Database.open(target, schema=schema)
with Index(database, Path(project), embedder=LocalEmbedder()) as index:
    for _ in range(40):
        for mode in ("hybrid", "vector", "text"):
            for hit in index.search("turn of a page", 10, mode=mode):
                assert hit.content and hit.path, hit
        index.context("turn of a page", 500)
"""


@EVERY_SERVER
def test_two_indexers_and_a_searcher(open_index, target, schema, project):
    for folder in ("one", "two", "common"):
        (project / folder).mkdir()
    for number in range(5):
        (project / "common" / f"{number}.md").write_text(f"# C{number}\n\nShared.\n")
    index = open_index()
    index.index()
    commands = [
        [INDEXER, str(target), schema, str(project), "one"],
        [INDEXER, str(target), schema, str(project), "two"],
        [SEARCHER, str(target), schema, str(project)],
    ]
    processes = [
        subprocess.Popen([sys.executable, "-c", *command], stderr=subprocess.PIPE)
        for command in commands
    ]
    for process in processes:
        _, errors = process.communicate(timeout=50)
        assert process.returncode == 0, errors.decode()
    together = state_of(index)
    index.store.delete_documents([d.path for d in index.documents()])
    index.index()
    assert state_of(index) == together


@EVERY_SERVER
def test_two_indexers_of_code(open_index, target, schema, project):
    for folder in ("one", "two"):
        (project / folder).mkdir()
    (project / "common.py").write_text(
        "def shared(number):\n    total = number * 2\n    return total\n"
    )
    index = open_index()
    index.index()
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", CODER, str(target), schema, str(project), own],
            stderr=subprocess.PIPE,
        )
        for own in ("one", "two")
    ]
    for process in processes:
        _, errors = process.communicate(timeout=50)
        assert process.returncode == 0, errors.decode()
    index.index()
    together = state_of(index)
    assert clean_state(index) == together


def test_an_index_is_opened_by_its_url(server_url, project, monkeypatch):
    from outcrop.indexing.index import Index

    (project / "a.md").write_text("# A\n\nFound by URL.\n")
    monkeypatch.chdir(project)
    with Index.open(server_url, schema="by_url") as index:
        index.index()
        assert index.search("found", 1)[0].path == "a.md"
        assert not index.status().server.embedded
    assert not (project / ".outcrop").exists()
    monkeypatch.setenv("OUTCROP_DATABASE_URL", server_url)
    with Index.open(project, schema="by_url") as index:
        assert len(index.documents()) == 1
    with Database.open(server_url, schema="by_url") as database:
        assert not database.info.embedded
