"""A document cut for a framework: chunks or a tree of them, with stable ids.

The settings are those of the chunker, in the words of the frameworks.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Protocol
from uuid import UUID

from outcrop.chunking.chunker import MarkdownChunker
from outcrop.chunking.config import ChunkConfig
from outcrop.errors import ChunkConfigError
from outcrop.text.offsets import LineCounter
from outcrop.text.tokens import TokenCounter

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from outcrop.model.chunk import Chunk
    from outcrop.model.hit import Hit

DEFAULT_SIZE = 4096
# Field of the configuration -> what the adapters call it.
_WORDS = {"max_chunk_size": "chunk_size", "overlap_size": "chunk_overlap"}

# Metadata keys of the file and the page, as loaders of the frameworks set them.
_PATH_KEYS = ("file_path", "source")
_PAGE_KEYS = ("page_label", "page_number", "page")

_HEX_BYTES = 8
_UUID_BYTES = 16
_RANDOM = 4


def chunk_key(document: str, chunk_id: str, *, as_uuid: bool = False) -> str:
    """Return the id of a document's chunk: 16 hexadecimal digits, or a UUID.

    It is unique among all documents, whose names are their paths where they have one.
    """
    # No path holds a zero byte, so no two pairs give the same text.
    name = f"{document}\0{chunk_id}".encode(errors="surrogatepass")
    if not as_uuid:
        return blake2b(name, digest_size=_HEX_BYTES).hexdigest()
    digest = blake2b(name, digest_size=_UUID_BYTES).digest()
    return str(UUID(bytes=digest, version=5))


class DocumentNames:
    """Names the documents of one call, so that no two of them share an id.

    The name is the path in the metadata, with the page if there is one; or else the
    document's own id; or, if that is missing or random, a hash of its text. Further
    documents of the same name are numbered.
    """

    def __init__(self) -> None:
        self._taken: dict[str, int] = {}

    def name(
        self, metadata: Mapping[str, object], own_id: str | None, text: str
    ) -> str:
        """Return the name of the next document."""
        name = _path(metadata) or _given(own_id) or _hash(text)
        count = self._taken.get(name, 0)
        self._taken[name] = count + 1
        return f"{name}\0{count}" if count else name


def _path(metadata: Mapping[str, object]) -> str | None:
    path = next((str(metadata[key]) for key in _PATH_KEYS if metadata.get(key)), None)
    if path is None:
        return None
    pages = (metadata[key] for key in _PAGE_KEYS if metadata.get(key) is not None)
    page = next(pages, None)
    return path if page is None else f"{path}\0page {page}"


def _given(own_id: str | None) -> str | None:
    """Return an id that was chosen; frameworks assign a random UUID otherwise."""
    if not own_id:
        return None
    try:
        return None if UUID(own_id).version == _RANDOM else own_id
    except ValueError:
        return own_id


def _hash(text: str) -> str:
    data = text.encode(errors="surrogatepass")
    return blake2b(data, digest_size=_UUID_BYTES).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A chunk, or a section that contains chunks, for a framework."""

    id: str  # unique among all documents, the same in every run
    # The text of the node: `source[start:end]`, or for a chunk with repeated context
    # also its prefix and suffix.
    text: str
    # The chunk; the ids in its metadata are unique within the document only.
    chunk: Chunk
    start_line: int  # first line of the text, counted from 1
    level: int = 0  # its depth below the root; 0 in a flat list
    parent: str | None = None  # id of its parent
    children: Sequence[str] = ()  # ids of its children, in order
    previous: str | None = None  # id of the previous node under the same parent
    next: str | None = None  # id of the next one

    @property
    def start(self) -> int:
        """Start of the text in the document, in code points."""
        return self.chunk.start_offset

    @property
    def end(self) -> int:
        """End of the text, exclusive."""
        return self.chunk.end_offset

    @property
    def is_leaf(self) -> bool:
        """Whether it is a chunk and not a section."""
        return not self.children


class NodeMaker:
    """Cuts documents into nodes.

    Attributes:
        config: How documents are cut.
        hierarchy: Whether the nodes are a tree of sections, the root first, or a flat
            list of chunks.
    """

    def __init__(
        self,
        config: ChunkConfig,
        *,
        hierarchy: bool,
        repeat_context: bool = False,
        uuid_ids: bool = False,
    ) -> None:
        """Make a node maker.

        With `repeat_context`, what a chunk repeats (the headings of a split section, a
        table's header row, a fence) is put into its text.
        """
        self.config = config
        self.hierarchy = hierarchy
        self._chunker = MarkdownChunker(config)
        self._repeat_context = repeat_context
        self._uuid_ids = uuid_ids

    @classmethod
    def of(
        cls, *, hierarchy: bool, repeat_context: bool, uuid_ids: bool, **settings: Any
    ) -> NodeMaker:
        """Make a node maker from the settings of an adapter; see `chunk_config`."""
        return cls(
            chunk_config(**settings),
            hierarchy=hierarchy,
            repeat_context=repeat_context,
            uuid_ids=uuid_ids,
        )

    def make(self, text: str, document: str) -> list[Node]:
        """Cut a document, whose name goes into the ids."""

        def key(chunk_id: str) -> str:
            return chunk_key(document, chunk_id, as_uuid=self._uuid_ids)

        read = _Reader(text, repeat_context=self._repeat_context)
        if self.hierarchy:
            return _tree(self._chunker.chunk_hierarchical(text).chunks, read, key)
        return _list(self._chunker.chunk(text), read, key)

    def texts(self, text: str) -> list[str]:
        """Cut a document, and return only the texts of its chunks."""
        read = _Reader(text, repeat_context=self._repeat_context)
        return [read.text(chunk) for chunk in self._chunker.chunk(text)]


def make_nodes(
    chunks: list[Chunk], text: str, document: str, *, is_tree: bool
) -> list[Node]:
    """Make nodes from the chunks of a document or, with `is_tree`, of all its sections.

    The name of the document goes into the ids.
    """
    link = _tree if is_tree else _list
    read = _Reader(text, repeat_context=False)
    return link(chunks, read, partial(chunk_key, document))


def _list(chunks: list[Chunk], read: _Reader, key: Callable[[str], str]) -> list[Node]:
    ids = [key(chunk.chunk_id) for chunk in chunks]
    around = [None, *ids, None]
    return [
        Node(
            id=ids[at],
            text=read.text(chunk),
            chunk=chunk,
            start_line=read.start_line(chunk),
            previous=around[at],
            next=around[at + 2],
        )
        for at, chunk in enumerate(chunks)
    ]


def _tree(chunks: list[Chunk], read: _Reader, key: Callable[[str], str]) -> list[Node]:
    ids = {chunk.metadata["chunk_id"]: key(chunk.chunk_id) for chunk in chunks}
    levels: dict[str | None, int] = {None: -1}
    nodes = []
    for chunk in chunks:  # a parent comes before its children
        fields = chunk.metadata
        chunk_id, parent = fields["chunk_id"], fields["parent_id"]
        level = levels[chunk_id] = levels[parent] + 1
        node = Node(
            id=ids[chunk_id],
            text=read.text(chunk),
            chunk=chunk,
            start_line=read.start_line(chunk),
            level=level,
            parent=ids.get(parent),
            children=[ids[child] for child in fields["children_ids"]],
            previous=ids.get(fields["prev_sibling_id"]),
            next=ids.get(fields["next_sibling_id"]),
        )
        nodes.append(node)
    return nodes


class _Reader:
    """Reads the texts of chunks from their document."""

    def __init__(self, text: str, *, repeat_context: bool) -> None:
        self._text = text
        self._repeat_context = repeat_context
        self._lines = LineCounter(text)

    def text(self, chunk: Chunk) -> str:
        if self._repeat_context and chunk.metadata.get("is_leaf", True):
            return chunk.content
        return self._text[chunk.start_offset : chunk.end_offset]

    def start_line(self, chunk: Chunk) -> int:
        """Return the first line of the text; repeated headings come before it."""
        if self._repeat_context or not chunk.prefix:
            return chunk.start_line
        return self._lines.line_at(chunk.start_offset)


def chunk_config(
    *,
    chunk_size: int,
    chunk_overlap: int,
    encoding: str | None = None,
    **settings: Any,
) -> ChunkConfig:
    """Build the configuration; errors use the names of the adapters' settings.

    With an encoding, its tokens are counted instead of characters.

    Raises:
        ChunkConfigError: A setting is wrong.
        MissingExtraError: Tokens are requested without the extra `tokens`.
    """
    if encoding is not None:
        settings["length"] = TokenCounter(encoding)
    try:
        return ChunkConfig(
            max_chunk_size=chunk_size, overlap_size=chunk_overlap, **settings
        )
    except ChunkConfigError as error:
        field, rule = error.field, error.rule
        for ours, theirs in _WORDS.items():
            rule = rule.replace(ours, theirs)
        raise ChunkConfigError(_WORDS.get(field, field), error.value, rule) from error


class Searchable(Protocol):
    """An index that can be searched, such as `outcrop.Index`."""

    def search(
        self,
        query: str,
        limit: int = 10,
        *,
        kind: str | Sequence[str] | None = None,
        path_glob: str | Sequence[str] | None = None,
        depth: int | tuple[int, int] | None = None,
        document: str | Sequence[str] | None = None,
        mode: str = "hybrid",
    ) -> list[Hit]:
        """Return the best chunks for a query."""
