"""Connecting: by URL or embedded, clear errors, no password shown, after crashes."""

from __future__ import annotations

import threading
import time
import traceback
from typing import TYPE_CHECKING

import psycopg
import pytest
from psycopg import sql

from integration.store.processes import kill, server_pid
from integration.store.samples import chunks, document
from integration.store.servers import EVERY_SERVER, PASSWORD, tcp_server
from outcrop.errors import ConfigError, StorageError
from outcrop.store.batch import Statement
from outcrop.store.database import Database, is_database_url
from outcrop.store.store import PostgresStore

if TYPE_CHECKING:
    from pathlib import Path

LARGE_SORTS = Statement("SET LOCAL work_mem = '8MB'")


@EVERY_SERVER
def test_both_kinds_of_server_are_opened(database: Database) -> None:
    with database.read() as connection:
        assert connection.execute("SELECT count(*) FROM chunks").fetchone() == (0,)
    assert database.info.version.startswith("18")
    assert database.info.vector_version >= (0, 7)
    assert PASSWORD not in database.info.location


def test_older_server_of_the_wheel_is_good_enough(schema: str) -> None:
    with tcp_server(16) as url, Database.open(url, schema=schema) as database:
        assert database.info.version.startswith("16")
        with database.read() as connection:
            assert connection.execute("SELECT count(*) FROM chunks").fetchone() == (0,)


def test_url_of_the_environment_is_used(
    server_url: str, schema: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OUTCROP_DATABASE_URL", server_url)
    with Database.open(tmp_path, schema=schema) as database:
        assert not database.info.embedded
    assert list(tmp_path.iterdir()) == []


def test_url_given_beats_the_environment(
    server_url: str, schema: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OUTCROP_DATABASE_URL", "postgresql://nobody@127.0.0.1:1/x")
    with Database.open(url=server_url, schema=schema) as database:
        assert not database.info.embedded


@pytest.mark.parametrize(
    "url",
    [
        "mysql://me:hunter2@host/db",
        "postgresql://me:hunter2@host:notaport:x/db?bad",
        "postgresql://me:hunter2@[::1/db",
        "host=x password=hunter2",
    ],
)
def test_wrong_url_is_refused_without_showing_it(url: str) -> None:
    with pytest.raises(ConfigError, match="is not a PostgreSQL URL") as caught:
        Database.open(url=url)
    assert "hunter2" not in "".join(traceback.format_exception(caught.value))


def test_unreachable_server_is_named_without_its_password() -> None:
    url = "postgresql://me:hunter2@127.0.0.1:1/db"
    with pytest.raises(StorageError, match="cannot reach the database") as caught:
        Database.open(url=url)
    shown = "".join(traceback.format_exception(caught.value))
    assert (
        "postgresql://me@127.0.0.1:1/db: Connection refused; start the server" in shown
    )
    assert "hunter2" not in shown


def test_wrong_password_is_reported_at_once_and_not_shown(server_url: str) -> None:
    wrong = server_url.replace("s3cret", "hunter2")
    started = time.monotonic()
    with pytest.raises(StorageError, match="password authentication failed") as caught:
        Database.open(url=wrong)
    assert time.monotonic() - started < 5
    assert "check the user, the password" in str(caught.value)
    assert "start the server" not in str(caught.value)
    assert "hunter2" not in "".join(traceback.format_exception(caught.value))


def test_missing_extension_says_what_to_run(server_url: str, schema: str) -> None:
    name = f"bare_{schema}"
    with psycopg.connect(server_url, autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name}")
        admin.execute(f"CREATE ROLE {name} LOGIN PASSWORD 'plain'")
        admin.execute(f"GRANT CREATE ON DATABASE {name} TO {name}")
    host = server_url.rsplit("@", 1)[1].split("/", maxsplit=1)[0]
    url = f"postgresql://{name}:plain@{host}/{name}"
    with pytest.raises(StorageError, match="run: CREATE EXTENSION vector"):
        Database.open(url=url, schema=schema)

    # An administrator may put it wherever they like.
    with psycopg.connect(
        url.replace(f"{name}:plain", "owner:s3cret-pass%2Fword"), autocommit=True
    ) as admin:
        admin.execute("CREATE SCHEMA extensions")
        admin.execute("CREATE EXTENSION vector SCHEMA extensions")
        admin.execute(f"GRANT USAGE ON SCHEMA extensions TO {name}")
    with (
        Database.open(url=url, schema=schema) as database,
        database.read() as connection,
    ):
        assert connection.execute("SELECT count(*) FROM chunks").fetchone() == (0,)


@pytest.mark.parametrize(
    ("setting", "value", "message"),
    [
        ("_OLDEST_SERVER", 990_000, "needs 15 or newer"),
        ("_OLDEST_VECTOR", (99,), "needs 0.7 or newer"),
    ],
)
def test_old_versions_are_refused(
    server_url: str,
    monkeypatch: pytest.MonkeyPatch,
    setting: str,
    value: object,
    message: str,
) -> None:
    monkeypatch.setattr(f"outcrop.store.address.{setting}", value)
    with pytest.raises(StorageError, match=message):
        Database.open(url=server_url)


@EVERY_SERVER
def test_failed_statement_is_rolled_back_and_reported(database: Database) -> None:
    def insert_twice() -> None:
        with database.write() as connection:
            statement = "INSERT INTO index_settings VALUES ('k', '1')"
            connection.execute(statement)
            connection.execute(statement)

    with pytest.raises(StorageError, match="duplicate key") as caught:
        insert_twice()
    assert isinstance(caught.value.__cause__, psycopg.Error)
    with database.read() as connection:
        row = connection.execute("SELECT count(*) FROM index_settings").fetchone()
    assert row == (0,)


@EVERY_SERVER
def test_reader_sees_one_state_throughout(database: Database) -> None:
    with database.read() as reader:
        count = "SELECT count(*) FROM index_settings"
        assert reader.execute(count).fetchone() == (0,)
        with database.write() as writer:
            writer.execute("INSERT INTO index_settings VALUES ('k', '1')")
        assert reader.execute(count).fetchone() == (0,)


@EVERY_SERVER
def test_reader_cannot_write(database: Database) -> None:
    with (
        pytest.raises(StorageError, match="read-only"),
        database.read() as connection,
    ):
        connection.execute("INSERT INTO index_settings VALUES ('k', '1')")


@EVERY_SERVER
def test_view_sees_one_state_with_its_settings(database: Database) -> None:
    count = "SELECT count(*), current_setting('work_mem') FROM index_settings"
    with database.view(LARGE_SORTS) as (view, _):
        assert view.execute(count).fetchone() == (0, "8MB")
        with database.write() as writer:
            writer.execute("INSERT INTO index_settings VALUES ('k', '1')")
        assert view.execute(count).fetchone() == (0, "8MB")
    with database.read() as connection:
        assert connection.execute(count).fetchone() == (1, "4MB")


@EVERY_SERVER
def test_view_cannot_write(database: Database) -> None:
    with (
        pytest.raises(StorageError, match="read-only"),
        database.view(LARGE_SORTS) as (connection, _),
    ):
        connection.execute("INSERT INTO index_settings VALUES ('k', '1')")


@EVERY_SERVER
def test_writes_after_a_view_are_one_transaction(database: Database) -> None:
    with database.view(LARGE_SORTS) as (view, _):
        view.execute("SELECT 1")
    for _ in range(8):  # the pool lends the connection of the view sooner or later
        with database.write() as connection:
            connection.execute("INSERT INTO index_settings VALUES ('k', '1')")
            connection.rollback()
    with database.read() as connection:
        row = connection.execute("SELECT count(*) FROM index_settings").fetchone()
    assert row == (0,)


@EVERY_SERVER
def test_threads_share_the_pool(database: Database) -> None:
    failures: list[BaseException] = []

    def work() -> None:
        try:
            for _ in range(20):
                with database.read() as connection:
                    connection.execute("SELECT count(*) FROM chunks").fetchone()
        except BaseException as error:  # noqa: BLE001 - reported below
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_killed_server_is_started_again_by_an_open_store(project: Path) -> None:
    with PostgresStore(Database.open(project)) as store:
        store.replace_documents([(document(), chunks(["kept"]))])
        for _ in range(3):
            kill(server_pid(project / ".outcrop"))
            assert len(store.chunks_of("docs/a.md")) == 1
            assert store.status().chunks == 1


def test_killed_server_recovers_for_a_new_database(project: Path) -> None:
    with Database.open(project) as database:
        with database.write() as connection:
            connection.execute(
                "INSERT INTO index_settings"
                " SELECT x::text, to_jsonb(repeat('x', 500))"
                " FROM generate_series(1, 20000) x"
            )
        kill(server_pid(project / ".outcrop"))
        with Database.open(project) as other, other.read() as connection:
            row = connection.execute("SELECT count(*) FROM index_settings").fetchone()
        assert row == (20000,)


@EVERY_SERVER
def test_killed_backend_does_not_spoil_the_pool(database: Database) -> None:
    with database.write() as connection:
        victim = connection.info.backend_pid
        with database.autocommit() as other:
            other.execute("SELECT pg_terminate_backend(%s)", (victim,))
        with pytest.raises(psycopg.OperationalError):
            connection.execute("SELECT 1")
    with database.read() as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)


def test_urls_and_paths_are_told_apart() -> None:
    assert is_database_url("postgresql://host/db")
    assert is_database_url("postgres://host/db")
    assert not is_database_url("docs/postgresql")


@EVERY_SERVER
def test_schema_name_is_quoted(target: str | Path) -> None:
    name = 'we"ird; DROP TABLE x'
    with Database.open(target, schema=name) as database:
        with database.read() as connection:
            assert connection.execute("SELECT current_schema").fetchone() == (name,)
        with database.write() as connection:
            connection.execute(
                sql.SQL("DROP SCHEMA {} CASCADE").format(sql.Identifier(name))
            )
