"""Divides files into groups, each of which one worker writes in one go."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_File = TypeVar("_File")

# About two thousand chunks, which is one transaction. Each adds a row for every word in
# it; half as many transactions have three quarters of these rows.
_MAX_BYTES = 800_000
_MIN_BYTES = 50_000
MAX_FILES = 400
# More of them balance the load better; each has a cost.
_GROUPS_PER_WORKER = 4


def group_by_size(
    files: Iterable[tuple[_File, int]], *, size_bytes: int, workers: int
) -> Iterator[list[_File]]:
    """Yield groups of files, which come with their sizes, in the order given.

    `size_bytes` is the size of all of them, which some workers share.
    """
    enough = group_bytes(size_bytes, workers)
    group: list[_File] = []
    size = 0
    for file, file_size in files:
        group.append(file)
        size += file_size
        if size >= enough or len(group) == MAX_FILES:
            yield group
            group, size = [], 0
    if group:
        yield group


def group_bytes(size_bytes: int, workers: int) -> int:
    """Return the size of a group, where some workers share files of a total size."""
    share = size_bytes // (workers * _GROUPS_PER_WORKER)
    return min(_MAX_BYTES, max(_MIN_BYTES, share))


def spread_first(
    files: Sequence[_File], sizes: Sequence[int], *, workers: int
) -> list[_File]:
    """Return files with a sample of about one group first, the others in order.

    The weights of words depend on the average length of chunks, which the first group
    of a new index decides. If it is far from that of the others, all weights are
    computed again. Chunks of large files are longer, so the sample has files of all
    sizes, as many of each as there are.
    """
    size = sum(sizes)
    step = max(1, size // group_bytes(size, workers))
    by_size = sorted(range(len(files)), key=sizes.__getitem__)
    sample = sorted(by_size[step // 2 :: step])
    taken = set(sample)
    others = (file for at, file in enumerate(files) if at not in taken)
    return [*(files[at] for at in sample), *others]
