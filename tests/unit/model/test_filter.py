"""A filter is true if it restricts anything."""

from __future__ import annotations

from outcrop.model.filter import Filter


def test_filter_without_conditions_is_none() -> None:
    assert not Filter()
    assert Filter(kinds=["section"])
    assert Filter(max_level=0)
    assert Filter(documents=["a.md"])
    assert Filter(tags=["a"]).by_document
