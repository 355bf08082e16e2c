"""Relations to follow: their names, and the edges behind them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from outcrop.errors import InputError
from outcrop.model.edge import EdgeKind
from outcrop.model.related import Relation

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from outcrop.model.candidate import Neighbour


class Follow(NamedTuple):
    """Which edges to follow.

    Attributes:
        leaving: Kinds to follow from where one stands.
        entering: Kinds to follow back.
    """

    leaving: tuple[EdgeKind, ...]
    entering: tuple[EdgeKind, ...]

    def __bool__(self) -> bool:
        return bool(self.leaving or self.entering)


_TYPES = (EdgeKind.EXTENDS, EdgeKind.IMPLEMENTS, EdgeKind.OVERRIDES)
_FOLLOWED = {
    "callers": Follow((), (EdgeKind.CALLS,)),
    "callees": Follow((EdgeKind.CALLS,), ()),
    "calls": Follow((EdgeKind.CALLS,), (EdgeKind.CALLS,)),
    "parents": Follow((), (EdgeKind.CONTAINS,)),
    "children": Follow((EdgeKind.CONTAINS,), ()),
    "types": Follow(_TYPES, _TYPES),
    "mentions": Follow((EdgeKind.MENTIONS,), (EdgeKind.MENTIONS,)),
}
EXPANSIONS = (*_FOLLOWED, "all")

_RELATIONS = {
    (EdgeKind.CALLS, True): Relation.CALLEE,
    (EdgeKind.CALLS, False): Relation.CALLER,
    (EdgeKind.CONTAINS, True): Relation.CHILD,
    (EdgeKind.CONTAINS, False): Relation.PARENT,
    (EdgeKind.MENTIONS, True): Relation.MENTION,
    (EdgeKind.MENTIONS, False): Relation.MENTION,
}
# How much a relation says of what is at the other end.
_STRENGTH = {
    Relation.MENTION: 1.0,
    Relation.BASE: 0.8,
    Relation.DERIVED: 0.8,
    Relation.CALLER: 0.8,
    Relation.CALLEE: 0.8,
    Relation.PARENT: 0.4,
    Relation.CHILD: 0.4,
}


def read_expansion(names: str | Sequence[str] | None) -> Follow:
    """Return which edges some names of relations mean.

    Args:
        names: `calls`, `mentions` and so on; several as a list or with commas.

    Raises:
        InputError: There is no such relation; the message lists those there are.
    """
    given = [names] if isinstance(names, str) else list(names or ())
    wanted = [name.strip().lower() for item in given for name in item.split(",")]
    leaving: dict[EdgeKind, None] = {}
    entering: dict[EdgeKind, None] = {}
    for name in filter(None, wanted):
        if name not in EXPANSIONS:
            raise InputError(
                f"expand is {name!r}, but it must be one of {', '.join(EXPANSIONS)}"
            )
        for follow in _FOLLOWED.values() if name == "all" else [_FOLLOWED[name]]:
            leaving |= dict.fromkeys(follow.leaving)
            entering |= dict.fromkeys(follow.entering)
    return Follow(tuple(leaving), tuple(entering))


def relation_of(neighbour: Neighbour) -> Relation:
    """Return what a neighbour is to where one stands."""
    kind = EdgeKind(neighbour.kind)
    otherwise = Relation.BASE if neighbour.leaving else Relation.DERIVED
    return _RELATIONS.get((kind, neighbour.leaving), otherwise)


def strengths(neighbours: Iterable[Neighbour]) -> list[float]:
    """Return how strong each relation is, from 0 to 1.

    What is related to much is related to each of it but little: strength falls with
    the number of neighbours of the same relation.
    """
    found = [(item, relation_of(item)) for item in neighbours]
    crowd = Counter((item.end, relation) for item, relation in found)
    return [
        _STRENGTH[relation] * item.confidence / crowd[item.end, relation] ** 0.5
        for item, relation in found
    ]
