"""Removing a project from a shared database, and giving it another folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from psycopg import sql

from outcrop.errors import NotFoundError, StorageError
from outcrop.store.leases import try_lease
from outcrop.store.migrate import extension_schema
from outcrop.store.projects import registry
from outcrop.store.projects.identity import keep_identity
from outcrop.store.projects.names import name_of

if TYPE_CHECKING:
    from pathlib import Path

    from outcrop.store.address import Connection

# A worker that was heard of within this time is at work.
_WORKER_SECONDS = 15
_HAS_QUEUE = "SELECT to_regclass(format('%%I.procrastinate_workers', %s::text))"
_WORKERS = sql.SQL("""
SELECT count(*) FROM {} WHERE last_heartbeat > now() - make_interval(secs => %s)
""")
# Who searches holds its tables for a moment; whoever does so for longer is not waited for.
_LOCK_TIMEOUT = "SET LOCAL lock_timeout = '30s'"


def remove_from(connection: Connection, name: str) -> None:
    """Drop a project's schema, and take it out of the registry.

    Raises:
        NotFoundError: There is no such project.
        StorageError: A run or a worker is busy with it, or it cannot be dropped.
    """
    with registry.change_registry(connection):
        schema = _find_schema(connection, name)
        _refuse_busy(connection, name, schema)
        if extension_schema(connection) == schema:
            raise StorageError(
                f"the schema of project {name!r} holds the extension vector, which all"
                " projects need; first run: ALTER EXTENSION vector SET SCHEMA public"
            )
        connection.execute(_LOCK_TIMEOUT)
        drop = sql.SQL("DROP SCHEMA IF EXISTS {} CASCADE")
        connection.execute(drop.format(sql.Identifier(schema)))
        registry.delete_entry(connection, name)


def move_in(connection: Connection, name: str, folder: Path) -> None:
    """Give a project another folder, whatever has become of the old one.

    The folder's own id counts from now on, unless it has another project too.

    Raises:
        NotFoundError: There is no such project.
    """
    with registry.change_registry(connection):
        schema = _find_schema(connection, name)
        identity = keep_identity(folder)
        owner = registry.find_by_id(connection, identity.id)
        is_own = owner is None or owner.name == name
        identity_id = identity.id if is_own else None
        if registry.find_by_name(connection, name) is None:
            registry.insert_entry(
                connection, name=name, schema=schema, root=folder, identity_id=None
            )
        registry.update_owner(connection, name, folder, identity_id)


def _find_schema(connection: Connection, name: str) -> str:
    entry = registry.find_by_name(connection, name)
    if entry is not None:
        return entry.schema
    for schema in registry.find_unowned(connection):
        if name_of(schema) == name:
            return schema
    raise NotFoundError(
        f"there is no project {name!r} in this database; see: outcrop projects"
    )


def _refuse_busy(connection: Connection, name: str, schema: str) -> None:
    if not try_lease(connection, schema, "index"):
        raise StorageError(
            f"project {name!r} is being indexed; wait for that to end, or stop it"
        )
    found = connection.execute(_HAS_QUEUE, (schema,)).fetchone()
    if found is None or found[0] is None:
        return
    workers = _WORKERS.format(sql.Identifier(schema, "procrastinate_workers"))
    count = connection.execute(workers, (_WORKER_SECONDS,)).fetchone()
    if count is not None and count[0]:
        raise StorageError(
            f"workers are busy with project {name!r} ({count[0]} of them); stop them"
            " first"
        )
