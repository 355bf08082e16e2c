"""What each file of code said, by application and path, kept until the file changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from outcrop.model.stored import document_id
from outcrop.store.bulk import staged_rows
from outcrop.store.connected import ConnectedStore
from outcrop.store.packing import clean_text

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

_COLUMNS = {
    "application_id": "text",
    "document_id": "text",
    "path": "text",
    "version": "text",
    "digest": "text",
    "shape": "text",
    "module": "text",
    "facts": "bytea",
}
_UPDATED = [name for name in _COLUMNS if name not in ("application_id", "document_id")]
_SHAPES = """
SELECT path, digest, shape, module FROM code_facts
WHERE application_id = %s AND version = %s
"""
_FACTS = """
SELECT path, facts FROM code_facts
WHERE application_id = %s AND version = %s AND document_id = ANY(%s)
    AND facts IS NOT NULL
"""
_DELETE = """
DELETE FROM code_facts WHERE application_id = %s AND document_id <> ALL(%s)
"""
_PUT = f"""
INSERT INTO code_facts ({", ".join(_COLUMNS)})
SELECT {", ".join(_COLUMNS)} FROM code_facts_stage ORDER BY document_id
ON CONFLICT (application_id, document_id) DO UPDATE
SET {", ".join(f"{name} = excluded.{name}" for name in _UPDATED)}
"""  # noqa: S608 - names of columns


class FileShape(NamedTuple):
    """What is known of a file of code without its facts.

    Attributes:
        digest: Hash of its content.
        shape: See `codegraph.parsed`; empty if there are no facts.
        module: Its module name in the graph.
    """

    digest: str
    shape: str
    module: str


class FileFacts(NamedTuple):
    """What a file of code said.

    Attributes:
        shape: What is known without the facts.
        facts: The facts, as bytes; None if the file has none.
    """

    shape: FileShape
    facts: bytes | None


class Facts(ConnectedStore):
    """The facts of files of code."""

    def file_shapes(self, application_id: str, version: str) -> dict[str, FileShape]:
        """Return the shapes of an application's files by path, if of this version."""
        rows = self._fetch(_SHAPES, (application_id, version))
        return {path: FileShape(*row) for path, *row in rows}

    def file_facts(
        self, application_id: str, version: str, paths: Collection[str]
    ) -> dict[str, bytes]:
        """Return the facts of some files by path, if they are of this version."""
        documents = [document_id(path) for path in paths]
        return dict(self._fetch(_FACTS, (application_id, version, documents)))

    def put_file_facts(
        self,
        application_id: str,
        version: str,
        files: Mapping[str, FileFacts],
        *,
        only: Sequence[str] | None = None,
    ) -> None:
        """Write the facts of files by path; `version` is what made them.

        If `only` names all files of the application, the facts of others are deleted.
        """
        rows = [
            (
                *(application_id, document_id(path), clean_text(path), version),
                *(each.shape.digest, each.shape.shape, clean_text(each.shape.module)),
                each.facts,
            )
            for path, each in files.items()
        ]
        with self._database.write() as connection:
            if only is not None:
                kept = [document_id(path) for path in only]
                connection.execute(_DELETE, (application_id, kept))
            if rows:
                with staged_rows(connection, "code_facts", _COLUMNS, rows):
                    connection.execute(_PUT)
