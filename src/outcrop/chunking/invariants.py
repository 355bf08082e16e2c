"""Checking chunks against the promises.

Inside `MarkdownChunker.chunk` only spans and flags are checked: that costs next to
nothing and catches every loss. `InvariantValidator` is the full check for users and
tests; it reads the text again and judges chunks from any source by their fields.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from operator import le, lt
from typing import TYPE_CHECKING

from outcrop.chunking.draft import INTEGRITY_REASONS, WITHIN_TOLERANCE
from outcrop.chunking.outline import SectionRoles
from outcrop.chunking.parts import SELF_CONTAINED, SPLITTABLE, is_same_block
from outcrop.chunking.placement import place_chunks
from outcrop.errors import InvariantError
from outcrop.markdown import Document, Kind, parse
from outcrop.markdown.document import UNCLOSED
from outcrop.model.chunk import NO_OFFSET
from outcrop.text.offsets import first_visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from outcrop.chunking.config import ChunkConfig
    from outcrop.model.chunk import Chunk

_MIN_LINE_CHARS = 20  # shorter lines say little about coverage
_MIN_COVERAGE = 0.95
_HEADING = int(Kind.HEADING)


def check_spans(chunks: Sequence[Chunk], text: str) -> None:
    """Make sure that the chunks' own spans hold every visible character once.

    Raises:
        InvariantError: If a span is out of order or a character lies outside.
    """
    if not _is_covered_once(chunks, text):
        for problem in _span_problems(chunks, text):
            raise InvariantError(problem)


def _is_covered_once(chunks: Sequence[Chunk], text: str) -> bool:
    """Whether spans are known, in order, and only white space is between them."""
    starts = [chunk.start_offset for chunk in chunks]
    ends = [chunk.end_offset for chunk in chunks]
    gap_starts, gap_ends = [0, *ends], [*starts, len(text)]
    return (
        all(map(lt, starts, ends))
        and all(map(le, gap_starts, gap_ends))
        and not "".join(map(text.__getitem__, map(slice, gap_starts, gap_ends))).strip()
    )


def _span_problems(chunks: Sequence[Chunk], text: str) -> Iterator[str]:
    done = 0
    for index, chunk in enumerate(chunks):
        start, end = chunk.start_offset, chunk.end_offset
        if start == NO_OFFSET:
            continue
        if start < done or end <= start:
            yield f"chunk {index} spans {start} to {end}, but the text up to {done} is already covered"
        if done < start and not text[done:start].isspace():
            lost = first_visible(text, done, start)
            yield f"the text at offset {lost} is in no chunk: {text[lost : lost + 40]!r}"
        done = max(done, end)
    lost = first_visible(text, done, len(text))
    if lost < len(text):
        yield f"the text at offset {lost} is in no chunk: {text[lost : lost + 40]!r}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidationResult:
    """The result of a validation.

    Attributes:
        valid: Whether there are no errors.
        errors: Broken promises; in lenient mode only losses of text.
        warnings: Broken promises that lenient mode lets pass, and low coverage.
        coverage: Share of the source's lines of at least 20 characters that are
            present in some chunk, 0 to 1.
    """

    valid: bool
    errors: list[str]
    warnings: list[str]
    coverage: float


class InvariantValidator:
    """Checks chunks of a document against the promises of chunking."""

    def __init__(self, config: ChunkConfig, strict: bool = False) -> None:  # noqa: FBT001, FBT002 - the name is the contract's
        self.config = config
        self.strict = strict

    def validate(self, chunks: Sequence[Chunk], original_text: str) -> ValidationResult:
        """Check everything, in time linear in the size of the text.

        Args:
            chunks: The chunks, in order. Those without offsets are looked for in the
                text.
            original_text: The text they were cut from.

        Returns:
            Errors, warnings and coverage. In strict mode every broken promise is an
            error.

        Raises:
            TypeError: The text is not a `str`.
        """
        if not isinstance(original_text, str):
            given = type(original_text).__name__
            raise TypeError(f"pass the chunks and their text, a str, not {given}")
        document = parse(original_text)
        chunks = place_chunks(chunks, original_text)
        losses = [*_verbatim_problems(chunks, original_text)]
        losses.extend(_span_problems(chunks, original_text))
        broken: list[str] = []
        placed = chunks if len(document.blocks) else []
        dangling = self._dangling(placed, document)
        if dangling:
            broken.append(f"dangling headings at the end of chunks {dangling}")
        oversize = self._invalid_oversize(chunks)
        if oversize:
            broken.append(f"over the limit: chunks {oversize}")
        cut = _cut_blocks(placed, document, self.config.oversize_blocks)
        if cut:
            broken.append(f"atomic blocks cut at offsets {cut}")
        damaged = _damaged_parts(placed, document)
        if damaged:
            broken.append(
                "parts of a code block or table that do not "
                f"parse to the same kind of block: chunks {damaged}"
            )
        coverage = _line_recall(chunks, original_text)
        warnings = [] if self.strict else broken
        if coverage < _MIN_COVERAGE:
            warnings = [*warnings, f"content coverage {coverage:.1%} is below 95%"]
        errors = [*losses, *broken] if self.strict else losses
        return ValidationResult(
            valid=not errors, errors=errors, warnings=warnings, coverage=coverage
        )

    def _dangling(self, chunks: Sequence[Chunk], document: Document) -> list[int]:
        """Chunks that end in a heading which is followed by its body or a deeper one."""
        kinds = document.blocks.kinds
        levels = {heading.block: heading.level for heading in document.headings}
        has_text = SectionRoles(document).has_text
        found = []
        for index, chunk in enumerate(chunks):
            block = _block_at(document, chunk.end_offset - 1)
            following = block + 1
            is_heading = chunk.has_span and kinds[block] == _HEADING
            if following >= len(kinds) or not is_heading:
                continue
            # In a tree a heading without any text is a leaf of its own.
            is_leaf = "parent_id" in chunk.metadata
            if is_leaf and not has_text[document.section_of(block)]:
                continue
            is_followed = kinds[following] != _HEADING or (
                levels[following] > levels[block]
            )
            if is_followed and self._could_stay(document, block):
                found.append(index)
        return found

    def _could_stay(self, document: Document, block: int) -> bool:
        """Whether a heading, those before it and what follows fit into a chunk at all."""
        kinds, starts = document.blocks.kinds, document.blocks.starts
        first = block
        while first > 0 and kinds[first - 1] == _HEADING:
            first -= 1
        following = block + 1
        if kinds[following] == _HEADING:
            end = document.block_end(following)
        else:
            visible = first_visible(
                document.text, starts[following], len(document.text)
            )
            end = visible + 1
        needed = document.text[starts[first] : end].rstrip()
        return (self.config.length or len)(needed) <= self.config.max_chunk_size

    def _invalid_oversize(self, chunks: Sequence[Chunk]) -> list[int]:
        """Chunks that are larger than their reason, or the lack of one, allows."""
        measure = self.config.length or len
        found = []
        for index, chunk in enumerate(chunks):
            reason = chunk.metadata.get("oversize_reason")
            if reason in INTEGRITY_REASONS:
                continue
            is_tolerated = reason == WITHIN_TOLERANCE
            limit = self.config.limit if is_tolerated else self.config.max_chunk_size
            if measure(chunk.content) > limit:
                found.append(index)
        return found


def _verbatim_problems(chunks: Sequence[Chunk], text: str) -> Iterator[str]:
    for index, chunk in enumerate(chunks):
        own = text[chunk.start_offset : chunk.end_offset]
        if not chunk.has_span:
            yield f"chunk {index} is not in the text: {chunk.content[:40]!r}"
        elif chunk.content != chunk.prefix + own + chunk.suffix:
            yield f"chunk {index} is not the text of its span"


def _block_at(document: Document, offset: int) -> int:
    return max(0, bisect_right(document.blocks.starts, offset) - 1)


def _cut_blocks(
    chunks: Sequence[Chunk], document: Document, oversize_blocks: str
) -> list[int]:
    """Offsets where a chunk ends inside a block that is never cut."""
    found = []
    for chunk in chunks:
        block = _block_at(document, chunk.end_offset - 1)
        kind = document.blocks.kinds[block]
        may_be_cut = oversize_blocks == "split" and kind in SPLITTABLE
        if (
            chunk.has_span
            and not may_be_cut
            and _is_cut(document, block, chunk.end_offset)
        ):
            found.append(chunk.end_offset)
    return found


def _is_cut(document: Document, block: int, offset: int) -> bool:
    """Whether a cut at `offset` leaves some of an atomic block after it."""
    if not document.is_unbreakable(block):
        return False
    end = document.block_end(block)
    return first_visible(document.text, offset, end) < end


def _damaged_parts(chunks: Sequence[Chunk], document: Document) -> list[int]:
    """Parts of a code block or table that parse to something else by themselves."""
    found = []
    blocks = document.blocks
    goes_on = False
    for index, chunk in enumerate(chunks):
        is_part, goes_on = goes_on, False
        block = _block_at(document, chunk.end_offset - 1)
        kind = blocks.kinds[block]
        if chunk.has_span and kind in SELF_CONTAINED:
            goes_on = _is_cut(document, block, chunk.end_offset)
            is_open = bool(blocks.flags[block] & UNCLOSED) and not goes_on
            if (is_part or goes_on) and not is_same_block(
                chunk.content, kind, may_be_open=is_open
            ):
                found.append(index)
    return found


def _line_recall(chunks: Sequence[Chunk], text: str) -> float:
    """Share of the longer lines whose characters lie in the chunks' spans.

    A repeated heading or an overlap does not raise it, and no line is searched for:
    each is looked up by its place.
    """
    stretches = iter(_covered_stretches(chunks, text))
    start, end = next(stretches, (0, 0))
    total = found = at = 0
    for line in text.splitlines(keepends=True):
        visible = line.strip()
        first = at + len(line) - len(line.lstrip())
        at += len(line)
        if len(" ".join(visible.split())) < _MIN_LINE_CHARS:
            continue
        while end <= first and (following := next(stretches, None)) is not None:
            start, end = following
        total += 1
        found += start <= first and first + len(visible) <= end
    return found / total if total else 1.0


def _covered_stretches(chunks: Sequence[Chunk], text: str) -> list[tuple[int, int]]:
    """Stretches of the text that lie in chunks, white space between them included."""
    stretches: list[tuple[int, int]] = []
    for chunk in sorted(chunks, key=lambda chunk: chunk.start_offset):
        start, end = chunk.start_offset, chunk.end_offset
        is_verbatim = chunk.content == chunk.prefix + text[start:end] + chunk.suffix
        if not chunk.has_span or not is_verbatim:
            continue
        if stretches and first_visible(text, stretches[-1][1], start) >= start:
            first, last = stretches.pop()
            start, end = first, max(last, end)
        stretches.append((start, end))
    return stretches
