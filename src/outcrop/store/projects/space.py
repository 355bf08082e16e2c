"""The space of a project in a database: which schema it is, and how it was chosen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Space:
    """Where the index of a project is in a database.

    Attributes:
        schema: The PostgreSQL schema.
        name: The project's name; None where the schema was chosen itself, and in an
            embedded database, which holds one project only.
        root: The folder that the registry has for the project.
        id: The id of that folder.
        is_new: Whether it was made just now.
        notice: What people should know of how it was chosen.
    """

    schema: str
    name: str | None = None
    root: Path | None = None
    id: str | None = None
    is_new: bool = False
    notice: str | None = None
