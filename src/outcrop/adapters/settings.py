"""What users give to the adapters: settings in the words of the frameworks, an index."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from outcrop.chunking.config import ChunkConfig
from outcrop.errors import ChunkConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from outcrop.model.hit import Hit

DEFAULT_SIZE = 4096

# Field of the configuration -> what the adapters call it.
_WORDS = {"max_chunk_size": "chunk_size", "overlap_size": "chunk_overlap"}


def chunk_config(
    *,
    chunk_size: int,
    chunk_overlap: int,
    min_chunk_size: int | None,
    strategy: str | None,
    oversize_blocks: str,
    length: Callable[[str], int] | None = None,
    encoding: str | None = None,
) -> ChunkConfig:
    """Build the configuration; errors use the names of the adapters' settings.

    Args:
        chunk_size: Maximum size of a chunk.
        chunk_overlap: Size of the quotation of each neighbour in the metadata.
        min_chunk_size: Smaller chunks are merged with a neighbour.
        strategy: Name of a strategy; chosen by content if None.
        oversize_blocks: `keep` or `split`.
        length: Counts the size of a text; characters if None.
        encoding: Count tokens of this encoding instead.

    Raises:
        ChunkConfigError: A setting is wrong.
        MissingExtraError: Tokens are requested without the extra `tokens`.
    """
    if encoding is not None:
        from outcrop.text.tokens import TokenCounter

        length = TokenCounter(encoding)
    try:
        return ChunkConfig(
            max_chunk_size=chunk_size,
            min_chunk_size=min_chunk_size,
            overlap_size=chunk_overlap,
            strategy=strategy,  # type: ignore[arg-type]  # checked there
            oversize_blocks=oversize_blocks,  # type: ignore[arg-type]  # checked there
            length=length,
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
