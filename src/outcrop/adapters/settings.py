"""The settings of the adapters, in the frameworks' words, and the index they search."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from outcrop.chunking.config import ChunkConfig
from outcrop.errors import ChunkConfigError
from outcrop.text.tokens import TokenCounter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outcrop.model.hit import Hit

DEFAULT_SIZE = 4096

# Field of the configuration -> what the adapters call it.
_WORDS = {"max_chunk_size": "chunk_size", "overlap_size": "chunk_overlap"}


def chunk_config(
    *,
    chunk_size: int,
    chunk_overlap: int,
    encoding: str | None = None,
    **settings: Any,
) -> ChunkConfig:
    """Build the configuration; errors use the names of the adapters' settings.

    Args:
        chunk_size: Maximum size of a chunk.
        chunk_overlap: Size of the quotation of each neighbour in the metadata.
        encoding: Count tokens of this encoding instead of characters.
        **settings: Other fields of `ChunkConfig`.

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
