"""The projects of a shared database: listed, removed, and bound to their folders."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from psycopg import errors, sql

from outcrop.errors import ConfigError, NotFoundError, StorageError
from outcrop.store.leases import try_lease
from outcrop.store.migrate import extension_schema
from outcrop.store.projects import registry
from outcrop.store.projects.choose import register_space
from outcrop.store.projects.identity import (
    is_same_folder,
    keep_identity,
    name_of,
    still_holds,
)

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from outcrop.store.address import Connection
    from outcrop.store.database import Database

# A worker with a heartbeat within this time is running.
_WORKER_SECONDS = 15
_HAS_QUEUE = "SELECT to_regclass(format('%%I.procrastinate_workers', %s::text))"
_WORKERS = sql.SQL("""
SELECT count(*) FROM {} WHERE last_heartbeat > now() - make_interval(secs => %s)
""")
# A search holds the tables for a moment; nothing that takes longer is waited for.
_LOCK_TIMEOUT = "SET LOCAL lock_timeout = '30s'"
_SIZE = """
SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = %s AND c.relkind = 'r'
"""
# A run that found nothing to do leaves no trace here.
_COUNTS = sql.SQL("""
SELECT (SELECT count(*) FROM {schema}.documents),
    (SELECT count(*) FROM {schema}.chunks),
    (SELECT max(updated_at) FROM {schema}.documents)
""")


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


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectInfo:
    """A project in a shared database.

    Attributes:
        name: What it is called.
        schema: The PostgreSQL schema that holds it.
        root: Its folder, on the machine that indexed it last; None where the project
            has no owner.
        documents: Documents in it; None where this user may not look.
        chunks: Chunks in it; None where this user may not look.
        size_bytes: Size on disk.
        created_at: When it was registered; None where the project has no owner.
        indexed_at: When a document was last written.
    """

    name: str
    schema: str
    root: str | None
    documents: int | None
    chunks: int | None
    size_bytes: int
    created_at: datetime | None
    indexed_at: datetime | None


def describe_projects(connection: Connection) -> list[ProjectInfo]:
    """Return what a database holds, by name; those without an owner come last."""
    found = [
        _describe(connection, entry.name, entry.schema, entry)
        for entry in registry.read_entries(connection)
    ]
    for schema in registry.find_unowned(connection):
        name = str(name_of(schema))
        found.append(_describe(connection, name, schema, None))
    return found


def _describe(
    connection: Connection, name: str, schema: str, entry: registry.Entry | None
) -> ProjectInfo:
    size = connection.execute(_SIZE, (schema,)).fetchone()
    documents, chunks, indexed_at = _count(connection, schema)
    return ProjectInfo(
        name=name,
        schema=schema,
        root=str(entry.root) if entry is not None else None,
        documents=documents,
        chunks=chunks,
        size_bytes=size[0] if size is not None else 0,
        created_at=entry.created_at if entry is not None else None,
        indexed_at=indexed_at,
    )


def _count(
    connection: Connection, schema: str
) -> tuple[int | None, int | None, datetime | None]:
    query = _COUNTS.format(schema=sql.Identifier(schema))
    try:
        with connection.transaction():
            counted = connection.execute(query).fetchone()
    except (errors.UndefinedTable, errors.InvalidSchemaName):
        return 0, 0, None  # registered, but nothing was ever written
    except errors.InsufficientPrivilege:
        return None, None, None
    documents, chunks, indexed_at = counted or (0, 0, None)
    return documents, chunks, indexed_at


def claim_space(database: Database, folder: Path) -> None:
    """Note that a folder is indexed into a project; to be called before it is.

    Where the project's folder no longer exists, this one takes its place: it was moved,
    or is the same on another machine.

    Raises:
        ConfigError: The project is the index of another folder.
    """
    space = database.space
    if space.name is None:
        return
    if space.root is None:  # an index without an owner
        with database.write() as connection:
            database.space = register_space(connection, folder, name=space.name)
        return
    if is_same_folder(space.root, folder):
        return
    if still_holds(space.root, space.id):
        raise ConfigError(
            f"project {space.name!r} is the index of {space.root}, not of {folder};"
            " index that folder, name another project with --project, or give the"
            f" project this folder with: outcrop projects move {space.name} {folder}"
        )
    with database.write() as connection:
        registry.update_owner(connection, space.name, folder, space.id)
    database.space = replace(space, root=folder)
