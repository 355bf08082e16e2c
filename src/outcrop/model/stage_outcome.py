"""The outcome of a stage for one chunk: values for the store to keep."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self, TypedDict

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from outcrop.model.edge import Edge


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
    """The outcome of one stage for one chunk.

    Attributes:
        chunk_id: The chunk's id in the store.
        values: What to write; nothing where the stage has nothing to say.
        mentions: Edges from this chunk to symbols; None where the stage did not look,
            else they take the place of those it had.
        error: Why there are no values; empty where all went well.
        is_stale: The file is not what was planned: plan it again.
    """

    chunk_id: str
    values: ChunkValues = field(default_factory=ChunkValues)
    mentions: tuple[Edge, ...] | None = None
    error: str = ""
    is_stale: bool = False

    @classmethod
    def failed(cls, chunk_id: str, reason: str, *, is_stale: bool = False) -> Self:
        """Return the outcome of a chunk that could not be done, with the reason."""
        return cls(chunk_id=chunk_id, error=reason, is_stale=is_stale)
