"""What an index is, and what is in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from outcrop.store.projects.identity import is_same_folder, still_holds

if TYPE_CHECKING:
    from pathlib import Path

    from outcrop.store.database import ServerInfo
    from outcrop.store.projects.space import Space
    from outcrop.store.status import StoreStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexStatus:
    """What an index is and what is in it.

    Attributes:
        project: The folder that paths are relative to.
        name: The project's name in a shared database.
        schema: The PostgreSQL schema that holds it.
        root: The folder that the database has for the project.
        notice: What people should know of how the project was found.
        server: Which PostgreSQL it is kept in.
        contents: Counts of what is stored.
        embedder: Name of the embedder that is configured.
    """

    project: str
    server: ServerInfo
    contents: StoreStatus
    embedder: str
    name: str | None
    schema: str
    root: str | None
    notice: str | None


def describe_mismatch(space: Space, folder: Path) -> str | None:
    """Say where the folder in use is not the one that the database has."""
    if space.root is None or is_same_folder(space.root, folder):
        return space.notice
    if still_holds(space.root, space.id):
        return f"the project is the index of {space.root}, not of {folder}"
    return (
        f"the project was indexed in {space.root}, which no longer exists or is another"
        f" project; the next run of outcrop index notes {folder}"
    )
