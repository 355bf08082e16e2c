"""Hits made up for tests of how they are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.model.hit import Hit

if TYPE_CHECKING:
    from collections.abc import Iterable


def make_hit(
    content: str = "text",
    highlights: Iterable[tuple[int, int]] = (),
    **scores: float,
) -> Hit:
    """Make the hit of a section called A, whose score is the sum of its parts."""
    return Hit(
        id="0" * 16,
        path="a.md",
        content=content,
        start_line=1,
        end_line=1,
        start_offset=0,
        end_offset=len(content),
        header_path="/A",
        headers=("A",),
        breadcrumb="a.md > A",
        score=sum(scores.values()),
        scores=scores,
        highlights=tuple(highlights),
    )
