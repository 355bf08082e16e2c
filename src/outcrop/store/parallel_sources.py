"""Asking several databases at the same time, without those that fail."""

from __future__ import annotations

from concurrent.futures import wait
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from outcrop.errors import SchemaVersionError, StorageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from concurrent.futures import Executor

    from outcrop.store.search_source import PostgresSource

    OnLost = Callable[[str, StorageError], None]

_Result = TypeVar("_Result")


class ParallelSources:
    """The databases of one view by name, as long as they answer.

    Attributes:
        by_name: The databases that have not failed.
    """

    def __init__(
        self,
        sources: Mapping[str, PostgresSource],
        threads: Executor,
        on_lost: OnLost,
    ) -> None:
        """Ask several databases.

        Args:
            sources: The databases by name.
            threads: Ask the databases at the same time.
            on_lost: Called with a database that fails; raises if its results must not
                be missing.
        """
        self.by_name = dict(sources)
        self._threads = threads
        self._on_lost = on_lost

    def ask_all(self, ask: Callable[[PostgresSource], _Result]) -> dict[str, _Result]:
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
