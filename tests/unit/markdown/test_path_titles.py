"""Titles as heading paths hold them."""

from __future__ import annotations

import pytest

from outcrop.markdown.document import MAX_TITLE_CHARS, path_title


@pytest.mark.parametrize("length", [0, 1, 200, MAX_TITLE_CHARS])
def test_an_ordinary_title_stays_as_it_is(length):
    title = "x" * length
    assert path_title(title) is title


def test_a_very_long_title_is_cut_with_an_ellipsis():
    assert path_title("x" * 301) == "x" * 299 + "…"
    assert path_title("word " * 100_000).endswith(" word…")
    assert len(path_title("word " * 100_000)) <= MAX_TITLE_CHARS
