"""Filters are made from what callers pass."""

from __future__ import annotations

import pytest

from outcrop.errors import InputError
from outcrop.search.filters import make_filter


def test_sources_and_kinds_are_told_apart():
    found = make_filter(kind=["code", "section"], depth=2, path_glob="*.md")
    assert (found.sources, found.kinds) == (["code"], ["section"])
    assert (found.min_level, found.max_level) == (2, 2)
    assert make_filter() is None
    assert make_filter(depth=(1, 3)).max_level == 3


@pytest.mark.parametrize(
    "given",
    [
        {"depth": -1},
        {"depth": (0, 2**40)},
        {"depth": (1,)},
        {"depth": "1"},
        {"depth": ("1", "2")},
        {"path_glob": "a\0"},
        {"path_glob": ""},
        {"path_glob": ["*.md", "./"]},
    ],
)
def test_an_invalid_filter_is_rejected(given):
    with pytest.raises(InputError, match=r"depth is|path_glob"):
        make_filter(**given)


def test_a_folder_matches_everything_in_it():
    found = make_filter(path_glob=["docs/", "./docs/*.md", "docs"])
    assert found.path_globs == ["docs/**", "docs/*.md", "docs"]
    assert make_filter(document="./a.md").documents == ["a.md"]
