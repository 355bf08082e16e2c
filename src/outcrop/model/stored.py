"""Documents and chunks as the store holds them, and what a stage adds to a chunk."""

from __future__ import annotations

import marshal
from dataclasses import dataclass, field, fields
from functools import lru_cache
from hashlib import blake2b
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypedDict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    import numpy as np
    from numpy.typing import NDArray

    from outcrop.model.edge import Edge

# Ids are 16 hexadecimal digits, the same on every machine.
_ID_BYTES = 8

# Later versions of the format write references, which differ for equal values.
_MARSHAL_FORMAT = 2

# In the metadata of a chunk that repeats headings: the line where its own text starts.
OWN_LINE = "own_line"


@lru_cache(maxsize=1024)  # looked up with every chunk of a document
def document_id(path: str) -> str:
    """Return the id of the document at a path."""
    return blake2b(path.encode(), digest_size=_ID_BYTES).hexdigest()


@lru_cache(maxsize=8192)  # looked up again by everything that handles a chunk
def store_id(path: str, chunk_id: str) -> str:
    """Return the id of a document's chunk, unique in the whole store."""
    # No path holds a zero byte, so no two pairs give the same text.
    return blake2b(f"{path}\0{chunk_id}".encode(), digest_size=_ID_BYTES).hexdigest()


def plain_bytes(values: tuple[Any, ...]) -> bytes:
    """Return bytes that are equal for equal values, in any run and on any machine.

    Values other than plain ones, such as times, are written as their `repr`.
    """
    try:
        return marshal.dumps(values, _MARSHAL_FORMAT)
    except ValueError:
        return repr(values).encode("utf-8", "surrogatepass")


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A document that was indexed.

    Attributes:
        path: POSIX path, relative to the project.
        kind: `markdown`, `text`, `html`, `notebook` or `code`.
        fingerprint: Of content, configuration and version: equal means unchanged.
        lang: Language of the text or code, where known.
        title: The document's title, where it has one.
        content_hash: Hash of the content alone.
        size_bytes: Size of the file.
        modified_ns: When the file was last changed, as its file system says.
        summary: A summary, where one was made.
        metadata: JSON values.
        chunk_count: How many chunks are stored; set by the store.
        created_at: When it was first stored; set by the store.
        updated_at: When it was last stored; set by the store.
    """

    path: str
    kind: str
    fingerprint: str
    lang: str | None = None
    title: str | None = None
    content_hash: str | None = None
    size_bytes: int | None = None
    modified_ns: int | None = None
    summary: str | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    chunk_count: int = 0
    created_at: datetime | None = None
    updated_at: datetime | None = None

    @property
    def id(self) -> str:
        """The document's id in the store."""
        return document_id(self.path)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredChunk:
    """A chunk with everything that is kept of it.

    What the indexer knows is given when it is written. What later stages add
    (`uses_md`, `used_by_md`, `explain_md`, `explain_quality`, the embedding) survives
    a new version of the document as long as `search_hash` stays the same.
    """

    path: str  # the document's path
    chunk_id: str  # the chunk's id within the document
    source: str  # where the text comes from: `doc`, `code`, `sql`, `log`
    content: str  # the text: `prefix`, own text, `suffix`
    chunk_index: int  # number of the part of its node; of a document, the place
    place: int = -1  # place in the document, where no other chunk is
    kind: str | None = None  # `section`, `snippet`, `explanation`, `summary` and so on
    lang_detected: str | None = None  # language of the text
    # The text before normalisation; None where that is `content`.
    content_raw: str | None = None
    prefix: str = ""  # what was put before the own text
    suffix: str = ""  # what was put after it
    content_hash: str | None = None  # SHA-256 of the content
    search_hash: str | None = None  # hash of the text that is embedded and analysed
    token_count: int | None = None  # tokens of `content`
    start_line: int | None = None  # first line, counted from 1
    end_line: int | None = None  # last line, inclusive
    start_offset: int | None = None  # where the own text starts, in code points
    end_offset: int | None = None  # where it ends, exclusive
    title: str | None = None  # heading or qualified name
    section_path: Sequence[str] = ()  # headings or packages from the outside in
    header_level: int | None = None  # level of the heading, 1 to 6
    level: int = 0  # level in the hierarchy; 0 is the document
    parent_id: str | None = None  # the parent's id in the store
    is_leaf: bool = True  # whether it has no children
    indexable: bool = True  # whether search finds it
    application_id: str | None = None  # the application of its node
    node_id: str | None = None  # the node of the code graph it belongs to
    # Relations to other nodes, as JSON values.
    relations: list[dict[str, Any]] = field(default_factory=list)
    # Objects the text uses, as JSON values.
    used_objects: list[dict[str, Any]] = field(default_factory=list)
    # Stages, parameters and service data of its plan.
    pipeline: dict[str, Any] = field(default_factory=dict)
    # The chunk's metadata, as JSON values.
    metadata: dict[str, Any] = field(default_factory=dict)
    freshness_at: datetime | None = None  # as of when the content is current
    rank_boost: float = 1.0  # factor of the score
    uses_md: str | None = None  # how it uses what it depends on
    used_by_md: str | None = None  # where it is used
    explain_md: str | None = None  # an explanation
    # How good the explanation is.
    explain_quality: dict[str, Any] = field(default_factory=dict)
    # The embedding; never read back with the chunk.
    emb: NDArray[np.float32] | None = field(default=None, compare=False, repr=False)
    embed_model: str | None = None  # the embedding's model
    embed_ts: datetime | None = None  # when it was embedded; set by the store
    # How often the text says each term; never read back.
    terms: Mapping[str, int] = field(default_factory=dict, compare=False, repr=False)
    created_at: datetime | None = None  # when it was first stored; set by the store
    updated_at: datetime | None = None  # when its text last changed; set by the store

    def __post_init__(self) -> None:
        if self.place < 0:
            object.__setattr__(self, "place", self.chunk_index)

    @property
    def id(self) -> str:
        """The chunk's id in the store."""
        return store_id(self.path, self.chunk_id)

    @property
    def is_rendered(self) -> bool:
        """Whether `content` is documentation made of the text in `content_raw`."""
        return _is_rendered(self)

    @property
    def text(self) -> str:
        """The content as it is in the file, with prefix and suffix."""
        return _text_of(self)

    @property
    def document_id(self) -> str:
        """The id of the chunk's document."""
        return document_id(self.path)

    @property
    def own_line(self) -> int:
        """The first line of the own text, without repeated headings."""
        return _own_line_of(self)

    @property
    def span_lines(self) -> tuple[int | None, int | None]:
        """The first and the last line."""
        return self.start_line, self.end_line

    @property
    def span_chars(self) -> tuple[int | None, int | None]:
        """Where the own text starts and ends."""
        return self.start_offset, self.end_offset


class HitChunk(NamedTuple):
    """What a hit shows of a chunk; a tuple, because a search makes many of them.

    Its attributes are those of `StoredChunk`.
    """

    chunk_id: str
    path: str
    node_id: str | None
    source: str
    kind: str | None
    content_raw: str | None
    content: str
    prefix: str
    suffix: str
    token_count: int | None
    place: int
    start_line: int | None
    end_line: int | None
    start_offset: int | None
    end_offset: int | None
    section_path: Sequence[str]
    level: int
    metadata: dict[str, Any]
    uses_md: str | None
    used_by_md: str | None
    explain_md: str | None

    @property
    def id(self) -> str:
        """The chunk's id in the store."""
        return store_id(self.path, self.chunk_id)

    @property
    def document_id(self) -> str:
        """The id of the chunk's document."""
        return document_id(self.path)

    @property
    def is_rendered(self) -> bool:
        """Whether `content` is documentation made of the text in `content_raw`."""
        return _is_rendered(self)

    @property
    def text(self) -> str:
        """The content as it is in the file, with prefix and suffix."""
        return _text_of(self)

    @property
    def own_line(self) -> int:
        """The first line of the own text, without repeated headings."""
        return _own_line_of(self)


AnyChunk = StoredChunk | HitChunk


def _is_rendered(chunk: AnyChunk) -> bool:
    return chunk.kind == "explanation" and chunk.content_raw is not None


def _text_of(chunk: AnyChunk) -> str:
    return (chunk.content_raw or "") if _is_rendered(chunk) else chunk.content


def _own_line_of(chunk: AnyChunk) -> int:
    return int(chunk.metadata.get(OWN_LINE, chunk.start_line or 1))


_NAMES = [each.name for each in fields(StoredChunk)]
_values_of = attrgetter(*_NAMES)
_setters = {name: getattr(StoredChunk, name).__set__ for name in _NAMES}


def altered(chunk: StoredChunk, values: Mapping[str, Any]) -> StoredChunk:
    """Return a chunk with some values replaced, as `dataclasses.replace` does.

    Several times as fast, which counts where every chunk passes through several stages:
    the slots are filled directly.

    Raises:
        KeyError: A chunk has no such value.
    """
    new = object.__new__(StoredChunk)
    for fill, value in zip(_setters.values(), _values_of(chunk), strict=True):
        fill(new, value)
    for name, value in values.items():
        _setters[name](new, value)
    new.__post_init__()
    return new


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkChanges:
    """How replacing documents changed their chunks."""

    inserted: int = 0  # new chunks
    updated: int = 0  # chunks whose row changed
    unchanged: int = 0  # chunks whose row was left alone
    deleted: int = 0  # chunks that no longer exist

    @property
    def written(self) -> int:
        """Chunks that were inserted, updated or deleted."""
        return self.inserted + self.updated + self.deleted

    def __add__(self, other: ChunkChanges) -> ChunkChanges:
        return ChunkChanges(
            inserted=self.inserted + other.inserted,
            updated=self.updated + other.updated,
            unchanged=self.unchanged + other.unchanged,
            deleted=self.deleted + other.deleted,
        )


class ChunkValues(TypedDict, total=False):
    """Fields of a stored chunk that a stage may give; see `StoredChunk`."""

    content: str
    content_raw: str | None
    content_hash: str
    token_count: int
    lang_detected: str | None
    start_line: int
    end_line: int
    start_offset: int
    end_offset: int
    used_objects: list[dict[str, Any]]
    explain_md: str | None
    explain_quality: dict[str, Any]
    search_hash: str
    terms: Mapping[str, int]
    indexable: bool
    emb: NDArray[np.float32]
    embed_model: str
    uses_md: str | None
    used_by_md: str | None
    relations: list[dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class StageOutcome:
    """The outcome of one stage for one chunk."""

    chunk_id: str  # the chunk's id in the store
    # What to write; empty if the stage adds nothing.
    values: ChunkValues = field(default_factory=ChunkValues)
    # Edges from this chunk to symbols; None where the stage did not look, else they
    # take the place of those it had.
    mentions: tuple[Edge, ...] | None = None
    error: str = ""  # why there are no values; empty where all went well
    is_stale: bool = False  # the file is not what was planned: plan it again
    is_final: bool = False  # another try would fail in the same way

    @classmethod
    def failed(
        cls,
        chunk_id: str,
        reason: str,
        *,
        is_stale: bool = False,
        is_final: bool = False,
    ) -> Self:
        """Return the outcome of a chunk that could not be done, with the reason."""
        return cls(
            chunk_id=chunk_id, error=reason, is_stale=is_stale, is_final=is_final
        )
