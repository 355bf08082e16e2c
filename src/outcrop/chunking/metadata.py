"""The last step: from drafts to chunks with all their metadata."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from outcrop.chunking.draft import WITHIN_TOLERANCE
from outcrop.markdown.document import ALL_FLAGS, UNCLOSED, Kind
from outcrop.model.chunk import Chunk, make_chunk
from outcrop.text.native import load_native
from outcrop.text.offsets import LineCounter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from outcrop.chunking.draft import Draft
    from outcrop.chunking.layout import Layout
    from outcrop.markdown.document import Document

PREAMBLE_PATH = "/__preamble__"
MERGE_REASON = "dangling_header_prevention"
PARSE_WARNING = "the Markdown parser failed; the text was cut as plain paragraphs"

# The fields that the chunker computes: no chunk made elsewhere can give them.
COMPUTED_FIELDS = frozenset(
    {
        *("chunk_id", "strategy", "content_type", "indexable", "boundary"),
        *("header_path", "headers", "header_level", "section_tags"),
        *("start_line", "end_line", "fence_count", "fence_balance_error"),
        *("allow_oversize", "oversize_reason", "previous_content", "next_content"),
        *("continued_from_header", "split_index", "original_section_size"),
        *("dangling_header_fixed", "header_moved_from_id", "merge_reason"),
        *("parent_id", "children_ids", "prev_sibling_id", "next_sibling_id"),
        *("hierarchy_level", "is_leaf", "is_root", "parse_warning"),
    }
)

_HEADING = int(Kind.HEADING)
_FENCE = int(Kind.FENCE)
_CODE = ("code", bytes([Kind.HEADING, Kind.FENCE, Kind.INDENTED_CODE]))
# Kind of the first block -> the type of a chunk whose blocks are all of these kinds.
_TYPES = {
    int(Kind.FENCE): _CODE,
    int(Kind.INDENTED_CODE): _CODE,
    int(Kind.TABLE): ("table", bytes([Kind.HEADING, Kind.TABLE])),
}
_CLOSED = bytes(flags for flags in range(ALL_FLAGS + 1) if not flags & UNCLOSED)
_ID_DIGITS = 8
NO_SECTION = -2  # -1 is the preamble

_native = load_native("outcrop.markdown")
# Does what `MetadataRecalculator._chunk` does, for all drafts; None where it was not built.
MAKE_NATIVELY: Callable[..., list[Chunk | None]] | None = (
    None if _native is None else _native.make_chunks
)

_Path = tuple[str, list[str], int]  # as a string, as titles, level of the innermost


def _outermost(title: str) -> _Path:
    """The path of the text before the first heading: a document's title is an H1."""
    return (f"/{title}", [title], 1) if title else (PREAMBLE_PATH, [], 0)


class MetadataRecalculator:
    """Computes every field from the final boundaries.

    Nothing is carried along from stage to stage, so no stage can leave a stale value.
    """

    def __init__(self, layout: Layout, strategy: str) -> None:
        self._layout = layout
        self._document = layout.document
        self._text = layout.document.text
        self._text_type = "section" if strategy == "structural" else "text"
        # The fields of every chunk in their order; a copy is faster than a new dictionary.
        self._common: dict[str, Any] = {
            "chunk_id": "",
            "strategy": strategy,
            "content_type": self._text_type,
            "header_path": "",
            "headers": [],
            "header_level": 0,
            "section_tags": [],
            "start_line": 0,
            "end_line": 0,
            "boundary": {},
            "fence_count": 0,
            "continued_from_header": False,
            "allow_oversize": False,
            "indexable": True,
        }
        self._lines = LineCounter(self._text)
        self._repeated_lines = LineCounter(self._text)
        self._ids = ChunkIds()
        self._kinds = self._document.blocks.kinds
        self._has_fences = _FENCE in self._kinds
        self._heading_blocks = self._document.heading_blocks
        self._titles = self._document.titles
        self._has_tolerance = layout.config.limit != layout.config.max_chunk_size
        self._stack_lines: dict[int, int] = {}
        has_front_matter = self._document.has_front_matter
        self._front_matter_end = self._document.block_end(0) if has_front_matter else 0
        self._part = 0
        self._part_section = NO_SECTION
        self._last_section = NO_SECTION
        # The chunk before: its fields, its draft.
        self._previous: dict[str, Any] | None = None
        self._last_draft: Draft | None = None
        self._sizes: dict[int, int] = {}
        self._paths: dict[int, _Path] = {-1: _outermost(layout.document.title)}

    def recalculate_all(self, drafts: list[Draft]) -> list[Chunk]:
        """Turn drafts into chunks; drafts of white space alone are left out."""
        chunks: list[Chunk] = []
        for draft, chunk in zip(drafts, self._make_chunks(drafts), strict=True):
            if chunk is not None:
                self._complete(draft, chunk)
                chunks.append(chunk)
        for chunk in chunks if len(chunks) > 1 else ():
            # Front matter: its values are in the metadata of the other chunks.
            if chunk.end_offset > self._front_matter_end:
                break
            chunk.metadata["indexable"] = False
        return chunks

    def _make_chunks(self, drafts: list[Draft]) -> list[Chunk | None]:
        """A chunk for each draft, with the fields every chunk has; None for a blank one."""
        if MAKE_NATIVELY is None or self._lines.has_carriage_return:
            return [self._chunk(draft) for draft in drafts]
        return MAKE_NATIVELY(
            drafts,
            self._text,
            self._kinds,
            self._heading_blocks,
            self._titles,
            self._common,
            Chunk,
            self._path,
            self._content_type,
            self._line_of_stack,
            self._ids.assign_encoded,
        )

    def _chunk(self, draft: Draft) -> Chunk | None:
        start = draft.start
        own = self._text[start : draft.end].rstrip()
        if not own:
            return None
        if own[0].isspace():
            start, own = self._without_indent(start, own)
        stop, prefix, suffix = draft.stop, draft.prefix, draft.suffix
        end = start + len(own)
        first_line, last_line = self._lines.lines_of(start, end - 1)
        if prefix:
            first_line = self._line_of_stack(draft.repeats_from)
        body = self._layout.first_body(draft)
        following = bisect_right(self._heading_blocks, body)
        section = following - 1
        path, headers, level = self._path(section)
        last_tag = bisect_left(self._heading_blocks, stop, following)
        metadata = self._common.copy()
        metadata["chunk_id"] = self._ids.assign(b"chunk", own)
        metadata["content_type"] = self._content_type(section, body, stop)
        metadata["header_path"] = path
        metadata["headers"] = headers.copy()
        metadata["header_level"] = level
        metadata["section_tags"] = self._titles[following:last_tag]
        metadata["start_line"] = first_line
        metadata["end_line"] = last_line
        metadata["boundary"] = {"stage": draft.stage, "rule": draft.rule}
        content = prefix + own + suffix
        return make_chunk(
            content, first_line, last_line, start, end, metadata, prefix, suffix
        )

    def _without_indent(self, start: int, own: str) -> tuple[int, str]:
        """A chunk's own text; indent at the start of a line belongs to it."""
        if not start or self._text[start - 1] in "\r\n":
            return start, own
        visible = own.lstrip()
        return start + len(own) - len(visible), visible

    def _complete(self, draft: Draft, chunk: Chunk) -> None:
        """Add the fields that only some chunks have, or that depend on the one before."""
        metadata, previous = chunk.metadata, self._previous
        if self._has_fences:
            self._count_fences(draft, metadata)
        if draft.oversize_reason or self._has_tolerance:
            self._tell_oversize(draft, chunk)
        if draft.heading_moved:
            _tell_moved_heading(draft, metadata, previous)
        if previous is None or self._opens_section(draft):
            self._part, self._part_section = 0, NO_SECTION
        else:
            self._number_part(draft, metadata, previous)
        if draft.metadata:
            metadata.update(draft.metadata)
        self._previous, self._last_draft = metadata, draft

    def _line_of_stack(self, at: int) -> int:
        """The line of a repeated heading, which many chunks repeat."""
        line = self._stack_lines.get(at)
        if line is None:
            line = self._stack_lines[at] = self._repeated_lines.line_at(at)
        return line

    def _tell_oversize(self, draft: Draft, chunk: Chunk) -> None:
        """Tell why a chunk may be over the maximum, if it is."""
        reason = draft.oversize_reason
        if not reason and self._has_tolerance:
            size = self._layout.sizer.of(chunk.content)
            is_over = size > self._layout.config.max_chunk_size
            reason = WITHIN_TOLERANCE if is_over else ""
        if reason:
            chunk.metadata["allow_oversize"] = True
            chunk.metadata["oversize_reason"] = reason

    def headers_of(self, section: int) -> list[str]:
        """The titles from the document's down to a section's own."""
        return self._path(section)[1].copy()

    def _path(self, section: int) -> _Path:
        known = self._paths.get(section)
        if known is None:
            heading = self._document.headings[section]
            title = self._titles[section]
            if heading.parent < 0 and not self._document.title:
                known = (f"/{title}", [title], heading.level)
            else:
                path, headers, _ = self._path(heading.parent)
                known = (f"{path}/{title}", [*headers, title], heading.level)
            self._paths[section] = known
        return known

    def _content_type(self, section: int, body: int, stop: int) -> str:
        """The type of a chunk, by its first block that is not a heading and the rest."""
        if section < 0 and self._heading_blocks:
            return "preamble"
        kinds = self._kinds
        found = _TYPES.get(kinds[body])
        if found is not None and not kinds[body:stop].translate(None, found[1]):
            return found[0]
        return self._text_type

    def _count_fences(self, draft: Draft, metadata: dict[str, Any]) -> None:
        blocks = self._document.blocks
        fences = blocks.kinds.count(_FENCE, draft.first, draft.stop)
        if not fences:
            return
        unclosed = 0
        if not draft.suffix:
            flags = blocks.flags[draft.first : draft.stop]
            unclosed = len(flags.translate(None, _CLOSED))
        metadata["fence_count"] = 2 * fences - unclosed
        if unclosed % 2:
            metadata["fence_balance_error"] = True

    def _number_part(
        self, draft: Draft, metadata: dict[str, Any], previous: dict[str, Any]
    ) -> None:
        """Number the parts of a section that lies in more than one chunk."""
        section = self._document.section_of(draft.first)
        if section != self._part_section:
            self._part, self._part_section = 0, section
        self._part += 1
        size = self._section_size(section)
        if self._part == 1 and self._section_before() == section:
            # Where a heading itself was cut, the part before this has its number.
            previous.setdefault("split_index", 0)
            previous.setdefault("original_section_size", size)
        metadata["continued_from_header"] = True
        metadata["split_index"] = self._part
        metadata["original_section_size"] = size

    def _section_before(self) -> int:
        """The section of the chunk before."""
        if self._last_draft is None:
            return self._last_section
        return self._layout.section_of(self._last_draft)

    def _opens_section(self, draft: Draft) -> bool:
        """Whether a draft starts with a heading."""
        if self._kinds[draft.first] != _HEADING:
            return False
        if draft.start <= self._document.blocks.starts[draft.first]:
            return True
        # Only a heading over the limit is cut; then the rest of it opens nothing.
        heading = self._document.headings[self._document.section_of(draft.first)]
        return draft.start <= heading.start

    def _section_size(self, section: int) -> int:
        known = self._sizes.get(section)
        if known is None:
            headings = self._document.headings
            first = self._layout.first_block(section) if section >= 0 else 0
            following = section + 1
            stop = (
                headings[following].block
                if following < len(headings)
                else len(self._document.blocks)
            )
            known = self._sizes[section] = self._layout.sizer.span(first, stop)
        return known


def _tell_moved_heading(
    draft: Draft, metadata: dict[str, Any], previous: dict[str, Any] | None
) -> None:
    metadata["dangling_header_fixed"] = True
    metadata["header_moved_from_id"] = None
    if draft.is_merged:
        metadata["merge_reason"] = MERGE_REASON
    elif previous is not None:
        metadata["header_moved_from_id"] = previous["chunk_id"]


def warn_if_plain(chunks: Iterable[Chunk], document: Document) -> None:
    """Mark the chunks of a document that the parser could not read."""
    if document.is_plain:
        for chunk in chunks:
            chunk.metadata["parse_warning"] = PARSE_WARNING


def encode_text(role: bytes, own: str) -> bytes:
    """Return a text with its role, as `ChunkIds.assign_encoded` takes it."""
    return role + b"\0" + own.encode("utf-8", "surrogatepass")


class ChunkIds:
    """Gives ids by content: the same text gets the same id whatever is around it."""

    def __init__(self) -> None:
        self._digests: dict[str, str] = {}
        self._repeats: dict[str, int] = {}

    def reserve(self, taken: Iterable[str]) -> None:
        """Never give out ids that are in use elsewhere in the document."""
        self._digests.update(dict.fromkeys(taken, ""))

    def assign(self, role: bytes, own: str) -> str:
        """An id for a text in its role; the n-th equal text gets one of its own."""
        return self.assign_encoded(encode_text(role, own))

    def assign_encoded(self, data: bytes) -> str:
        """The same for a text that `encode_text` gave."""
        digest = sha256(data).hexdigest()
        short = digest[:_ID_DIGITS]
        if short in self._digests:
            short, digest = self._another(data, digest)
        self._digests[short] = digest
        return short

    def _another(self, data: bytes, digest: str) -> tuple[str, str]:
        """An id for a text that came before, or whose short id another text has."""
        length = _ID_DIGITS
        while (taken := self._digests.get(digest[:length])) is not None:
            if taken and digest.startswith(taken):
                count = self._repeats[taken] = self._repeats.get(taken, 0) + 1
                repeat = b"%d\0%b" % (count, data)
                return self._another(data, sha256(repeat).hexdigest())
            length += 1
        return digest[:length], digest
