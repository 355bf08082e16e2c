"""What the retrievers need of an index."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outcrop.model.hit import Hit


class Searchable(Protocol):
    """Finds hits; `outcrop.Index` does."""

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
        """Find the chunks that answer a question best."""
