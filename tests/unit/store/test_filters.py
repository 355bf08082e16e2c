"""Globs of a filter, translated for PostgreSQL."""

from __future__ import annotations

import re

import pytest

from outcrop.errors import InputError
from outcrop.store.filters import glob_to_regex


@pytest.mark.parametrize(
    ("glob", "matching", "others"),
    [
        ("*.md", ["a.md", "docs/b.md", "x/y/c.md"], ["a.mdx", "md", "a.md/b"]),
        ("docs/*.md", ["docs/a.md"], ["a.md", "docs/x/a.md", "xdocs/a.md"]),
        ("docs/**", ["docs/a.md", "docs/x/y.txt"], ["doc/a.md", "x/docs/a.md"]),
        ("docs/**/a.md", ["docs/a.md", "docs/x/a.md", "docs/x/y/a.md"], ["a.md"]),
        ("**/test_?.py", ["test_1.py", "a/b/test_x.py"], ["test_12.py"]),
        ("/README.md", ["README.md"], ["docs/README.md"]),
        ("/srv/*.md", ["srv/a.md", "/srv/a.md"], ["x/srv/a.md", "/x/srv/a.md"]),
        ("a[bc].txt", ["ab.txt", "x/ac.txt"], ["ad.txt"]),
        ("a[!bc].txt", ["ad.txt"], ["ab.txt", "a/.txt"]),
        ("a+b (1).md", ["a+b (1).md"], ["aab (1).md", "a+b 1.md"]),
        ("v1.0/x", ["v1.0/x"], ["v1a0/x"]),
        ("файл?.md", ["файлы.md"], ["файл.md"]),
        ("[", ["["], ["x"]),
    ],
)
def test_globs_match_paths(glob: str, matching: list[str], others: list[str]) -> None:
    regex = re.compile(glob_to_regex(glob))
    assert [path for path in matching if not regex.search(path)] == []
    assert [path for path in others if regex.search(path)] == []


def test_repeated_stars_are_one_pattern() -> None:
    assert glob_to_regex("*" * 200) == glob_to_regex("**")
    assert glob_to_regex("**/" * 80 + "a.md") == glob_to_regex("**/a.md")


def test_a_pattern_too_long_to_be_one_is_refused() -> None:
    with pytest.raises(InputError, match="the maximum is 300"):
        glob_to_regex("a" * 301)
