"""The tables of the queue, in the schema of the index.

The first process that needs them creates them, under the lock of the migrations. They are
upgraded when a newer procrastinate is installed: each of its steps in a transaction of
its own, together with the record of that step.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from procrastinate.schema import SchemaManager
from psycopg.types.json import Jsonb

from outcrop.errors import SchemaVersionError
from outcrop.store.migrate import lock_migrations

if TYPE_CHECKING:
    from outcrop.store.database import Connection, Database

_NAME = re.compile(r"\d\d\.\d\d\.\d\d_\d\d_\w+\.sql")
_READ = "SELECT value ->> 'step' FROM index_settings WHERE key = 'queue'"
_NOTE = """
INSERT INTO index_settings (key, value) VALUES ('queue', %s)
ON CONFLICT (key) DO UPDATE SET value = excluded.value
"""


def ensure_tables(database: Database) -> None:
    """Create the tables of the queue, or upgrade them.

    Safe to call from several processes at once; takes one query when there is nothing
    to do.

    Raises:
        SchemaVersionError: A newer procrastinate created the tables.
        StorageError: They cannot be created.
    """
    with database.read() as connection:
        found = _read(connection)
    newest = known_steps()[-1]
    if found == newest:
        return
    if found is None:
        _create(database)
    else:
        _upgrade(database)


@cache
def known_steps() -> tuple[str, ...]:
    """Return the steps of the installed procrastinate, in order."""
    folder = Path(SchemaManager.get_migrations_path())
    return tuple(sorted(f.name for f in folder.iterdir() if _NAME.fullmatch(f.name)))


def _create(database: Database) -> None:
    with database.write() as connection:
        lock_migrations(connection)
        if _read(connection) is not None:
            return  # another process was faster
        connection.execute(SchemaManager.get_schema())
        connection.execute(_own_tables())
        _note(connection, known_steps()[-1])


def _upgrade(database: Database) -> None:
    for step in known_steps():
        with database.write() as connection:
            lock_migrations(connection)
            found = _read(connection) or ""
            if found > known_steps()[-1]:
                raise SchemaVersionError(
                    f"the tables of the queue are at step {found!r}, but the installed "
                    f"procrastinate knows steps up to {known_steps()[-1]!r}; install "
                    "a newer one"
                )
            if step > found:
                file = Path(SchemaManager.get_migrations_path()) / step
                connection.execute(file.read_bytes())
                _note(connection, step)


def _read(connection: Connection) -> str | None:
    row = connection.execute(_READ).fetchone()
    return None if row is None else str(row[0])


def _note(connection: Connection, step: str) -> None:
    connection.execute(_NOTE, (Jsonb({"step": step}),))


def _own_tables() -> bytes:
    return (resources.files("outcrop.pipeline.jobs") / "tables.sql").read_bytes()
