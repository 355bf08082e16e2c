"""Settings that an index records for later runs: one row each, a key and a JSON value."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from outcrop.store.connected import ConnectedStore
from outcrop.store.packing import to_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredScope:
    """What a later run needs to bring the whole index up to date.

    Attributes:
        paths: Files and folders of the project; `.` is the project itself.
        settings: The settings of the last run, as JSON values.
    """

    paths: Sequence[str]
    settings: Mapping[str, Any] = field(default_factory=dict)


class RecordedSettings(ConnectedStore):
    """The recorded settings of the index; None, or false, before they are recorded."""

    def scope(self) -> StoredScope | None:
        """Return the paths and settings that the index was built with."""
        value = self._setting("scope")
        return None if value is None else StoredScope(**value)

    def set_scope(self, scope: StoredScope) -> None:
        """Record the scope."""
        value = {"paths": list(scope.paths), "settings": dict(scope.settings)}
        self._record("scope", value)

    def code_strategy(self) -> str | None:
        """Return the name of the strategy that plans code."""
        name: str | None = self._setting("strategy")
        return name

    def set_code_strategy(self, name: str) -> None:
        """Record the strategy for code."""
        self._record("strategy", name)

    def summaries_mode(self) -> str | None:
        """Return who summarised the sections in the last run."""
        mode: str | None = self._setting("summaries")
        return mode

    def set_summaries_mode(self, mode: str) -> None:
        """Record who summarises the sections."""
        self._record("summaries", mode)

    def mentions_pending(self) -> bool:
        """Return whether mentions may be out of date."""
        return self._setting("mentions_pending") is True

    def set_mentions_pending(self, *, pending: bool) -> None:
        """Record whether mentions may be out of date."""
        self._record("mentions_pending", pending)

    def _setting(self, key: str) -> Any:
        return self._read(lambda connection: read_setting(connection, key))

    def _record(self, key: str, value: object) -> None:
        with self._database.write() as connection:
            write_setting(connection, key, value)
