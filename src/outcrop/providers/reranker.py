"""The interface of a reranker."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Sequence


@runtime_checkable
class Reranker(Protocol):
    """Scores how well texts answer a question, reading both together."""

    @property
    def name(self) -> str:
        """Names the model, without anything secret."""
        ...

    def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """Score texts.

        Returns:
            One score per text; a higher one is better.

        Raises:
            RerankError: There are no usable scores.
        """
        ...
