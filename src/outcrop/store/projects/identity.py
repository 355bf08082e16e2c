"""What a folder is known by: an id in `.outcrop/project.json`, which moves with it."""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING

from outcrop.errors import ConfigError
from outcrop.store.projects.names import DEFAULT_NAME, is_name, slug

if TYPE_CHECKING:
    from pathlib import Path

FOLDER = ".outcrop"
FILE = "project.json"
_PATH_PREFIX = "path-"


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """What a folder is known by.

    Attributes:
        id: Unique among folders.
        name: What its project is called in a database where the name is free.
    """

    id: str
    name: str

    @property
    def is_path(self) -> bool:
        """Whether the id stands for the path, and does not move with the folder."""
        return self.id.startswith(_PATH_PREFIX)


def make_folder(folder: Path) -> None:
    """Make a `.outcrop` folder, which git ignores."""
    folder.mkdir(parents=True, exist_ok=True)
    ignore = folder / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n")


def path_identity(folder: Path) -> Identity:
    """Return the identity of a folder that cannot hold a file."""
    digest = blake2b(str(folder).encode("utf-8", "surrogateescape"), digest_size=8)
    key = digest.hexdigest()
    return Identity(id=_PATH_PREFIX + key, name=default_name(folder, key))


def default_name(folder: Path, key: str, length: int = 6) -> str:
    """Return the name of a project by its folder and a random or hashed key."""
    return f"{slug(folder.name)}-{key[:length]}"


def read_identity(folder: Path) -> Identity | None:
    """Return the identity stored in a folder, or None if it has none.

    Raises:
        ConfigError: The file is damaged.
        PermissionError: It may not be read.
    """
    file = folder / FOLDER / FILE
    try:
        text = file.read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except UnicodeDecodeError as error:
        raise _damaged(file) from error
    try:
        values = json.loads(text)
        identity = Identity(id=values["id"], name=values["name"])
    except (ValueError, KeyError, TypeError) as error:
        raise _damaged(file) from error
    if not isinstance(identity.id, str) or not is_name(str(identity.name)):
        raise _damaged(file)
    return identity


def write_identity(folder: Path, identity: Identity) -> None:
    """Keep an identity in a folder, in place of any other.

    Raises:
        OSError: The folder cannot be written.
    """
    make_folder(folder / FOLDER)
    file = folder / FOLDER / FILE
    beside = file.with_name(f"{FILE}.{secrets.token_hex(4)}")
    try:
        beside.write_text(
            json.dumps({"id": identity.id, "name": identity.name}) + "\n",
            encoding="utf-8",
        )
        beside.replace(file)
    finally:
        beside.unlink(missing_ok=True)


def read_own_identity(folder: Path) -> Identity | None:
    """Return the identity of a project's own folder; None where it may not be read."""
    try:
        return read_identity(folder)
    except PermissionError:
        return None


def keep_identity(
    folder: Path, name: str | None = None, *, is_copy: bool = False
) -> Identity:
    """Return the identity of a folder, and keep it there where that is possible.

    Args:
        folder: The project's folder; its name begins that of the project.
        name: The name of the project, where one was given.
        is_copy: Whether the identity in the folder is that of another one.
    """
    found = read_own_identity(folder)
    if found is not None and not is_copy:
        return found
    key = secrets.token_hex(8)
    # In another database, the default name may be an index of anybody's.
    if name is None or name == DEFAULT_NAME:
        name = default_name(folder, key)
    identity = Identity(id=key, name=name)
    try:
        write_identity(folder, identity)
    except OSError:
        return path_identity(folder)
    return identity


def still_holds(folder: Path, identity_id: str | None) -> bool:
    """Say whether a folder is still the one of a project.

    Args:
        folder: Where the project was last indexed.
        identity_id: The id of that folder, where the project has one.
    """
    if identity_id is None or identity_id.startswith(_PATH_PREFIX):
        return folder.is_dir()
    try:
        found = read_identity(folder)
    except (PermissionError, ConfigError):
        return True  # something is there, and nobody says that it is another project
    return found is not None and found.id == identity_id


def is_same_folder(one: Path, other: Path) -> bool:
    """Say whether two paths lead to the same folder."""
    try:
        return one == other or one.samefile(other)
    except OSError:
        return False


def _damaged(file: Path) -> ConfigError:
    return ConfigError(
        f"{file} is damaged; delete it, and name the project with --project"
    )
