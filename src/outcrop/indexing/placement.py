"""Which database of an index with several a document belongs into.

Rendezvous hashing: every database gets a score for every document, and the highest wins.
A new database takes a document from another one only where its own score is the highest,
so nothing moves between the others.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

from outcrop.indexing.files.kinds import CODE

if TYPE_CHECKING:
    from collections.abc import Collection

    from outcrop.indexing.files.discover import SourceFile


class Placement:
    """The databases of an index, and the documents of each.

    Args:
        project: The project's name.
        databases: Their names, in any order.
    """

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
