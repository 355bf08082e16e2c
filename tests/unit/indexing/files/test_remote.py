"""Names of objects in object storage."""

from __future__ import annotations

import pytest

from outcrop.indexing.paths import is_safe_name


@pytest.mark.parametrize("key", ["a.py", "src/a.py", "a b/ü.py", "..a/b..py", ".hid/a"])
def test_a_path_inside_a_folder_is_safe(key):
    assert is_safe_name(key)


@pytest.mark.parametrize(
    "key",
    [
        *("", "/a", "a//b", "a/", "../a", "a/../b", "a/..", "./a", "a/./b", "a\0b"),
        *("..\\a", f"{'x' * 256}/a.py"),
    ],
)
def test_a_key_that_is_not_such_a_path_is_not_safe(key):
    assert not is_safe_name(key)
