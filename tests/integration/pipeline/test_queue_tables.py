"""The queue's tables: made once, by whoever needs them, and kept up to date."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from procrastinate.schema import SchemaManager
from psycopg.types.json import Jsonb

from integration.pipeline.planned import begin, make_worker, plan
from integration.store.servers import EVERY_SERVER
from outcrop.errors import SchemaVersionError
from outcrop.pipeline.jobs.queue import ensure_tables, known_steps
from outcrop.store.store import PostgresStore

TABLES = """
SELECT table_name FROM information_schema.tables
WHERE table_schema = current_schema() AND (table_name LIKE 'procrastinate%'
    OR table_name = 'run_chunks') ORDER BY 1
"""
STEP = "SELECT value ->> 'step' FROM index_settings WHERE key = 'queue'"
# Waits until all are ready, so that they come at the same time.
MAKER = """
import sys
from outcrop.pipeline.jobs.queue import ensure_tables
from outcrop.store.database import Database
with Database.open(sys.argv[1], schema=sys.argv[2]) as database:
    print("ready", flush=True)
    sys.stdin.readline()
    ensure_tables(database)
"""


def read(database, query):
    with database.read() as connection:
        return [row[0] for row in connection.execute(query)]


@EVERY_SERVER
def test_the_tables_are_in_the_schema_of_the_index(database):
    ensure_tables(database)
    assert read(database, TABLES) == [
        "procrastinate_events",
        "procrastinate_jobs",
        "procrastinate_periodic_defers",
        "procrastinate_workers",
        "run_chunks",
    ]
    assert read(database, STEP) == [known_steps()[-1]]


@EVERY_SERVER
def test_making_them_again_changes_nothing(database):
    ensure_tables(database)
    with database.write() as connection:
        connection.execute("INSERT INTO procrastinate_workers DEFAULT VALUES")
    ensure_tables(database)
    assert len(read(database, "SELECT id FROM procrastinate_workers")) == 1


@EVERY_SERVER
def test_several_processes_may_come_at_once(database, target, schema):
    makers = [
        subprocess.Popen(
            [sys.executable, "-c", MAKER, str(target), schema],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    for maker in makers:
        assert maker.stdout.readline() == "ready\n"
    for maker in makers:
        maker.stdin.write("go\n")
        maker.stdin.flush()
    for maker in makers:
        maker.communicate(timeout=30)
        assert maker.returncode == 0
    assert read(database, STEP) == [known_steps()[-1]]


@pytest.mark.parametrize("target", ["embedded"], indirect=True)
def test_tables_of_an_older_queue_are_brought_up_to_date(database):
    ensure_tables(database)
    older = [step for step in known_steps() if step < "03.03"]
    with database.write() as connection:
        for table in read(database, TABLES):
            if table != "run_chunks":
                connection.execute(f"DROP TABLE {table} CASCADE")
        drop_queue(connection)
        for step in older:
            connection.execute(
                (Path(SchemaManager.get_migrations_path()) / step).read_bytes()
            )
        connection.execute(
            "UPDATE index_settings SET value = %s WHERE key = 'queue'",
            (Jsonb({"step": older[-1]}),),
        )
    ensure_tables(database)
    assert read(database, STEP) == [known_steps()[-1]]
    store = PostgresStore(database)
    run_id = begin(store, plan(store, ["a", "b"]))
    make_worker(database).run(run_id=run_id)
    assert store.get_run(run_id).state == "done"


def drop_queue(connection) -> None:
    """Drop the functions and types that the tables leave behind."""
    for kind, query in {
        "FUNCTION": "SELECT oid::regprocedure::text FROM pg_proc "
        "WHERE proname LIKE 'procrastinate%' AND pronamespace = "
        "current_schema()::regnamespace",
        "TYPE": "SELECT typname FROM pg_type WHERE typname LIKE 'procrastinate%' "
        "AND typnamespace = current_schema()::regnamespace",
    }.items():
        for (name,) in connection.execute(query).fetchall():
            connection.execute(f"DROP {kind} IF EXISTS {name} CASCADE")


@pytest.mark.parametrize("target", ["embedded"], indirect=True)
def test_tables_of_a_newer_queue_are_refused(database):
    ensure_tables(database)
    with database.write() as connection:
        connection.execute(
            "UPDATE index_settings SET value = %s WHERE key = 'queue'",
            (Jsonb({"step": "99.00.00_01_later.sql"}),),
        )
    with pytest.raises(SchemaVersionError, match="install a newer one"):
        ensure_tables(database)
