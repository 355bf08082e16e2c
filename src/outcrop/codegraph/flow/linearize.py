"""The order in which a class and its bases are searched (C3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Base = int | str


def linearize(
    symbol: int,
    bases_of: Callable[[int], Sequence[Base]],
    order_of: Callable[[int], tuple[Base, ...]],
) -> tuple[Base, ...]:
    """Return a class followed by its bases in the order they are searched.

    Classes outside the project have no known bases. Where no consistent order
    exists, the bases are searched depth first, as nothing better is known.
    """
    bases = list(dict.fromkeys(bases_of(symbol)))
    queues: list[list[Base]] = [
        list(order_of(b)) if isinstance(b, int) else [b] for b in bases
    ]
    queues.append(list(bases))
    order: list[Base] = [symbol]
    while queues := [queue for queue in queues if queue]:
        head = _good_head(queues)
        order.append(head)
        for queue in queues:
            if head in queue:
                queue.remove(head)
    return tuple(dict.fromkeys(order))


def _good_head(queues: list[list[Base]]) -> Base:
    for queue in queues:
        if all(queue[0] not in other[1:] for other in queues):
            return queue[0]
    return queues[0][0]
