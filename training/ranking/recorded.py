"""What is recorded of a question: its candidates, and which of them answer it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from outcrop.search.signals.signal import Pool


@dataclass
class Recorded:
    """The candidates of a question.

    Attributes:
        group: The index that was asked.
        package: The package that the question is about.
        kind: How the question was made.
        pool: The candidates.
        is_answer: Whether each candidate answers the question.
    """

    group: str
    package: str
    kind: str
    pool: Pool
    is_answer: list[bool]
