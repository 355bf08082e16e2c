"""Indexes large files of Markdown with memory for a window of them.

All parts of a file are written in one transaction: a process that is killed leaves the
stored version as it was, and the next run indexes the file again.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from outcrop.errors import INTERRUPTS, OutcropError, StorageError, describe_failure
from outcrop.indexing.documents.embed import embed_chunks
from outcrop.indexing.documents.markdown_chunks import WholeTextNeededError
from outcrop.indexing.documents.streamed import UnindexableError, open_streamed
from outcrop.indexing.files.content import is_streamed
from outcrop.store.failures import describe_refusal, is_refused

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from outcrop.indexing.config import IndexConfig
    from outcrop.indexing.documents.prepare import Task
    from outcrop.indexing.documents.streamed import StreamedDocument
    from outcrop.indexing.written import Written
    from outcrop.model.stored import StoredChunk
    from outcrop.providers.embedder import Embedder
    from outcrop.store.document_replacement import DocumentReplacement
    from outcrop.store.store import PostgresStore

_BATCH_CHUNKS = 1_000


class LargeFiles:
    """Writes files that are too large to be read as a whole."""

    def __init__(
        self, store: PostgresStore, embedder: Embedder, config: IndexConfig
    ) -> None:
        self._store = store
        self._embedder = embedder
        self._config = config

    def write(self, task: Task, written: Written) -> bool:
        """Write a file, if it is one to be written window by window.

        Returns:
            False for a file that has to be read as a whole; nothing was done.

        Raises:
            OutcropError: The database or a model failed.
        """
        if not self._takes(task):
            return False
        try:
            self._write(task, written)
        except WholeTextNeededError:
            return False
        except StorageError as error:
            if not is_refused(error):
                raise
            written.reject(task.path, describe_refusal(error))
        except (*INTERRUPTS, OutcropError):
            raise
        except UnindexableError as error:
            written.reject(task.path, str(error), keeps_stored=False)
        except OSError:
            written.reject(task.path, "unreadable")
        except BaseException as error:  # noqa: BLE001 - a panic of a native parser is not an Exception
            written.reject(task.path, describe_failure(error))
        return True

    def _takes(self, task: Task) -> bool:
        # A language model is given the whole text of a document.
        if task.content is not None or self._config.summaries == "llm":
            return False
        try:
            size = Path(task.file).stat().st_size
        except OSError:
            return False
        return is_streamed(task.kind, task.path, size)

    def _write(self, task: Task, written: Written) -> None:
        embedded = 0
        with (
            open_streamed(task, self._config) as streamed,
            self._store.replace_document(task.path) as replacement,
        ):
            for batch in _batches(_chunks(streamed, replacement)):
                embedded += self._write_batch(replacement, batch)
            document = streamed.document()
            replacement.finish(document)
        written.replaced += replacement.changes
        written.stored.append((document.path, document.size_bytes or 0))
        written.embedded += embedded

    def _write_batch(
        self, replacement: DocumentReplacement, batch: Sequence[StoredChunk]
    ) -> int:
        """Embed and store some chunks; return how many were embedded."""
        stored = replacement.stored(batch)
        known = {
            chunk_id: state.search_hash
            for chunk_id, state in stored.items()
            if state.search_hash is not None and not state.lacks_embedding
        }
        done = embed_chunks(batch, known, self._embedder)
        replacement.add(done, stored)
        return sum(chunk.emb is not None for chunk in done)


def _chunks(
    streamed: StreamedDocument, replacement: DocumentReplacement
) -> Iterator[StoredChunk]:
    """Yield the chunks of a document; its sections are stored on the way."""
    for part in streamed.parts():
        replacement.add_sections(part.sections)
        yield from part.chunks


def _batches(chunks: Iterable[StoredChunk]) -> Iterator[list[StoredChunk]]:
    batch: list[StoredChunk] = []
    for chunk in chunks:
        batch.append(chunk)
        if len(batch) == _BATCH_CHUNKS:
            yield batch
            batch = []
    if batch:
        yield batch
