"""The state of one run: stores documents and counts what was done."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from outcrop.errors import INTERRUPTS, OutcropError, StorageError, describe_failure
from outcrop.indexing.documents.embed import embed_documents, embed_missing
from outcrop.indexing.documents.prepare import Prepared, Task
from outcrop.indexing.documents.summaries import ModelSummaries
from outcrop.indexing.report import GraphCounts, IndexReport, Problem, Progress
from outcrop.indexing.workers import prepare_files
from outcrop.model.stored import ChunkChanges
from outcrop.store.failures import is_refused

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from concurrent.futures import Future

    from outcrop.indexing.files.changes import Changes
    from outcrop.indexing.report import OnProgress
    from outcrop.indexing.run import Runner
    from outcrop.model.section import IndexedSection
    from outcrop.model.stored import Document, StoredChunk

    Item = tuple[Document, Sequence[StoredChunk]]

# The size of one transaction: enough to be fast, small enough for memory.
_BATCH_CHUNKS = 1_000
_BATCH_CHARACTERS = 4_000_000
# These do not concern a single document: the run cannot continue.
_NOT_OF_ONE_DOCUMENT = (*INTERRUPTS, OutcropError, OSError)
# After fewer changes the database's indexes and statistics are still good.
_MAINTAIN_FROM_CHUNKS = 1_000


@dataclass(slots=True)
class _Stored:
    """The result of storing a batch."""

    items: list[Item] = field(default_factory=list)
    refused: list[Problem] = field(default_factory=list)
    replaced: ChunkChanges = field(default_factory=ChunkChanges)

    def __add__(self, other: _Stored) -> _Stored:
        return _Stored(
            self.items + other.items,
            self.refused + other.refused,
            self.replaced + other.replaced,
        )


@dataclass(slots=True)
class IndexRun:
    """One run: the work to do, and the counts so far."""

    runner: Runner
    changes: Changes
    started: float
    on_progress: OnProgress | None
    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    replaced: ChunkChanges = field(default_factory=ChunkChanges)
    graph: GraphCounts = field(default_factory=GraphCounts)
    notes: list[str] = field(default_factory=list)
    stored_documents: list[str] = field(default_factory=list)
    embedded: int = 0
    size_bytes: int = 0
    _sections: dict[str, Sequence[IndexedSection]] = field(default_factory=dict)
    _planned: set[str] = field(default_factory=set)
    _planned_bytes: int = 0

    def __post_init__(self) -> None:
        self._planned = {file.path for file in self.changes.plan}
        self._planned_bytes = sum(file.size for file in self.changes.plan)
        self.problems = list(self.changes.problems)

    def store_documents(self) -> None:
        """Chunk, embed and store Markdown and text."""
        changed = [file.path for file in self.changes.documents]
        self.runner.store.mark_dirty(set(changed) & self.changes.known.keys())
        prepared = self._prepared()
        if self.runner.config.summaries == "llm":
            prepared = self._summarized(prepared)
        self._store_all(map(self._embed, self._batches(prepared)))

    def store_code(self, prepared: Iterable[Prepared]) -> None:
        """Store files of code, which are already embedded."""
        self._store_all(self._batches(prepared))

    def remove(self) -> None:
        """Delete the documents of files that were deleted or are no longer indexed."""
        self.removed = sorted({*self.changes.gone, *self.removed})
        if self.removed:
            self.runner.store.delete_documents(self.removed)

    def finish(self) -> None:
        """Complete an interrupted earlier run, and maintain the database."""
        store = self.runner.store
        self.embedded += embed_missing(store, self.runner.embedder)
        is_much = self.replaced.written >= _MAINTAIN_FROM_CHUNKS
        # An interrupted run may not have built it.
        if is_much or store.lacks_vector_index():
            self.tell("indexes")
            store.maintain()
        else:
            store.settle()

    def report(self) -> IndexReport:
        """Return the report of the run."""
        found = self.changes.found
        return IndexReport(
            added=sorted(self.added),
            changed=sorted(self.changed),
            removed=sorted(self.removed),
            unchanged=self.changes.unchanged,
            problems=sorted(self.problems, key=lambda problem: problem.path),
            skipped=dict(found.skipped),
            outside_links=found.outside_links,
            secrets=found.secrets,
            chunks_inserted=self.replaced.inserted,
            chunks_updated=self.replaced.updated,
            chunks_unchanged=self.replaced.unchanged,
            chunks_deleted=self.replaced.deleted,
            embedded=self.embedded,
            size_bytes=self.size_bytes,
            seconds=time.monotonic() - self.started,
            graph=self.graph,
            notes=self.notes,
        )

    def tell(self, doing: str = "") -> None:
        """Report progress."""
        if self.on_progress is None:
            return
        done = self.replaced
        # Files rejected before are not part of the plan.
        refused = len(self.problems) - len(self.changes.problems)
        self.on_progress(
            Progress(
                files=len(self.added) + len(self.changed) + refused,
                total_files=len(self.changes.plan),
                size_bytes=self.size_bytes,
                total_bytes=self._planned_bytes,
                chunks=done.inserted + done.updated + done.unchanged,
                doing=doing,
            )
        )

    def _embed(self, batch: list[Item]) -> list[Item]:
        """Embed documents; leave out a single document that fails."""
        try:
            items, _ = embed_documents(batch, self.runner.store, self.runner.embedder)
        except _NOT_OF_ONE_DOCUMENT:
            raise
        except BaseException as error:  # noqa: BLE001 - a panic of a native tokenizer is not an Exception
            if len(batch) > 1:
                return [item for each in batch for item in self._embed([each])]
            path, problem = batch[0][0].path, describe_failure(error)
            failed = Prepared(path=path, problem=problem, keeps_stored=True)
            self._note_problem(failed)
            return []
        self.stored_documents += [document.path for document, _ in items]
        return [*items]

    def _store_all(self, batches: Iterable[list[Item]]) -> None:
        """Store each batch while the next one is being prepared."""
        with ThreadPoolExecutor(1) as writer:
            waiting: Future[_Stored] | None = None
            for batch in batches:
                if waiting is not None:
                    self._note_batch(waiting.result())
                waiting = writer.submit(self._store, batch)
            if waiting is not None:
                self._note_batch(waiting.result())

    def _store(self, batch: list[Item]) -> _Stored:
        """Store a batch; a document that the database rejects is left out."""
        try:
            sections = {
                document.path: self._sections.get(document.path, ())
                for document, _ in batch
            }
            done = self.runner.store.replace_documents(batch, sections)
            return _Stored(batch, [], done)
        except StorageError as error:
            if not is_refused(error):
                raise
            if len(batch) == 1:
                return _Stored(refused=[_refusal(batch[0][0], error)])
        middle = len(batch) // 2
        return self._store(batch[:middle]) + self._store(batch[middle:])

    def _note_batch(self, stored: _Stored) -> None:
        self.replaced += stored.replaced
        # The stored version of a rejected document is kept: it may be the right one.
        self.problems += stored.refused
        for document, chunks in stored.items:
            self._sections.pop(document.path, None)
            if document.path in self._planned:
                self._note_stored(document.path, document.size_bytes or 0)
            self.embedded += sum(chunk.emb is not None for chunk in chunks)
        self.tell()

    def _note_stored(self, path: str, size: int) -> None:
        (self.changed if path in self.changes.known else self.added).append(path)
        self.size_bytes += size

    def _batches(self, prepared: Iterable[Prepared]) -> Iterator[list[Item]]:
        """Yield documents in batches that fit one transaction."""
        batch: list[Item] = []
        chunks = characters = 0
        for each in prepared:
            if each.document is None:
                self._note_problem(each)
                continue
            batch.append((each.document, each.chunks))
            self._sections[each.path] = each.sections
            chunks += len(each.chunks)
            characters += sum(len(chunk.content) for chunk in each.chunks)
            if chunks >= _BATCH_CHUNKS or characters >= _BATCH_CHARACTERS:
                yield batch
                batch, chunks, characters = [], 0, 0
        if batch:
            yield batch

    def _prepared(self) -> Iterator[Prepared]:
        files = self.changes.documents
        tasks = [
            Task(
                path=file.path,
                file=str(file.file),
                kind=file.kind,
                modified_ns=file.modified_ns,
                content=self.changes.contents.pop(file.path, None),
            )
            for file in files
        ]
        size = sum(file.size for file in files)
        return prepare_files(tasks, self.runner.config, size_bytes=size)

    def _summarized(self, prepared: Iterable[Prepared]) -> Iterator[Prepared]:
        """Ask the language model for the summaries of documents."""
        model = ModelSummaries(self.runner.store)
        for each in prepared:
            if each.document is None or not each.sections:
                yield each
                continue
            document, sections = model.add(each.document, each.sections)
            yield replace(each, document=document, sections=sections)
        if model.problems:
            more = len(model.problems) - 1
            others = f" and {more:,} more documents" if more else ""
            self.notes.append(f"summaries are missing: {model.problems[0]}{others}")

    def _note_problem(self, prepared: Prepared) -> None:
        self.problems.append(Problem(path=prepared.path, reason=prepared.problem))
        if prepared.path in self.changes.known and not prepared.keeps_stored:
            self.removed.append(prepared.path)


def _refusal(document: Document, error: StorageError) -> Problem:
    said = str(error.__cause__).strip().partition("\n")[0]
    return Problem(path=document.path, reason=f"refused by the database: {said}")
