"""Asking the databases of an index, without those that do not answer."""

from __future__ import annotations

import logging
import time
from concurrent.futures import wait
from functools import partial, wraps
from typing import TYPE_CHECKING, Concatenate, Generic, ParamSpec, TypeVar

from outcrop.errors import SchemaVersionError, StorageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from concurrent.futures import Executor

    OnLost = Callable[[str, StorageError], None]

_Arguments = ParamSpec("_Arguments")
_Part = TypeVar("_Part")
_Whole = TypeVar("_Whole")
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
        until = self._rest_until.get(name, 0.0)
        return name in self.missing and time.monotonic() < until

    def each(
        self, parts: Mapping[str, _Part], read: Callable[[_Part], _Result]
    ) -> list[_Result]:
        """Read from all databases, and leave out those that fail."""
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


class ParallelSources(Generic[_Part]):
    """The databases of one view by name, as long as they answer.

    Args:
        sources: The databases by name.
        threads: Ask the databases at the same time.
        on_lost: Called with a database that fails; raises if its results must not be
            missing.

    Attributes:
        by_name: The databases that have not failed.
    """

    def __init__(
        self, sources: Mapping[str, _Part], threads: Executor, on_lost: OnLost
    ) -> None:
        self.by_name = dict(sources)
        self._threads = threads
        self._on_lost = on_lost

    def ask_all(self, ask: Callable[[_Part], _Result]) -> dict[str, _Result]:
        """Ask all databases; return their answers by name."""
        return self.ask(
            {name: partial(ask, source) for name, source in self.by_name.items()}
        )

    def ask(self, calls: Mapping[str, Callable[[], _Result]]) -> dict[str, _Result]:
        """Make one call for each of some databases; return their answers by name."""
        waiting = {
            name: self._threads.submit(call)
            for name, call in calls.items()
            if name in self.by_name  # not lost since
        }
        # An error of one ends the view, and the others must not use its connections then.
        wait(waiting.values())
        results: dict[str, _Result] = {}
        for name, future in waiting.items():
            try:
                results[name] = future.result()
            except SchemaVersionError:
                raise
            except StorageError as error:
                self._on_lost(name, error)
                del self.by_name[name]
        return results


def asking(
    method: Callable[Concatenate[_Part, _Arguments], _Result],
    ask: Callable[[_Whole, Callable[[_Part], _Result]], _Result],
) -> Callable[Concatenate[_Whole, _Arguments], _Result]:
    """Make a method of one database a method of several, with the same arguments.

    Args:
        method: What to ask each database.
        ask: Asks the databases, and makes one answer of theirs.
    """

    @wraps(method)
    def of_several(
        self: _Whole, /, *args: _Arguments.args, **kwargs: _Arguments.kwargs
    ) -> _Result:
        return ask(self, lambda part: method(part, *args, **kwargs))

    return of_several
