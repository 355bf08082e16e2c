"""The schema of an index: numbered SQL files, each applied once and in order.

A new embedded database is created with it; see `migrate` for any other.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib import resources

from outcrop.store.projects.identity import DEFAULT_SCHEMA

CREATE_EXTENSION = "CREATE EXTENSION vector"
CREATE_MIGRATIONS = """
CREATE TABLE IF NOT EXISTS schema_migrations (
    version int PRIMARY KEY,
    name text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
)
"""
_NAME = re.compile(r"(\d{4})_(\w+)\.sql")


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """One step of the schema."""

    version: int
    name: str
    statements: str


@cache
def known_migrations() -> tuple[Migration, ...]:
    """Return the steps this version of Outcrop knows, in order."""
    folder = resources.files("outcrop.store") / "migrations"
    found = [
        Migration(
            version=int(match[1]),
            name=match[2],
            statements=file.read_text(encoding="utf-8"),
        )
        for file in folder.iterdir()
        if (match := _NAME.fullmatch(file.name))
    ]
    return tuple(sorted(found, key=lambda migration: migration.version))


def creating_statements() -> list[str]:
    """Return what makes the schema in an empty embedded database."""
    statements = [
        CREATE_EXTENSION,
        f"CREATE SCHEMA {DEFAULT_SCHEMA}",
        f"SET search_path = {DEFAULT_SCHEMA}, public",
        CREATE_MIGRATIONS,
    ]
    for each in known_migrations():
        note = f"SELECT {each.version}, '{each.name}'"  # the name of one of our files
        statements += [
            each.statements.rstrip().removesuffix(";"),
            f"INSERT INTO schema_migrations (version, name) {note}",
        ]
    return statements
