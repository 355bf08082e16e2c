"""Which of the databases of an index answer."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, TypeVar

from outcrop.errors import SchemaVersionError, StorageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_Part = TypeVar("_Part")
_Result = TypeVar("_Result")
_log = logging.getLogger(__name__)
# How long a database that failed is not asked: every request would wait for it.
REST_SECONDS = 3.0


class Availability:
    """The databases that do not answer, unless all of them have to.

    Args:
        requires_all: Whether a failure of one database is an error.

    Attributes:
        missing: The databases that do not answer, with the reason.
    """

    def __init__(self, *, requires_all: bool) -> None:
        self.requires_all = requires_all
        self.missing: dict[str, str] = {}
        self._rest_until: dict[str, float] = {}

    def lose(self, name: str, error: StorageError) -> None:
        """Note that a database failed.

        Raises:
            StorageError: The error, if all databases have to answer.
        """
        if self.requires_all:
            raise error
        if name not in self.missing:
            _log.warning("%s does not answer: %s", name, error)
        self.missing[name] = str(error)
        self._rest_until[name] = time.monotonic() + REST_SECONDS

    def find(self, name: str) -> None:
        """Note that a database answers."""
        self.missing.pop(name, None)

    def is_resting(self, name: str) -> bool:
        """Return whether a database failed a moment ago."""
        rests = name in self.missing and self._rest_until.get(name, 0.0)
        return bool(rests) and time.monotonic() < self._rest_until[name]

    def each(
        self, parts: Mapping[str, _Part], read: Callable[[_Part], _Result]
    ) -> list[_Result]:
        """Read from all databases, and leave out those that fail.

        Args:
            parts: What to read from, by the names of the databases.
            read: Reads from one.
        """
        results = []
        for name, part in list(parts.items()):
            if self.is_resting(name):
                continue
            try:
                results.append(read(part))
            except SchemaVersionError:
                raise
            except StorageError as error:
                self.lose(name, error)
            else:
                self.find(name)
        return results

    def describe_missing(self) -> str | None:
        """Return which databases results are without, or None."""
        if not self.missing:
            return None
        names = ", ".join(sorted(self.missing))
        return f"results may be incomplete: no answer from {names}"
