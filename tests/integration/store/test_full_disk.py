"""A disk that is full ends within seconds, in one line that says so."""

from __future__ import annotations

import errno
import os
import random
import shutil
import string
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from integration.store.processes import wait_until_stopped
from integration.store.samples import chunks, document
from integration.store.servers import tcp_server
from integration.store.small_disks import fill, grow, small_disk
from outcrop.errors import DiskFullError, StorageError
from outcrop.model.embedder_identity import EmbedderIdentity
from outcrop.store.database import Database
from outcrop.store.failures import is_lost
from outcrop.store.server.disk import says_full
from outcrop.store.server.embedded import EmbeddedServer
from outcrop.store.store import PostgresStore

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# Its rows are in no log, so it is the table that finds no space.
_FILL_TABLE = """
CREATE UNLOGGED TABLE big AS
SELECT repeat(md5(x::text), 200) AS t FROM generate_series(1, 1000000) x
"""


@pytest.fixture
def disk() -> Iterator[Path]:
    with small_disk(60) as folder:
        yield folder
        for home in folder.rglob("server.lock"):
            assert wait_until_stopped(home.parent)


def _write_documents(project: Path) -> None:
    choose = random.Random(1)  # noqa: S311 - a reproducible choice, no secret
    (project / "docs").mkdir(parents=True)
    for number in range(40):
        words = choose.choices(string.ascii_letters + "   ", k=20_000)
        text = f"# Document {number}\n\n{''.join(words)}\n"
        (project / "docs" / f"{number}.md").write_text(text)


def _outcrop(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "outcrop", *arguments],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
        timeout=55,
    )


def _assert_says_full(done: subprocess.CompletedProcess[str], home: Path) -> None:
    lines = done.stderr.splitlines()
    # Before it, an index run may have said how far it is.
    progress = [line for line in lines[:-1] if " files, " not in line]
    assert progress == []
    assert lines[-1].startswith(f"error: the disk is full: {home}")
    assert lines[-1].endswith("free some space and try again")
    assert "\\n" not in done.stderr
    assert done.returncode == 4


@pytest.mark.timeout(240)
def test_every_command_says_that_the_disk_is_full_until_it_is_not(disk: Path) -> None:
    project = disk / "project"
    _write_documents(project)
    _assert_says_full(_outcrop(project, "index", "docs"), project / ".outcrop")
    for command in (["status"], ["search", "words"], ["index", "docs"]):
        started = time.monotonic()
        done = _outcrop(project, *command)
        assert time.monotonic() - started < 40
        if done.returncode:  # reading may well be possible
            _assert_says_full(done, project / ".outcrop")

    grow(disk, 400)
    done = _outcrop(project, "index", "docs")
    assert done.returncode == 0, done.stderr
    assert _outcrop(project, "search", "words").returncode == 0


def test_a_disk_without_any_space_is_named_by_the_first_run(disk: Path) -> None:
    project = disk / "project"
    _write_documents(project)
    filler = fill(disk, leave_bytes=1_000_000)
    _assert_says_full(_outcrop(project, "index", "docs"), project / ".outcrop")
    filler.unlink()
    grow(disk, 400)
    assert _outcrop(project, "index", "docs").returncode == 0


def _write_many(store: PostgresStore, seed: int) -> None:
    choose = random.Random(seed)  # noqa: S311 - a reproducible choice, no secret
    for number in range(60):
        path = f"docs/{seed}/{number}.md"
        texts = ["".join(choose.choices(string.printable, k=100_000))]
        store.replace_documents([(document(path), chunks(texts, path))])


def test_an_open_store_goes_on_when_there_is_space_again(disk: Path) -> None:
    grow(disk, 120)
    with PostgresStore(Database.open(disk / "project")) as store:
        store.use_embedder(EmbedderIdentity(name="tiny", dimension=4))
        store.replace_documents([(document(), chunks(["kept"]))])
        filler = fill(disk, leave_bytes=4_000_000)
        with pytest.raises(DiskFullError) as caught:
            _write_many(store, 1)
        assert not is_lost(caught.value)
        started = time.monotonic()
        with pytest.raises(DiskFullError):
            _write_many(store, 2)
        assert time.monotonic() - started < 30
        filler.unlink()
        store.replace_documents(
            [(document("docs/b.md"), chunks(["added"], "docs/b.md"))]
        )
        assert store.get_document("docs/a.md").chunk_count == 1
        assert store.get_document("docs/b.md").chunk_count == 1


def test_a_table_that_finds_no_space_is_a_full_disk(disk: Path) -> None:
    with (
        Database.open(disk / "project") as database,
        pytest.raises(DiskFullError, match=r"the disk is full: .*project/\.outcrop"),
        database.write() as connection,
    ):
        connection.execute(_FILL_TABLE)


def test_a_full_disk_of_another_server_is_called_so(
    disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(disk))
    with tcp_server() as url:
        message = r"the disk of the server at postgresql://owner@.* is full"
        with (
            Database.open(url=url) as database,
            pytest.raises(DiskFullError, match=message),
            database.write() as connection,
        ):
            connection.execute(_FILL_TABLE)


def test_a_quota_counts_as_a_full_disk() -> None:
    for number in (errno.ENOSPC, errno.EDQUOT):
        assert says_full(OSError(number, os.strerror(number)))
        assert says_full(f"could not write: {os.strerror(number)}")
    assert not says_full(OSError(errno.EACCES, "denied"))
    assert not says_full("FATAL: out of memory")


@pytest.mark.parametrize(
    "damage",
    [
        "global/pg_control",
        "pg_wal",
        "pg_xact",
        "base/5/pg_filenode.map",
        "base/5/1259",
        "postgresql.conf",
    ],
)
def test_damaged_data_says_to_delete_it_and_index_again(
    project: Path, damage: str
) -> None:
    home = project / ".outcrop"
    with PostgresStore(Database.open(project)):
        pass
    victim = home / "data" / damage
    if victim.is_dir():
        shutil.rmtree(victim)
    else:
        victim.unlink()
    started = time.monotonic()
    with pytest.raises(StorageError, match="damaged") as caught:
        PostgresStore(Database.open(project))
    assert time.monotonic() - started < 30
    message = str(caught.value)
    assert f"delete {home} and index again" in message
    assert "OUTCROP_DATABASE_URL" not in message
    assert "\n" not in message


def test_a_server_that_cannot_start_says_why_in_one_line(project: Path) -> None:
    home = project / ".outcrop"
    with EmbeddedServer(home):
        pass
    (home / "data" / "postgresql.conf").write_text("no_such_setting = 1\n")
    with pytest.raises(
        StorageError, match=r"no_such_setting|configuration file"
    ) as why:
        EmbeddedServer(home).ensure_running()
    assert "\n" not in str(why.value)
