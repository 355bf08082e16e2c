"""Indexes large files of Markdown with memory for a window of them.

All parts of a file are written in one transaction: a process that is killed leaves the
stored version as it was, and the next run indexes the file again. Document, chunks and
sections are those that `prepare_bytes` makes of the same file. The file is read several
times, a window at a time, and never as a whole.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from outcrop.chunking.chunker import DEFAULT_WINDOW_CHARS
from outcrop.chunking.streaming.assemble import TreeStream
from outcrop.chunking.streaming.source import Source
from outcrop.errors import INTERRUPTS, OutcropError, StorageError, describe_failure
from outcrop.indexing.documents.embed import embed_chunks
from outcrop.indexing.documents.formats.document_text import DocumentText
from outcrop.indexing.documents.markdown_chunks import (
    LeafNotes,
    LeafPart,
    SectionSizes,
    WholeTextNeededError,
    store_node,
)
from outcrop.indexing.documents.prepare import DocumentFacts, make_document
from outcrop.indexing.documents.sections import index_sections
from outcrop.indexing.documents.summaries import ChosenSummaries
from outcrop.indexing.files.content import is_streamed, scan_file
from outcrop.markdown.document import path_title
from outcrop.markdown.front_matter import MAX_CHARS as MAX_FRONT_MATTER_CHARS
from outcrop.markdown.front_matter import read_front_matter
from outcrop.sections.splitter import (
    MarkdownSplitter,
    SectionTrail,
    TextPart,
    place_headings,
)
from outcrop.store.failures import describe_refusal, is_refused
from outcrop.text.tokens import TokenCounter

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Sequence

    from outcrop.chunking.streaming.assemble import TreeAssembler, TreeItem
    from outcrop.chunking.streaming.tree import TreeWindow
    from outcrop.indexing.config import IndexConfig
    from outcrop.indexing.documents.prepare import Task
    from outcrop.indexing.report import Written
    from outcrop.model.section import IndexedSection
    from outcrop.model.stored import Document, StoredChunk
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


class UnindexableError(ValueError):
    """The content of a file cannot be indexed; the message says why."""


class FileChangedError(ValueError):
    """A file was changed while it was read."""


@dataclass(frozen=True, slots=True)
class DocumentPart:
    """Some chunks and sections of a document.

    Inner nodes of the tree come after the chunks below them.
    """

    chunks: Sequence[StoredChunk]
    sections: Sequence[IndexedSection]


@dataclass(slots=True)
class StreamedDocument:
    """A document whose parts are made one after the other."""

    path: str
    _task: Task
    _config: IndexConfig
    _digest: str
    _times: tuple[int, int]
    _source: DocumentText
    _stream: TreeStream
    _notes: LeafNotes
    _facts: DocumentFacts = field(default_factory=DocumentFacts)
    _sizes: SectionSizes = field(default_factory=SectionSizes)
    _summaries: ChosenSummaries = field(default_factory=ChosenSummaries)
    _paths: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def survey(self) -> None:
        """Go through the text once, before its parts are made.

        Raises:
            WholeTextNeededError: It cannot be indexed part by part.
        """
        if not self._stream.has_headings:
            raise WholeTextNeededError("the text has no headings")
        for window in self._stream.first_pass():
            self._notes.survey(_leaf_part(window))

    def parts(self) -> Iterator[DocumentPart]:
        """Make the parts."""
        counter = TokenCounter(self._config.encoding)
        assembler = self._stream.assembler()
        splitter = MarkdownSplitter(token_counter=counter)
        trail = SectionTrail(self.path)
        for window in self._stream.second_pass():
            chunks = list(self._chunks(window, assembler, counter))
            headings = place_headings(window.text, window.headings)
            part = TextPart(window.text, window.offset, window.lines)
            sections = splitter.split_part(headings, part, trail, self._digest)
            leaves = [chunk for chunk in chunks if chunk.is_leaf]
            indexed = index_sections(sections, leaves, self._title_above, self._paths)
            if self._config.summaries == "extractive":
                indexed = self._summaries.add_to(indexed)
            around = set(trail.open_ids)
            self._paths = {
                key: path for key, path in self._paths.items() if key in around
            }
            yield DocumentPart(chunks, indexed)
        last = [self._store(item, {}, counter) for item in assembler.finish()]
        yield DocumentPart(last, ())

    def document(self) -> Document:
        """Return the document, after all parts were made.

        Raises:
            FileChangedError: The file was changed meanwhile.
        """
        if _times(Path(self._task.file).stat()) != self._times:
            raise FileChangedError("changed while it was read; index it again")
        document = make_document(
            self._task,
            self._digest,
            self._times[1],
            self._source.front_matter,
            self._facts,
            self._config,
        )
        if self._config.summaries != "extractive":
            return document
        return replace(document, summary=self._summaries.of_document())

    def _chunks(
        self, window: TreeWindow, assembler: TreeAssembler, counter: TokenCounter
    ) -> Iterator[StoredChunk]:
        notes = self._notes.notes(_leaf_part(window))
        for leaf, around, added in zip(window.leaves, window.nodes, notes, strict=True):
            for item in assembler.add(leaf, around):
                yield self._store(item, added if item.chunk is leaf else {}, counter)

    def _store(
        self, item: TreeItem, added: dict[str, Any], counter: TokenCounter
    ) -> StoredChunk:
        chunk = store_node(self.path, item.place, item.chunk, added, counter)
        self._sizes.add(chunk)
        self._facts.add(chunk)
        return chunk

    @property
    def _title_above(self) -> tuple[str, ...]:
        """The title that stands above all headings, if there is one."""
        title = path_title(self._source.front_matter.title)
        return (title,) if title and not self._stream.has_h1 else ()


@contextmanager
def open_streamed(
    task: Task, config: IndexConfig, window_chars: int = DEFAULT_WINDOW_CHARS
) -> Iterator[StreamedDocument]:
    """Open a file of Markdown to be indexed part by part.

    Raises:
        OSError: The file cannot be read.
        UnindexableError: It is not text in UTF-8.
        WholeTextNeededError: It cannot be indexed part by part.
    """
    file = Path(task.file)
    times = _times(file.stat())
    scanned = scan_file(file)
    if scanned.problem:
        raise UnindexableError(scanned.problem)
    if scanned.has_tags:
        raise WholeTextNeededError("the text has lines with shortcodes or tags")
    with file.open(encoding="utf-8", newline="") as reader:
        start = reader.read(MAX_FRONT_MATTER_CHARS + 1)
        reader.seek(0)
        source = DocumentText(text="", front_matter=read_front_matter(start))
        stream = TreeStream(Source(reader), config.chunking(), window_chars)
        document = StreamedDocument(
            task.path,
            task,
            config,
            scanned.digest,
            times,
            source,
            stream,
            LeafNotes(source.about),
        )
        document.survey()
        yield document


def _times(status: os.stat_result) -> tuple[int, int]:
    return status.st_mtime_ns, status.st_size


def _leaf_part(window: TreeWindow) -> LeafPart:
    return LeafPart(
        text=window.text,
        leaves=window.leaves,
        parents=[around[-1].number if around else -1 for around in window.nodes],
        offset=window.offset,
        lines=window.lines,
    )
