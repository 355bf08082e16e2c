"""The scope of an index: the paths that it was built from, and with which settings."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from outcrop.store.connected import ConnectedStore
from outcrop.store.packing import to_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_READ = "SELECT value FROM index_settings WHERE key = 'scope'"
_SET = """
INSERT INTO index_settings (key, value) VALUES ('scope', %s::jsonb)
ON CONFLICT (key) DO UPDATE SET value = excluded.value
WHERE index_settings.value IS DISTINCT FROM excluded.value
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredScope:
    """What a later run needs to bring the whole index up to date.

    Attributes:
        paths: Files and folders of the project; `.` is the project itself.
        settings: The settings of the last run, as JSON values.
    """

    paths: Sequence[str]
    settings: Mapping[str, Any] = field(default_factory=dict)


class Scopes(ConnectedStore):
    """The recorded scope of the index."""

    def scope(self) -> StoredScope | None:
        """Return the scope; None if no run has recorded one."""
        rows = self._fetch(_READ)
        return StoredScope(**rows[0][0]) if rows else None

    def set_scope(self, scope: StoredScope) -> None:
        """Record the scope."""
        value = {"paths": list(scope.paths), "settings": dict(scope.settings)}
        with self._database.write() as connection:
            connection.execute(_SET, (to_json(value),))
