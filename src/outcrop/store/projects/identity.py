"""Names of projects, their schemas, and the ids of their folders.

A name and its schema can be computed from each other, so that a schema whose row in the
registry was lost can still be opened by name. A folder is known by an id in
`.outcrop/project.json`, which moves with it.
"""

from __future__ import annotations

import json
import os
import re
import secrets
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING

from outcrop.errors import ConfigError
from outcrop.regular_file import read_regular_text
from outcrop.settings import INDEX_FOLDER

if TYPE_CHECKING:
    from pathlib import Path

PROJECT_VARIABLE = "OUTCROP_PROJECT"
# Where everything was kept before projects had schemas of their own.
DEFAULT_SCHEMA = "outcrop"
DEFAULT_NAME = "outcrop"
# Two underscores: no name of a project leads here.
REGISTRY_SCHEMA = "outcrop__registry"

_PREFIX = "outcrop_"
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_ID = re.compile(r"[!-~]{1,100}")
MAX_NAME_LENGTH = 48  # PostgreSQL cuts the names of schemas after 63 bytes
_MAX_SLUG_LENGTH = 30
_DEFAULT_SLUG = "project"
FOLDER = INDEX_FOLDER
FILE = "project.json"
_PATH_PREFIX = "path-"


def is_name(text: str) -> bool:
    """Return whether a text can be the name of a project."""
    return len(text) <= MAX_NAME_LENGTH and _NAME.fullmatch(text) is not None


def check_name(name: str) -> str:
    """Return the name of a project if it is valid.

    Raises:
        ConfigError: It is not.
    """
    if not isinstance(name, str) or not is_name(name):
        raise ConfigError(
            f"invalid project name {name!r}; use lowercase letters, digits and single"
            f" hyphens between them, {MAX_NAME_LENGTH} characters at most"
        )
    return name


def name_from_environment() -> str | None:
    """Return the name that `OUTCROP_PROJECT` gives, if it gives one."""
    name = os.environ.get(PROJECT_VARIABLE)
    return check_name(name) if name else None


def slug(text: str) -> str:
    """Return the beginning of a project's name, made from the name of a folder."""
    words = re.findall(r"[a-z0-9]+", text.lower())
    return "-".join(words)[:_MAX_SLUG_LENGTH].strip("-") or _DEFAULT_SLUG


def schema_of(name: str) -> str:
    """Return the schema of a project."""
    if name == DEFAULT_NAME:
        return DEFAULT_SCHEMA
    return _PREFIX + name.replace("-", "_")


def name_of(schema: str) -> str | None:
    """Return the project that a schema belongs to by its name, if any."""
    if schema == DEFAULT_SCHEMA:
        return DEFAULT_NAME
    name = schema.removeprefix(_PREFIX).replace("_", "-")
    return name if is_name(name) and schema_of(name) == schema else None


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


def has_embedded_index(project: Path) -> bool:
    """Return whether a folder has an embedded database, in it or elsewhere."""
    folder = project / FOLDER
    return (folder / "data").is_dir() or (folder / "location.json").is_file()


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
        values = json.loads(read_regular_text(file))
        identity = Identity(id=values["id"], name=values["name"])
    except (FileNotFoundError, NotADirectoryError):
        return None
    except PermissionError:
        raise
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise _damaged(file) from error
    is_id = isinstance(identity.id, str) and _ID.fullmatch(identity.id)
    if not is_id or not is_name(str(identity.name)):
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

    The name of the project begins with that of the folder, unless one is given. With
    `is_copy`, the identity in the folder is that of another one.
    """
    found = read_own_identity(folder)
    if found is not None and not is_copy:
        return found
    key = secrets.token_hex(8)
    # In another database, the default name may be the index of another folder.
    if name is None or name == DEFAULT_NAME:
        name = default_name(folder, key)
    identity = Identity(id=key, name=name)
    try:
        write_identity(folder, identity)
    except OSError:
        return path_identity(folder)
    return identity


def still_holds(folder: Path, identity_id: str | None) -> bool:
    """Return whether a folder is still that of a project.

    The folder is the one that was indexed last; the project may have no id.
    """
    if identity_id is None or identity_id.startswith(_PATH_PREFIX):
        return folder.is_dir()
    try:
        found = read_identity(folder)
    except (PermissionError, ConfigError):
        return True  # there is a folder, and nothing says that it is another project
    return found is not None and found.id == identity_id


def is_same_folder(one: Path, other: Path) -> bool:
    """Return whether two paths lead to the same folder."""
    try:
        return one == other or one.samefile(other)
    except OSError:
        return False


def _damaged(file: Path) -> ConfigError:
    return ConfigError(
        f"{file} is damaged; delete it, and name the project with --project"
    )
