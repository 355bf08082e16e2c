"""Killed writers, killed servers, and many at once: old or new, never a mix."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING

import pytest

from integration.store.processes import kill, server_pid, wait_until_stopped
from integration.store.samples import chunk, document
from integration.store.searches import search_words
from integration.store.servers import EVERY_SERVER
from outcrop.model.embedder_identity import EmbedderIdentity
from outcrop.store.database import Database
from outcrop.store.server._keeper import is_recovering
from outcrop.store.store import PostgresStore

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from outcrop.model.stored import Document, StoredChunk

_DOCUMENTS = 6

# Writes ever newer versions of the documents, several in a transaction, in an order of
# its own, and says which version it has begun.
_WRITER = """
import random, sys
from pathlib import Path
from integration.store.test_crashes import versioned
from outcrop.store.database import Database
from outcrop.store.store import PostgresStore
chance = random.Random(int(sys.argv[2]))
with PostgresStore(Database.open(Path(sys.argv[1]))) as store:
    for version in range(int(sys.argv[3]), int(sys.argv[4])):
        print(version, flush=True)
        numbers = chance.sample(range(6), 6)
        for start in range(0, 6, 3):
            store.replace_documents(
                [versioned(number, version) for number in numbers[start:start + 3]]
            )
"""


def versioned(number: int, version: int) -> tuple[Document, list[StoredChunk]]:
    """Return a document of which every chunk names the version."""
    path = f"docs/{number}.md"
    size = 5 + (number + version) % 4
    texts = [f"version{version} of part{n} in document{number}" for n in range(size)]
    texts += [f"part{n} of document{number} never changes" for n in range(3)]
    given = [chunk(text, path, index) for index, text in enumerate(texts)]
    return document(path, str(version), chunk_count=0), given


def _command(project: Path, seed: int, first: int, last: int) -> Sequence[str]:
    tests = str(__file__).split("/integration/", maxsplit=1)[0]
    bootstrap = f"import sys; sys.path.insert(0, {tests!r})\n"
    numbers = map(str, (seed, first, last))
    return [sys.executable, "-c", bootstrap + _WRITER, str(project), *numbers]


def _prepare(project: Path) -> None:
    with PostgresStore(Database.open(project)) as store:
        store.use_embedder(EmbedderIdentity(name="tiny", dimension=4))
        store.replace_documents([versioned(number, 0) for number in range(_DOCUMENTS)])


def _check_document(store: PostgresStore, number: int) -> int:
    """Make sure that a document is one version throughout; return which."""
    path = f"docs/{number}.md"
    version = int(store.get_document(path).fingerprint)
    _, expected = versioned(number, version)
    found = store.chunks_of(path)
    assert [each.content for each in found] == [each.content for each in expected]
    return version


def _check_store(store: PostgresStore) -> None:
    versions = [_check_document(store, number) for number in range(_DOCUMENTS)]
    expected = [
        each
        for number, version in enumerate(versions)
        for each in versioned(number, version)[1]
    ]
    with store._database.read() as connection:
        worded = connection.execute("SELECT chunk_id FROM chunk_lex").fetchall()
        told = connection.execute(
            "SELECT term, sum(df)::int FROM (SELECT term, df FROM lex_df"
            " UNION ALL SELECT term, df FROM lex_delta) t"
            " GROUP BY term HAVING sum(df) <> 0"
        ).fetchall()
        counted = connection.execute(
            "SELECT lexeme, count(*)::int FROM chunk_lex,"
            " unnest(tsvector_to_array(tsv)) AS lexeme GROUP BY lexeme"
        ).fetchall()
    assert {row[0] for row in worded} == {each.id for each in expected}
    assert dict(told) == dict(counted)
    assert store.status().worded == len(expected)


def _kill_a_writer(project: Path, seed: int, *, server_too: bool) -> None:
    chance = random.Random(seed)  # noqa: S311 - repeatable
    writer = subprocess.Popen(
        _command(project, seed, 1 + seed * 1000, 1000 + seed * 1000),
        stdout=subprocess.PIPE,
    )
    try:
        assert writer.stdout is not None
        assert writer.stdout.readline()
        time.sleep(chance.uniform(0.0, 0.25))
        if server_too:
            kill(server_pid(project / ".outcrop"))
    finally:
        writer.kill()
        writer.communicate()
    with PostgresStore(Database.open(project)) as store:
        _check_store(store)
        store.replace_documents([versioned(n, seed) for n in range(_DOCUMENTS)])
        assert [_check_document(store, n) for n in range(_DOCUMENTS)] == [seed] * 6
        _check_store(store)


@pytest.mark.parametrize("server_too", [False, True], ids=["writer", "server"])
def test_kill_at_a_random_point_loses_nothing(
    project: Path, *, server_too: bool
) -> None:
    _prepare(project)
    for seed in range(1, 6):
        _kill_a_writer(project, seed, server_too=server_too)


@pytest.mark.full
@pytest.mark.timeout(600)
@pytest.mark.parametrize("server_too", [False, True], ids=["writer", "server"])
def test_twenty_kills_at_random_points_lose_nothing(
    project: Path, *, server_too: bool
) -> None:
    _prepare(project)
    for seed in range(10, 30):
        _kill_a_writer(project, seed, server_too=server_too)


def test_writers_and_a_reader_at_once_see_whole_documents(project: Path) -> None:
    _prepare(project)
    writers = [
        subprocess.Popen(_command(project, seed, 1, 25), stdout=subprocess.DEVNULL)
        for seed in (1, 2)
    ]
    checks = 0
    with PostgresStore(Database.open(project)) as store:
        while any(writer.poll() is None for writer in writers):
            for number in range(_DOCUMENTS):
                with store._database.read() as connection:
                    rows = connection.execute(
                        "SELECT d.fingerprint, c.content FROM documents d"
                        " JOIN chunks c ON c.document_id = d.id WHERE d.path = %s"
                        " ORDER BY c.place",
                        (f"docs/{number}.md",),
                    ).fetchall()
                _, expected = versioned(number, int(rows[0][0]))
                assert [row[1] for row in rows] == [each.content for each in expected]
                found = search_words(store, f"document{number} never", limit=20)
                assert len(found) >= 3
                checks += 1
        assert [writer.wait() for writer in writers] == [0, 0]
        assert checks > _DOCUMENTS
        _check_store(store)
    assert wait_until_stopped(project / ".outcrop")


@EVERY_SERVER
def test_threads_writing_the_same_documents_do_not_deadlock(
    store: PostgresStore,
) -> None:
    failures: list[BaseException] = []

    def write(seed: int) -> None:
        chance = random.Random(seed)  # noqa: S311 - repeatable
        try:
            for version in range(8):
                numbers = chance.sample(range(_DOCUMENTS), _DOCUMENTS)
                store.replace_documents([versioned(n, version) for n in numbers])
                if version % 3 == seed % 3:
                    store.delete_documents([f"docs/{n}.md" for n in numbers[:2]])
                hashes = {
                    each.id: each.search_hash for each in versioned(0, version)[1]
                }
                store.put_embeddings(
                    {each.id: each.emb for each in versioned(0, version)[1]},
                    model="tiny",
                    search_hashes=hashes,
                )
        except BaseException as error:  # noqa: BLE001 - reported below
            failures.append(error)

    threads = [threading.Thread(target=write, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    store.replace_documents([versioned(n, 99) for n in range(_DOCUMENTS)])
    _check_store(store)


@EVERY_SERVER
def test_maintenance_while_writing_changes_nothing(store: PostgresStore) -> None:
    store.replace_documents([versioned(n, 0) for n in range(_DOCUMENTS)])
    stop = threading.Event()
    failures: list[BaseException] = []

    def maintain() -> None:
        try:
            while not stop.is_set():
                store.maintain()
        except BaseException as error:  # noqa: BLE001 - reported below
            failures.append(error)

    keeper = threading.Thread(target=maintain)
    keeper.start()
    for version in range(1, 15):
        store.replace_documents([versioned(n, version) for n in range(_DOCUMENTS)])
    stop.set()
    keeper.join()
    assert failures == []
    _check_store(store)


def test_a_server_that_recovers_from_a_crash_stops_within_seconds(
    project: Path,
) -> None:
    """A fast stop at the beginning of a recovery is one that the server never ends."""
    log = project / ".outcrop" / "server.log"
    store = PostgresStore(Database.open(project))
    with store._database.write() as connection:
        connection.execute(
            "CREATE TABLE big AS"
            " SELECT repeat(md5(x::text), 20) FROM generate_series(1, 20000) x"
        )
        backend = connection.info.backend_pid
    kill(backend)
    while not is_recovering(log):
        time.sleep(0.001)
    started = time.monotonic()
    store.close()
    assert time.monotonic() - started < 20
    with (
        PostgresStore(Database.open(project)) as again,
        again._database.read() as connection,
    ):
        row = connection.execute("SELECT count(*) FROM big").fetchone()
    assert row == (20_000,)
    assert not is_recovering(log)
