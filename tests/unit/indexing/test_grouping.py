"""Groups of files for the workers."""

from __future__ import annotations

from itertools import chain

from outcrop.indexing.grouping import group_by_size, spread_first


def test_groups_hold_all_files_in_order():
    files = [(n, 30_000) for n in range(100)]
    groups = list(group_by_size(files, size_bytes=3_000_000, workers=2))
    assert list(chain(*groups)) == list(range(100))
    assert {len(group) for group in groups[:-1]} == {13}


def test_there_are_several_groups_per_worker():
    files = [(n, 1_000_000) for n in range(64)]
    assert len(list(group_by_size(files, size_bytes=64_000_000, workers=2))) == 64
    small = [(n, 1_000) for n in range(400)]
    assert len(list(group_by_size(small, size_bytes=400_000, workers=2))) == 8


def test_a_group_of_tiny_files_is_limited():
    files = [(n, 1) for n in range(1_000)]
    groups = list(group_by_size(files, size_bytes=1_000, workers=2))
    assert [len(group) for group in groups] == [400, 400, 200]


def test_a_sample_of_all_files_comes_first():
    files = list(range(1_000))
    ordered = spread_first(files)
    assert sorted(ordered) == files
    assert ordered[:3] == [12, 37, 62]
    assert ordered[40:44] == [0, 1, 2, 3]


def test_few_files_keep_their_order():
    assert spread_first([3, 1, 2]) == [3, 1, 2]
    assert spread_first([]) == []
