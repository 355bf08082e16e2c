"""The parts of one index in several databases, as far as they can be reached.

Which database a document belongs into is decided by rendezvous hashing: every database
gets a score for every document, and the highest wins. A new database takes a document
from another one only where its own score is the highest, so nothing moves between the
others.
"""

from __future__ import annotations

import time
from copy import copy
from hashlib import blake2b
from threading import Lock, Thread
from typing import TYPE_CHECKING, TypeVar

from outcrop.errors import NotFoundError, OutcropError, StorageError
from outcrop.indexing.files.kinds import CODE
from outcrop.store.address import describe_place
from outcrop.store.availability import Availability

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from outcrop.indexing.config import IndexConfig
    from outcrop.indexing.files.discover import SourceFile
    from outcrop.indexing.index import Index
    from outcrop.store.store import PostgresStore

    # Opens the part in a database, given its URL and the project's name.
    OpenPart = Callable[[str, str | None], Index]

_Result = TypeVar("_Result")

# For a database whose results may be missing.
_WAIT_SECONDS = 5.0
# How often a database that could not be opened is tried again.
_REOPEN_SECONDS = 5.0


class Placement:
    """The databases of an index, and the documents of each."""

    def __init__(self, project: str, databases: Collection[str]) -> None:
        self._project = project
        self._databases = sorted(databases)

    def owner(self, path: str) -> str:
        """Return the database that a document belongs into."""
        return max(self._databases, key=lambda name: self._score(name, path))

    def is_owner(self, database: str, file: SourceFile) -> bool:
        """Return whether a file belongs into a database.

        The code of a project has a graph across its files, so all of it is in one
        database.
        """
        return self.owner("" if file.kind == CODE else file.path) == database

    def _score(self, database: str, path: str) -> bytes:
        text = f"{database}\0{self._project}\0{path}"
        return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()


class Shards:
    """The open parts of an index.

    Args:
        urls: The databases.
        open_part: Opens the part in one of them.
        project: The project's name, if it is known.
        requires_all: Whether a database that cannot be reached is an error; otherwise it
            is noted, and tried again while the index is open.

    Attributes:
        indexes: The parts by the places of their databases.
        stores: Their stores.
        availability: Which databases answer.

    Raises:
        NotFoundError: No database has an index of the project.
        StorageError: A database cannot be reached, or none can.
    """

    def __init__(
        self,
        urls: Sequence[str],
        open_part: OpenPart,
        *,
        project: str | None,
        requires_all: bool,
    ) -> None:
        self._urls = {describe_place(url): url for url in dict.fromkeys(urls)}
        self._open_part = open_part
        self._project = project
        self.indexes: dict[str, Index] = {}
        self.stores: dict[str, PostgresStore] = {}
        self.availability = Availability(requires_all=requires_all)
        self._lock = Lock()
        self._tried_at = time.monotonic()
        self._is_closed = False
        try:
            self._open_all()
        except BaseException:
            self.close()
            raise

    def _open_all(self) -> None:
        problem: OutcropError = StorageError("no database is named")
        for name in self._urls:
            try:
                self._open(name)
            except NotFoundError as error:
                problem = error  # a database that was added and is still empty
            except StorageError as error:
                self.availability.lose(name, error)
                if not isinstance(problem, NotFoundError):
                    problem = error
        if not self.indexes:
            raise problem

    def _open(self, name: str) -> None:
        index = self._open_part(self._urls[name], self._project)
        # Documents are placed by the name, so it is the same everywhere.
        self._project = self._project or index.space.name
        if not self.availability.requires_all:
            index.database.wait_seconds = _WAIT_SECONDS
        with self._lock:
            if self._is_closed:
                index.close()
                return
            self.indexes[name] = index
            self.stores[name] = index.store
        self.availability.find(name)

    def each(self, read: Callable[[Index], _Result]) -> list[_Result]:
        """Read from all databases that answer."""
        return self.availability.each(self.indexes, read)

    @property
    def placement(self) -> Placement:
        """Which database each document belongs into."""
        return Placement(self._project or "", self._urls)

    @property
    def home(self) -> str:
        """The place of the database with the code and the runs of the index."""
        return self.placement.owner("")

    @property
    def home_url(self) -> str:
        """The URL of that database."""
        return self._urls[self.home]

    def with_config(self, config: IndexConfig) -> Shards:
        """Return the same parts with other settings."""
        shards = copy(self)
        shards.indexes = {name: copy(index) for name, index in self.indexes.items()}
        for index in shards.indexes.values():
            index.config = config
        return shards

    def reopen(self) -> None:
        """Try again to open what could not be opened, in the background."""
        if self.availability.requires_all:
            return
        unopened = [
            name
            for name in self._urls
            if name not in self.indexes and name in self.availability.missing
        ]
        with self._lock:
            is_due = time.monotonic() - self._tried_at >= _REOPEN_SECONDS
            if not unopened or not is_due or self._is_closed:
                return
            self._tried_at = time.monotonic()
        Thread(target=self._reopen, args=(unopened,), daemon=True).start()

    def _reopen(self, names: Sequence[str]) -> None:
        for name in names:
            try:
                self._open(name)
            except OutcropError as error:
                self.availability.missing[name] = str(error)

    def close(self) -> None:
        """Close all parts."""
        with self._lock:
            self._is_closed = True
        for index in self.indexes.values():
            index.close()
