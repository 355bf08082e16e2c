"""Relations to follow: their names, and the kinds of edge they stand for."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from outcrop.errors import InputError
from outcrop.model.edge import EdgeKind
from outcrop.model.hit import Relation

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from outcrop.model.candidate import Neighbour


class Follow(NamedTuple):
    """Which edges to follow.

    Attributes:
        leaving: Kinds of edge to follow forwards.
        entering: Kinds of edge to follow backwards.
    """

    leaving: tuple[EdgeKind, ...]
    entering: tuple[EdgeKind, ...]

    def __bool__(self) -> bool:
        return bool(self.leaving or self.entering)


FOLLOW_NOTHING = Follow((), ())
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
# How strongly each relation connects its two ends.
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
    """Return which edges to follow for some names of relations.

    Args:
        names: `calls`, `mentions` and so on; several as a list or with commas.

    Raises:
        InputError: A name is unknown; the message lists the valid ones.
    """
    items = [names] if isinstance(names, str) else list(names or ())
    wanted = [name.strip().lower() for item in items for name in item.split(",")]
    leaving: dict[EdgeKind, None] = {}
    entering: dict[EdgeKind, None] = {}
    for name in filter(None, wanted):
        if name not in EXPANSIONS:
            raise InputError(
                f"unknown relation {name!r} in expand; choose one of: "
                + ", ".join(EXPANSIONS)
            )
        for follow in _FOLLOWED.values() if name == "all" else [_FOLLOWED[name]]:
            leaving |= dict.fromkeys(follow.leaving)
            entering |= dict.fromkeys(follow.entering)
    return Follow(tuple(leaving), tuple(entering))


def relation_of(neighbour: Neighbour) -> Relation:
    """Return the relation of a neighbour to the end it was reached from."""
    kind = EdgeKind(neighbour.kind)
    otherwise = Relation.BASE if neighbour.leaving else Relation.DERIVED
    return _RELATIONS.get((kind, neighbour.leaving), otherwise)


def strengths(neighbours: Iterable[Neighbour]) -> list[float]:
    """Return how strong each relation is, from 0 to 1.

    Strength falls with the number of neighbours of the same relation: a function that
    is called everywhere says little about each caller.
    """
    related = [(item, relation_of(item)) for item in neighbours]
    counts = Counter((item.end, relation) for item, relation in related)
    return [
        _STRENGTH[relation] * item.confidence / counts[item.end, relation] ** 0.5
        for item, relation in related
    ]
