"""The table of settings: one row each, a key and a JSON value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from outcrop.store.packing import to_json

if TYPE_CHECKING:
    from outcrop.store.database import Connection

_READ = "SELECT value FROM index_settings WHERE key = %s"
_WRITE = """
INSERT INTO index_settings (key, value) VALUES (%s, %s::jsonb)
ON CONFLICT (key) DO UPDATE SET value = excluded.value
WHERE index_settings.value <> excluded.value
"""


def read_setting(connection: Connection, key: str) -> Any:
    """Return a setting; None before it is written."""
    row = connection.execute(_READ, (key,)).fetchone()
    return row[0] if row else None


def write_setting(connection: Connection, key: str, value: object) -> None:
    """Write a setting."""
    connection.execute(_WRITE, (key, to_json(value)))
