"""The last step: from drafts to chunks with all their metadata."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any

from outcrop.markdown.document import UNCLOSED, Kind
from outcrop.model.chunk import Chunk
from outcrop.text.lines import LineCounter
from outcrop.text.whitespace import first_visible

if TYPE_CHECKING:
    from outcrop.chunking.draft import Draft
    from outcrop.chunking.layout import Layout

PREAMBLE_PATH = "/__preamble__"
MERGE_REASON = "dangling_header_prevention"

_HEADING = int(Kind.HEADING)
_FENCE = int(Kind.FENCE)
_TABLE = int(Kind.TABLE)
_INDENTED_CODE = int(Kind.INDENTED_CODE)
_ID_DIGITS = 8


class MetadataRecalculator:
    """Computes every field anew from the final boundaries.

    Nothing is carried along from stage to stage, so no stage can leave a stale value.
    """

    def __init__(self, layout: Layout, strategy: str) -> None:
        self._layout = layout
        self._document = layout.document
        self._text = layout.document.text
        self._strategy = strategy
        self._lines = LineCounter(self._text)
        self._repeated_lines = LineCounter(self._text)
        self._ids = ChunkIds()
        self._sizes: dict[int, int] = {}
        self._paths: dict[int, tuple[str, list[str], int]] = {}

    def recalculate_all(self, drafts: list[Draft]) -> list[Chunk]:
        """Turn drafts into chunks; drafts of white space alone are left out."""
        chunks: list[Chunk] = []
        kept: list[Draft] = []
        for draft in drafts:
            start, own = self._own_text(draft)
            if own:
                chunks.append(self._chunk(draft, start, own))
                kept.append(draft)
        self._link_moved_headings(kept, chunks)
        self._number_parts(kept, chunks)
        return chunks

    def _own_text(self, draft: Draft) -> tuple[int, str]:
        """The draft's own text without blank lines before it or space behind it."""
        text, start = self._text, draft.start
        own = text[start : draft.end].rstrip()
        if not own or not own[0].isspace():
            return start, own
        visible = first_visible(text, start, draft.end)
        line = max(text.rfind("\n", start, visible), text.rfind("\r", start, visible))
        if line >= 0:
            first = line + 1
        else:  # indent is kept, other space before the first character is not
            first = start if start == 0 or text[start - 1] in "\r\n" else visible
        return first, own[first - start :]

    def _chunk(self, draft: Draft, start: int, own: str) -> Chunk:
        end = start + len(own)
        first_line = self._lines.line_at(start)
        last_line = self._lines.line_at(end - 1)
        if draft.prefix:
            first_line = self._repeated_lines.line_at(draft.repeats_from)
        section = self._layout.section_of(draft)
        path, headers, level = self._path(section)
        metadata: dict[str, Any] = {
            "chunk_id": self._ids.assign("chunk", own),
            "strategy": self._strategy,
            "content_type": self._content_type(draft, section),
            "header_path": path,
            "headers": headers.copy(),
            "header_level": level,
            "section_tags": self._tags(section, draft.stop),
            "start_line": first_line,
            "end_line": last_line,
            "boundary": {"stage": draft.stage, "rule": draft.rule},
            "fence_count": 0,
            "continued_from_header": False,
            "allow_oversize": False,
            "indexable": True,
        }
        self._mark_fences(draft, metadata)
        if draft.oversize_reason:
            metadata["allow_oversize"] = True
            metadata["oversize_reason"] = draft.oversize_reason
        return Chunk(
            content=draft.prefix + own + draft.suffix,
            start_line=first_line,
            end_line=last_line,
            start_offset=start,
            end_offset=end,
            metadata=metadata,
            prefix=draft.prefix,
            suffix=draft.suffix,
        )

    def _path(self, section: int) -> tuple[str, list[str], int]:
        known = self._paths.get(section)
        if known is None:
            if section < 0:
                known = (PREAMBLE_PATH, [], 0)
            else:
                headers = self._document.path(section)
                level = self._document.headings[section].level
                known = ("/" + "/".join(headers), headers, level)
            self._paths[section] = known
        return known

    def _tags(self, section: int, stop: int) -> list[str]:
        """Titles of the headings behind the one that `section` opens with."""
        headings = self._document.headings
        tags: list[str] = []
        section += 1
        while section < len(headings) and headings[section].block < stop:
            tags.append(headings[section].title)
            section += 1
        return tags

    def _content_type(self, draft: Draft, section: int) -> str:
        if section < 0 and self._document.headings:
            return "preamble"
        kinds = self._document.blocks.kinds
        first, stop = draft.first, draft.stop
        bodies = stop - first - kinds.count(_HEADING, first, stop)
        if bodies:
            code = kinds.count(_FENCE, first, stop)
            code += kinds.count(_INDENTED_CODE, first, stop)
            if code == bodies:
                return "code"
            if kinds.count(_TABLE, first, stop) == bodies:
                return "table"
        return "section" if self._strategy == "structural" else "text"

    def _mark_fences(self, draft: Draft, metadata: dict[str, Any]) -> None:
        blocks = self._document.blocks
        fences = blocks.kinds.count(_FENCE, draft.first, draft.stop)
        if not fences:
            return
        flags = blocks.flags[draft.first : draft.stop]
        unclosed = 0 if draft.suffix else sum(1 for flag in flags if flag & UNCLOSED)
        metadata["fence_count"] = 2 * fences - unclosed
        if unclosed % 2:
            metadata["fence_balance_error"] = True

    def _link_moved_headings(self, drafts: list[Draft], chunks: list[Chunk]) -> None:
        previous: Chunk | None = None
        for draft, chunk in zip(drafts, chunks, strict=True):
            if draft.heading_moved:
                metadata = chunk.metadata
                metadata["dangling_header_fixed"] = True
                metadata["header_moved_from_id"] = None
                if draft.is_merged:
                    metadata["merge_reason"] = MERGE_REASON
                elif previous is not None:
                    metadata["header_moved_from_id"] = previous.metadata["chunk_id"]
            previous = chunk

    def _number_parts(self, drafts: list[Draft], chunks: list[Chunk]) -> None:
        """Number the parts of every section that lies in more than one chunk."""
        document = self._document
        part, last_section = 0, -1
        for index, draft in enumerate(drafts):
            section = document.section_of(draft.first)
            if index == 0 or self._opens_section(draft, section):
                part, last_section = 0, section
                continue
            part = part + 1 if section == last_section else 1
            size = self._section_size(section)
            if part == 1 and "split_index" not in chunks[index - 1].metadata:
                chunks[index - 1].metadata["split_index"] = 0
                chunks[index - 1].metadata["original_section_size"] = size
            metadata = chunks[index].metadata
            metadata["continued_from_header"] = True
            metadata["split_index"] = part
            metadata["original_section_size"] = size
            last_section = section

    def _opens_section(self, draft: Draft, section: int) -> bool:
        if section < 0 or self._document.blocks.kinds[draft.first] != _HEADING:
            return False
        return draft.start <= self._document.headings[section].start

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


class ChunkIds:
    """Gives ids by content: the same text gets the same id whatever is around it."""

    def __init__(self) -> None:
        self._seen: dict[bytes, int] = {}
        self._taken: set[str] = set()

    def assign(self, role: str, own: str) -> str:
        """An id for a text in its role; the n-th equal text gets one of its own."""
        data = f"{role}\0{own}".encode("utf-8", "surrogatepass")
        digest = sha256(data)
        key = digest.digest()
        earlier = self._seen.get(key, 0)
        self._seen[key] = earlier + 1
        if earlier:
            digest = sha256(b"%d\0%b" % (earlier, data))
        digits = digest.hexdigest()
        length = _ID_DIGITS
        while digits[:length] in self._taken:
            length += 1
        self._taken.add(digits[:length])
        return digits[:length]
