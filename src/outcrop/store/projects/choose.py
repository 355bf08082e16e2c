"""Choosing the space of a project in a shared database: which schema holds it.

By name, or by the folder: its id in `.outcrop/project.json` names a row of the registry.
Opening a project that is registered writes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
from psycopg import errors, sql

from outcrop.errors import NotFoundError, StorageError
from outcrop.store.projects import registry
from outcrop.store.projects.identity import (
    DEFAULT_NAME,
    DEFAULT_SCHEMA,
    FILE,
    FOLDER,
    REGISTRY_SCHEMA,
    Identity,
    default_name,
    is_same_folder,
    keep_identity,
    name_of,
    path_identity,
    read_own_identity,
    schema_of,
    still_holds,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outcrop.store.address import Connection
    from outcrop.store.projects.registry import Entry

_MAX_NAMES = 10  # in a message
# Ids are hashes of paths, so the first ones are a fair sample.
_SAMPLE_SIZE = 200
# Absolute paths lie outside the project, and say nothing of which one it is.
_SAMPLE = sql.SQL("""
SELECT path, size_bytes FROM {}.documents WHERE path NOT LIKE '/%%'
ORDER BY id LIMIT %s
""")


@dataclass(frozen=True, slots=True, kw_only=True)
class Space:
    """Where the index of a project is in a database.

    Attributes:
        schema: The PostgreSQL schema.
        name: The project's name; None if the schema was given, and in an
            embedded database, which holds one project only.
        root: The folder that the registry has for the project.
        id: The id of that folder.
        is_new: Whether it was created just now.
        notice: A note for the user on how it was chosen.
    """

    schema: str
    name: str | None = None
    root: Path | None = None
    id: str | None = None
    is_new: bool = False
    notice: str | None = None


def choose_space(
    connection: Connection, folder: Path, name: str | None, *, create: bool
) -> Space:
    """Return the space of a project by its name, or else by its folder.

    Raises:
        NotFoundError: There is no project and `create` is false.
        StorageError: The registry cannot be read or written.
    """
    try:
        if name is not None:
            return _choose_by_name(connection, folder, name, create=create)
        return _choose_by_folder(connection, folder, create=create)
    except errors.InsufficientPrivilege as error:
        raise StorageError(_explain_refusal(connection, error)) from error
    except psycopg.Error as error:
        raise StorageError(f"cannot read the registry of projects: {error}") from error


def _choose_by_name(
    connection: Connection, folder: Path, name: str, *, create: bool
) -> Space:
    entry = registry.find_by_name(connection, name)
    if entry is not None:
        return _space_of(entry)
    is_unowned = schema_of(name) in registry.find_unowned(connection)
    if not create and not is_unowned:
        hint = f" (for the folder, write ./{name})" if Path(name).is_dir() else ""
        raise NotFoundError(
            f"there is no project {name!r} in this database{hint};"
            f" {_list_names(connection)}"
        )
    if not create:
        return Space(name=name, schema=schema_of(name))
    return register_space(connection, folder, name=name)


def _choose_by_folder(connection: Connection, folder: Path, *, create: bool) -> Space:
    entry = _find_entry(connection, folder)
    if entry is not None:
        return _space_of(entry)
    original = _find_original(connection, folder)
    if original is None and _is_default_ours(connection, folder):
        return register_space(connection, folder, name=DEFAULT_NAME)
    if not create:
        why = "" if original is None else f" (it is a copy of {original.root})"
        raise NotFoundError(
            f"there is no index of {folder}{why} in this database; create one with:"
            " outcrop index PATH, or name another project with --project;"
            f" {_list_names(connection)}"
        )
    return register_space(connection, folder, name=None)


def register_space(connection: Connection, folder: Path, *, name: str | None) -> Space:
    """Give a folder a project, unless another process has done so meanwhile.

    The project gets a free name if none is given.
    """
    try:
        with registry.change_registry(connection):
            return _register_locked(connection, folder, name)
    except errors.InsufficientPrivilege:
        # A user who may use one schema but not create others can keep using that one.
        if name is None or not registry.schema_exists(connection, schema_of(name)):
            raise
        notice = "this user may not write the registry, so the project is not listed"
        return Space(name=name, schema=schema_of(name), notice=notice)


def _register_locked(connection: Connection, folder: Path, name: str | None) -> Space:
    if name is not None and (named := registry.find_by_name(connection, name)):
        return _space_of(named)
    entry = _find_entry(connection, folder)
    if entry is not None and name is None:
        return _space_of(entry)
    identity, own_id = path_identity(folder), None
    if entry is None:  # otherwise the folder has a project that is found without a name
        is_copy = _find_original(connection, folder) is not None
        identity = keep_identity(folder, name, is_copy=is_copy)
        own_id = identity.id
    chosen = name or _free_name(connection, folder, identity)
    schema = schema_of(chosen)
    registry.insert_entry(
        connection, name=chosen, schema=schema, root=folder, identity_id=own_id
    )
    space = Space(name=chosen, schema=schema, root=folder, id=own_id, is_new=True)
    return replace(space, notice=_notice_of(space))


def _find_entry(connection: Connection, folder: Path) -> Entry | None:
    """Return the project of a folder, by its id or else by its path."""
    kept = read_own_identity(folder)
    if kept is not None:
        entry = registry.find_by_id(connection, kept.id)
        if entry is not None and not _is_copy(entry, folder):
            return entry
    return registry.find_by_id(connection, path_identity(folder).id)


def _find_original(connection: Connection, folder: Path) -> Entry | None:
    """Return the project that a folder is a copy of, if it is one."""
    kept = read_own_identity(folder)
    entry = registry.find_by_id(connection, kept.id) if kept is not None else None
    return entry if entry is not None and _is_copy(entry, folder) else None


def _free_name(connection: Connection, folder: Path, identity: Identity) -> str:
    """Return a name that neither a project nor an index without an owner has."""
    for name in _candidate_names(folder, identity):
        is_taken = registry.find_by_name(connection, name) is not None
        if not is_taken and not registry.schema_exists(connection, schema_of(name)):
            return name
    raise StorageError(
        f"all names for the project of {folder} are taken; name it with --project"
    )


def _candidate_names(folder: Path, identity: Identity) -> Iterator[str]:
    key = identity.id.rpartition("-")[2]
    yield identity.name
    yield default_name(folder, key)
    yield default_name(folder, key, length=len(key))


def _is_copy(entry: Entry, folder: Path) -> bool:
    """Return whether a folder has the id of another one, which still exists."""
    if is_same_folder(entry.root, folder):
        return False
    return still_holds(entry.root, entry.id)


def _is_default_ours(connection: Connection, folder: Path) -> bool:
    """Return whether the index in the default schema, which has no owner, is a folder's."""
    if DEFAULT_SCHEMA not in registry.find_unowned(connection):
        return False
    return is_index_of(connection, DEFAULT_SCHEMA, folder)


def _space_of(entry: Entry) -> Space:
    space = Space(name=entry.name, schema=entry.schema, root=entry.root, id=entry.id)
    return replace(space, notice=_notice_of(space))


def _notice_of(space: Space) -> str | None:
    if space.id is None or not Identity(id=space.id, name="").is_path:
        return None
    return (
        f"{space.root} cannot hold {FOLDER}/{FILE}, so the project goes by its path;"
        " after a move, name it with --project"
    )


def _list_names(connection: Connection) -> str:
    names = [entry.name for entry in registry.read_entries(connection)]
    names += [str(name_of(schema)) for schema in registry.find_unowned(connection)]
    if not names:
        return "it holds no projects"
    shown = ", ".join(names[:_MAX_NAMES])
    left = len(names) - _MAX_NAMES
    more = f" and {left:,} more: see outcrop projects" if left > 0 else ""
    return f"its projects are: {shown}{more}"


def _explain_refusal(connection: Connection, error: psycopg.Error) -> str:
    user, database = connection.info.user, connection.info.dbname
    return (
        f"user {user!r} may not keep projects in this database: {error}; let an"
        f' administrator run: GRANT CREATE ON DATABASE "{database}" TO "{user}"; and,'
        f" where the schema {REGISTRY_SCHEMA} exists: GRANT USAGE ON SCHEMA"
        f' {REGISTRY_SCHEMA} TO "{user}"; GRANT SELECT, INSERT, UPDATE, DELETE ON'
        f' {REGISTRY_SCHEMA}.projects TO "{user}"'
    )


def is_index_of(connection: Connection, schema: str, folder: Path) -> bool:
    """Return whether at least half of the indexed files are in a folder with the same size."""
    query = _SAMPLE.format(sql.Identifier(schema))
    rows = connection.execute(query, (_SAMPLE_SIZE,)).fetchall()
    found = sum(_matches(folder / path, size) for path, size in rows)
    return found > 0 and found * 2 >= len(rows)


def _matches(file: Path, size: int | None) -> bool:
    try:
        status = file.stat()
    except (OSError, ValueError):
        return False
    return size is None or status.st_size == size
