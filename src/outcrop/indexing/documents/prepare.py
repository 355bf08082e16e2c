"""Makes the document and chunks of a file's content, without side effects."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from outcrop.errors import INTERRUPTS, MissingExtraError, describe_failure
from outcrop.indexing.documents.formats import read_document
from outcrop.indexing.documents.formats.document_text import MalformedError
from outcrop.indexing.documents.markdown_chunks import cut_markdown
from outcrop.indexing.documents.sections import cut_sections
from outcrop.indexing.documents.summaries import choose_summaries
from outcrop.indexing.documents.text_chunks import cut_text
from outcrop.indexing.files.content import (
    Content,
    content_hash,
    content_problem,
    fingerprint,
)
from outcrop.markdown.document import path_title
from outcrop.model.stored import OWN_LINE, Document
from outcrop.text.tokens import TokenCounter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outcrop.indexing.config import IndexConfig
    from outcrop.indexing.documents.formats.document_text import DocumentText
    from outcrop.markdown.front_matter import FrontMatter
    from outcrop.model.section import IndexedSection
    from outcrop.model.stored import StoredChunk


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A file to prepare.

    Attributes:
        path: The document's path.
        file: Path of the file.
        kind: `markdown`, `text`, `notebook`, `html`, `pdf` or `docx`.
        modified_ns: Time of the last change.
        content: Its content, if it has been read; with a hash if it can be indexed.
    """

    path: str
    file: str
    kind: str
    modified_ns: int
    content: Content | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A document with its chunks, or the reason why it has none.

    Attributes:
        path: The document's path.
        document: The document to store.
        chunks: Its chunks to store; those of documents are not embedded yet.
        sections: The sections of a document; code has none.
        problem: Why it cannot be indexed; empty if it can.
        keeps_stored: Whether the stored version is kept, because the problem is not the
            content of the file.
    """

    path: str
    document: Document | None = None
    chunks: Sequence[StoredChunk] = ()
    sections: Sequence[IndexedSection] = ()
    problem: str = ""
    keeps_stored: bool = False


def prepare_bytes(task: Task, data: bytes, config: IndexConfig) -> Prepared:
    """Chunk and analyse a file's content."""
    digest = task.content.digest if task.content is not None else ""
    if not digest:
        problem = content_problem(task.kind, data)
        if problem:
            return Prepared(path=task.path, problem=problem)
        digest = content_hash(data)
    try:
        source = read_document(task.kind, task.path, data)
    except (MalformedError, MissingExtraError) as error:
        return Prepared(path=task.path, problem=str(error))
    cut = cut_markdown if source.outline is None else cut_text
    chunks = cut(task.path, source, config)
    facts = DocumentFacts()
    for chunk in chunks:
        facts.add(chunk)
    document = make_document(
        task, digest, len(data), source.front_matter, facts, config
    )
    counter = TokenCounter(config.encoding)
    sections = cut_sections(document, source, chunks, counter)
    if config.summaries == "extractive":
        document, sections = choose_summaries(document, sections)
    if source.places is not None:
        chunks = [_placed(chunk, source) for chunk in chunks]
        sections = [_placed_section(section, source) for section in sections]
    return Prepared(path=task.path, document=document, chunks=chunks, sections=sections)


def make_document(
    task: Task,
    digest: str,
    size_bytes: int,
    front_matter: FrontMatter,
    facts: DocumentFacts,
    config: IndexConfig,
) -> Document:
    """Return the document of a file, without its summary."""
    return Document(
        path=task.path,
        kind=task.kind,
        lang=facts.language,
        fingerprint=fingerprint(digest, task.kind, config),
        title=facts.title(front_matter),
        content_hash=digest,
        size_bytes=size_bytes,
        modified_ns=task.modified_ns,
        metadata=_document_metadata(front_matter),
    )


class DocumentFacts:
    """What a document is stored with because of its leaves, which come in order."""

    def __init__(self) -> None:
        self._languages: Counter[str] = Counter()
        self._first: StoredChunk | None = None  # below a heading

    def add(self, chunk: StoredChunk) -> None:
        """Add a chunk."""
        if not chunk.is_leaf:
            return
        if chunk.lang_detected:
            self._languages[chunk.lang_detected] += 1
        if self._first is None and chunk.section_path:
            self._first = chunk

    @property
    def language(self) -> str | None:
        """The language of most of the chunks that have one."""
        found = self._languages.most_common(1)
        return found[0][0] if found else None

    def title(self, front_matter: FrontMatter) -> str | None:
        """Return the first H1, or else the title in the front matter."""
        first = self._first
        if first is not None and first.header_level == len(first.section_path):
            return first.section_path[0]
        return path_title(front_matter.title) or None


def _placed(chunk: StoredChunk, source: DocumentText) -> StoredChunk:
    """Return a chunk whose lines are places in the file."""
    metadata = dict(chunk.metadata)
    if OWN_LINE in metadata:
        metadata[OWN_LINE] = source.place(metadata[OWN_LINE])
    return replace(
        chunk,
        metadata=metadata,
        start_line=source.place(chunk.start_line or 1),
        end_line=source.place(chunk.end_line or 1),
    )


def _placed_section(indexed: IndexedSection, source: DocumentText) -> IndexedSection:
    section = indexed.section
    placed = replace(
        section,
        start_line=source.place(section.start_line),
        end_line=source.place(section.end_line),
    )
    return replace(indexed, section=placed)


def _document_metadata(front_matter: FrontMatter) -> dict[str, Any]:
    found = {
        "description": front_matter.description,
        "tags": list(front_matter.tags),
    }
    return {name: value for name, value in found.items() if value}


def prepare_file(task: Task, config: IndexConfig) -> Prepared:
    """Read and prepare one file."""
    try:
        data = task.content.data if task.content else Path(task.file).read_bytes()
    except OSError:
        return Prepared(path=task.path, problem="unreadable", keeps_stored=True)
    try:
        return prepare_bytes(task, data, config)
    except INTERRUPTS:
        raise
    except BaseException as error:  # noqa: BLE001 - a panic of a native parser is not an Exception
        problem = describe_failure(error)
        return Prepared(path=task.path, problem=problem, keeps_stored=True)
