"""Makes documents of files and stores them, in this process or in a worker.

A group of files becomes a few transactions. What is stored depends on the files alone,
so a group may be written twice: a worker that is killed leaves either nothing or rows
that the next attempt finds unchanged.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from outcrop.errors import INTERRUPTS, OutcropError, StorageError, describe_failure
from outcrop.indexing.code.files import CodeFiles
from outcrop.indexing.code.tasks import CodeTask
from outcrop.indexing.documents.embed import embed_documents
from outcrop.indexing.documents.prepare import prepare_file
from outcrop.indexing.documents.summaries import ModelSummaries
from outcrop.indexing.large_files import LargeFiles
from outcrop.indexing.report import Written
from outcrop.store.chunk_changes import ChunksChangedError
from outcrop.store.failures import describe_refusal, is_refused

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from outcrop.indexing.config import IndexConfig
    from outcrop.indexing.documents.prepare import Prepared, Task
    from outcrop.model.stored import Document
    from outcrop.providers.embedder import Embedder
    from outcrop.store.store import PostgresStore

    Group = Sequence[Task | CodeTask]

# The size of one transaction: enough to be fast, small enough for memory.
_BATCH_CHUNKS = 2_000
_BATCH_CHARACTERS = 4_000_000
# Chunks that are stored are not embedded again. If they are deleted before the others are
# written, the group is written again.
_MAX_ATTEMPTS = 5
# These do not concern a single document: the run cannot continue.
_NOT_OF_ONE_DOCUMENT = (*INTERRUPTS, OutcropError, OSError)


class Writer:
    """Writes groups of files.

    Attributes:
        store: Where they are stored.
        embedder: Makes the embeddings.
        config: How to index.
    """

    def __init__(
        self, store: PostgresStore, embedder: Embedder, config: IndexConfig
    ) -> None:
        self.store = store
        self.embedder = embedder
        self.config = config
        self._model = ModelSummaries(store) if config.summaries == "llm" else None
        self._large = LargeFiles(store, embedder, config)

    def write(self, group: Group) -> Written:
        """Read, chunk, embed and store some files.

        Raises:
            OutcropError: The database or a model failed; some of the files may be
                stored.
        """
        for _ in range(_MAX_ATTEMPTS - 1):
            with suppress(ChunksChangedError):
                return self._write(group)
        return self._write(group)

    def _write(self, group: Group) -> Written:
        written = Written()
        code = [task for task in group if isinstance(task, CodeTask)]
        self._write_code(code, written)
        others = [task for task in group if not isinstance(task, CodeTask)]
        small = [task for task in others if not self._large.write(task, written)]
        self._write_documents(small, written)
        return written

    def _write_documents(self, tasks: Sequence[Task], written: Written) -> None:
        prepared = (prepare_file(task, self.config) for task in tasks)
        for batch in _batches(prepared, written):
            self._store_batch(self._embed(self._summarize(batch), written), written)
        if self._model is not None:
            written.unsummarized, self._model.problems = self._model.problems, []

    def _write_code(self, tasks: Sequence[CodeTask], written: Written) -> None:
        files = CodeFiles(self.store, self.embedder, self.config)
        for batch in _batches(files.prepare(tasks), written):
            self._store_batch(batch, written)
        written.digests = files.digests

    def _summarize(self, batch: list[Prepared]) -> list[Prepared]:
        """Ask the language model for the summaries of documents, if there is one."""
        model = self._model
        return batch if model is None else [model.add_to(each) for each in batch]

    def _embed(self, batch: list[Prepared], written: Written) -> list[Prepared]:
        """Embed documents; leave out a single document that fails."""
        try:
            return embed_documents(batch, self.store, self.embedder)
        except _NOT_OF_ONE_DOCUMENT:
            raise
        except BaseException as error:  # noqa: BLE001 - a panic of a native tokenizer is not an Exception
            if len(batch) == 1:
                written.reject(batch[0].path, describe_failure(error))
                return []
        return [done for each in batch for done in self._embed([each], written)]

    def _store_batch(self, batch: Sequence[Prepared], written: Written) -> None:
        """Store documents; one that the database rejects is left out.

        The stored version of a rejected document is kept: it may be the right one.
        """
        if not batch:
            return
        items = [(_document(each), each.chunks) for each in batch]
        sections = {each.path: each.sections for each in batch}
        try:
            written.replaced += self.store.replace_documents(
                items, sections, keeps_embedded=True
            )
        except StorageError as error:
            if not is_refused(error):
                raise
            if len(batch) == 1:
                written.reject(batch[0].path, describe_refusal(error))
                return
        else:
            for document, chunks in items:
                written.stored.append((document.path, document.size_bytes or 0))
                written.embedded += sum(chunk.emb is not None for chunk in chunks)
            return
        middle = len(batch) // 2
        self._store_batch(batch[:middle], written)
        self._store_batch(batch[middle:], written)


def _document(prepared: Prepared) -> Document:
    if prepared.document is None:
        raise ValueError(f"{prepared.path} has no document to store")
    return prepared.document


def _batches(
    prepared: Iterable[Prepared], written: Written
) -> Iterator[list[Prepared]]:
    """Yield documents in batches that fit one transaction; record those with a problem."""
    batch: list[Prepared] = []
    chunks = characters = 0
    for each in prepared:
        if each.document is None:
            written.reject(each.path, each.problem, keeps_stored=each.keeps_stored)
            continue
        batch.append(each)
        chunks += len(each.chunks)
        characters += sum(len(chunk.content) for chunk in each.chunks)
        if chunks >= _BATCH_CHUNKS or characters >= _BATCH_CHARACTERS:
            yield batch
            batch, chunks, characters = [], 0, 0
    if batch:
        yield batch
