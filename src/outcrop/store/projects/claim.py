"""A project is the index of one folder: another is not indexed into it by mistake."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from outcrop.errors import ConfigError
from outcrop.store.projects import registry
from outcrop.store.projects.choose import register_space
from outcrop.store.projects.identity import is_same_folder, still_holds

if TYPE_CHECKING:
    from pathlib import Path

    from outcrop.store.database import Database


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
        registry.update_root(connection, space.name, folder)
    database.space = replace(space, root=folder)
