"""The interface of a reranker."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Sequence


@runtime_checkable
class Reranker(Protocol):
    """Scores how well texts answer a question, reading both together.

    It may also have an attribute `code_weight`: it then orders code among the ranks that
    code has, by the score of the ranking plus that many times its own. With a
    `document_weight`, it orders sections of documents in the same way; without one, they
    keep their ranks.
    """

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


def code_weight(reranker: Reranker) -> float | None:
    """Return how much a reranker counts for code; None if it orders all hits alone."""
    weight = getattr(reranker, "code_weight", None)
    return None if weight is None else float(weight)


def document_weight(reranker: Reranker) -> float:
    """Return how much a reranker with a weight for code counts for documents."""
    return float(getattr(reranker, "document_weight", None) or 0.0)
