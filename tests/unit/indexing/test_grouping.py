"""Groups of files for the workers."""

from __future__ import annotations

from itertools import chain

from outcrop.indexing.workers import group_by_size, spread_first


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


def test_a_sample_of_all_sizes_comes_first():
    """The first group has small and large files in the proportion of all files."""
    sizes = [500_000 if n % 10 == 0 else 5_000 for n in range(1_000)]
    ordered = spread_first(range(1_000), sizes, workers=2)
    assert sorted(ordered) == list(range(1_000))
    step = sum(sizes) // 800_000
    sample = ordered[: 1_000 // step]
    assert sample == sorted(sample)
    large = [n for n in sample if n % 10 == 0]
    assert abs(len(large) - len(sample) / 10) <= 1
    rest = ordered[len(sample) + 1 :]
    assert rest == sorted(rest)


def test_few_files_keep_their_order():
    assert spread_first([3, 1, 2], [10, 30, 20], workers=2) == [3, 1, 2]
    assert spread_first([], [], workers=2) == []
