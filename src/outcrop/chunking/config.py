"""How to chunk: sizes, thresholds and modes, checked when they are given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from outcrop.errors import ChunkConfigError

if TYPE_CHECKING:
    from collections.abc import Callable

# By priority. A name is added here and in `STRATEGIES`, and nowhere else.
StrategyName = Literal["code_aware", "structural", "fallback", "blocks"]
STRATEGY_NAMES: tuple[str, ...] = get_args(StrategyName)
OVERSIZE_MODES = ("keep", "split")

_DEFAULT_MIN_SIZE = 512
_DEFAULT_OVERLAP = 200
_MAX_TOLERANCE = 1000  # keeps the limit finite


class _Derived(int):
    """A size that was not given: `dataclasses.replace` derives it again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkConfig:
    """Settings of `MarkdownChunker`.

    Sizes are characters, or whatever `length` counts.

    Attributes:
        max_chunk_size: Maximum size of a chunk, repeated headings included.
        min_chunk_size: Smaller chunks are merged with a neighbour where the two belong
            together. An eighth of the maximum, at most 512, where not given.
        overlap_size: How much of each neighbour is quoted in `previous_content` and
            `next_content`; 0 for none. A twentieth of the maximum, at most 200, where
            not given.
        code_threshold: Share of code from which a document counts as code, 0 to 1.
        structure_threshold: Number of headings from which it counts as structured.
        oversize_tolerance: How far over the maximum a chunk may go to stay whole: 0.2
            is a fifth.
        oversize_blocks: What happens to a block that alone is over the limit: `keep` it
            whole, or `split` it: a code block or table at lines or rows with its fence
            or header row repeated, HTML and front matter at lines.
        strategy: Force a strategy by name instead of choosing by content: one of
            `STRATEGY_NAMES`, or one that the chunker is given.
        include_document_summary: Whether the root of a hierarchy carries a summary.
        length: Counts the size of a text, for instance in tokens. Where a single code
            point counts for more than the maximum, it is a chunk by itself.
    """

    max_chunk_size: int = 4096
    min_chunk_size: int | None = None
    overlap_size: int | None = None
    code_threshold: float = 0.3
    structure_threshold: int = 3
    oversize_tolerance: float = 0.0
    oversize_blocks: Literal["keep", "split"] = "keep"
    strategy: str | None = None  # any name: it may be one of the caller's
    include_document_summary: bool = True
    length: Callable[[str], int] | None = None

    def __post_init__(self) -> None:
        _check_int("max_chunk_size", self.max_chunk_size, 1)
        if self.min_chunk_size is None or isinstance(self.min_chunk_size, _Derived):
            smallest = max(1, min(_DEFAULT_MIN_SIZE, self.max_chunk_size // 8))
            object.__setattr__(self, "min_chunk_size", _Derived(smallest))
        if self.overlap_size is None or isinstance(self.overlap_size, _Derived):
            overlap = min(_DEFAULT_OVERLAP, self.max_chunk_size // 20)
            object.__setattr__(self, "overlap_size", _Derived(overlap))
        self._check_sizes()
        self._check_thresholds()
        self._check_choices()

    @property
    def limit(self) -> int:
        """Maximum size of a chunk, tolerance included."""
        return int(self.max_chunk_size * (1 + self.oversize_tolerance))

    def _check_sizes(self) -> None:
        _check_int("min_chunk_size", self.min_chunk_size, 1)
        if self.smallest > self.max_chunk_size:
            rule = f"it must not exceed max_chunk_size ({self.max_chunk_size})"
            raise ChunkConfigError("min_chunk_size", self.min_chunk_size, rule)
        _check_int("overlap_size", self.overlap_size, 0)
        if self.overlap >= self.max_chunk_size:
            rule = f"it must be smaller than max_chunk_size ({self.max_chunk_size})"
            raise ChunkConfigError("overlap_size", self.overlap_size, rule)

    @property
    def smallest(self) -> int:
        """`min_chunk_size`, as given or derived."""
        return self.min_chunk_size or 1

    @property
    def overlap(self) -> int:
        """`overlap_size`, as given or derived."""
        return self.overlap_size or 0

    def _check_thresholds(self) -> None:
        _check_number("code_threshold", self.code_threshold)
        if not 0 <= self.code_threshold <= 1:
            rule = "it must be from 0 to 1"
            raise ChunkConfigError("code_threshold", self.code_threshold, rule)
        _check_int("structure_threshold", self.structure_threshold, 1)
        _check_number("oversize_tolerance", self.oversize_tolerance)
        if not 0 <= self.oversize_tolerance < float("inf"):
            rule = "it must be a finite number of at least 0"
            raise ChunkConfigError("oversize_tolerance", self.oversize_tolerance, rule)
        if self.oversize_tolerance > _MAX_TOLERANCE:
            rule = f"it must be at most {_MAX_TOLERANCE}"
            raise ChunkConfigError("oversize_tolerance", self.oversize_tolerance, rule)

    def _check_choices(self) -> None:
        if self.oversize_blocks not in OVERSIZE_MODES:
            rule = f"it must be one of {', '.join(OVERSIZE_MODES)}"
            raise ChunkConfigError("oversize_blocks", self.oversize_blocks, rule)
        if self.strategy is not None and not isinstance(self.strategy, str):
            rule = f"it must be the name of a strategy, such as {STRATEGY_NAMES[0]}"
            raise ChunkConfigError("strategy", self.strategy, rule)
        if self.length is not None and not callable(self.length):
            rule = "it must be a function from text to its size"
            raise ChunkConfigError("length", self.length, rule)


def _check_int(field: str, value: object, least: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool):
        raise ChunkConfigError(field, value, "it must be a whole number")
    if value < least:
        raise ChunkConfigError(field, value, f"it must be at least {least}")


def _check_number(field: str, value: object) -> None:
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise ChunkConfigError(field, value, "it must be a number")
