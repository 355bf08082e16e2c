"""The order in which a class and its bases are searched, as Python's C3 has it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Base = int | str
"""A class symbol, or the name of a class outside the project."""


def linearize(
    symbol: int,
    bases_of: Callable[[int], Sequence[Base]],
    order_of: Callable[[int], tuple[Base, ...]],
) -> tuple[Base, ...]:
    """Return a class followed by its bases in the order they are searched.

    Classes outside the project have no known bases. Where no consistent order
    exists, the bases are searched depth first, as nothing better is known.
    """
    bases = tuple(dict.fromkeys(bases_of(symbol)))
    queues = [order_of(base) if isinstance(base, int) else (base,) for base in bases]
    if len(bases) > 1:
        queues.append(bases)
    return tuple(dict.fromkeys((symbol, *_merge(queues))))


def _merge(queues: Sequence[tuple[Base, ...]]) -> list[Base]:
    """Merge queues, each without repetitions, so that each keeps its order if possible."""
    if len(queues) == 1:
        return list(queues[0])
    heads = [0] * len(queues)
    behind = Counter(base for queue in queues for base in queue[1:])
    leading: dict[Base, list[int]] = {}
    for number, queue in enumerate(queues):
        leading.setdefault(queue[0], []).append(number)
    order: list[Base] = []
    taken: set[Base] = set()
    first = 0
    while first < len(queues):
        if heads[first] == len(queues[first]):
            first += 1
            continue
        base = _good_head(queues, heads, first, behind)
        order.append(base)
        taken.add(base)
        for number in leading.pop(base):
            queue = queues[number]
            head = heads[number]
            while head < len(queue) and queue[head] in taken:
                head += 1
            heads[number] = head
            if head < len(queue):
                behind[queue[head]] -= 1
                leading.setdefault(queue[head], []).append(number)
    return order


def _good_head(
    queues: Sequence[tuple[Base, ...]],
    heads: Sequence[int],
    first: int,
    behind: Counter[Base],
) -> Base:
    """Return the first head that is behind no other, or just the first."""
    for number in range(first, len(queues)):
        head = heads[number]
        if head < len(queues[number]) and not behind[queues[number][head]]:
            return queues[number][head]
    return queues[first][heads[first]]
