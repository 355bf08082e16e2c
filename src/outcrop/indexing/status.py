"""The status of an index."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from outcrop.store.projects.identity import is_same_folder, still_holds

if TYPE_CHECKING:
    from pathlib import Path

    from outcrop.store.database import ServerInfo
    from outcrop.store.projects.choose import Space
    from outcrop.store.store import PostgresStore, StoreStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexStatus:
    """The status of an index.

    Attributes:
        project: The folder that paths are relative to.
        name: The project's name in a shared database.
        schema: The PostgreSQL schema that holds it.
        root: The folder recorded in the database for the project.
        notice: A remark for the user if the folders differ.
        server: The PostgreSQL server that holds it.
        contents: Counts of what is stored.
        embedder: Name of the configured embedder.
    """

    project: str
    server: ServerInfo
    contents: StoreStatus
    embedder: str
    name: str | None
    schema: str
    root: str | None
    notice: str | None


def read_status(
    space: Space, store: PostgresStore, project: Path, embedder: str
) -> IndexStatus:
    """Return the status of an open index.

    Args:
        space: The project's name and schema in the database.
        store: The store of the index.
        project: The folder in use.
        embedder: Name of the configured embedder.
    """
    return IndexStatus(
        project=str(project),
        name=space.name,
        schema=space.schema,
        root=None if space.root is None else str(space.root),
        notice=describe_mismatch(space, project),
        server=store.server,
        contents=store.status(),
        embedder=embedder,
    )


def describe_mismatch(space: Space, folder: Path) -> str | None:
    """Return a notice if the folder in use is not the recorded one."""
    if space.root is None or is_same_folder(space.root, folder):
        return space.notice
    if still_holds(space.root, space.id):
        return f"the project is the index of {space.root}, not of {folder}"
    return (
        f"the project was indexed in {space.root}, which no longer exists or is another"
        f" project; the next run of outcrop index notes {folder}"
    )
