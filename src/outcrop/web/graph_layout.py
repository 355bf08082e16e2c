"""A symbol and its neighbours as a drawing.

The symbol stands in the middle: who uses it on the left, what it uses on the right,
what is above it in the program above, what is below it below. A side shows so many
neighbours; the rest is counted, and listed in full beside the drawing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from outcrop.model.symbol import Link, SymbolView

WIDTH, HEIGHT = 200.0, 42.0
_ROW = 54.0
_COLUMN = 330.0
_SPREAD = 216.0
_SPACE = 70.0
_MARGIN = 24.0
_MOST = 9
_MOST_IN_A_ROW = 4
_NAME = 22
_AROUND = 27

Side = Literal["left", "right", "top", "bottom", "centre"]

SIDES: dict[Side, tuple[str, ...]] = {
    "left": ("callers", "imported_by"),
    "right": ("callees", "imports"),
    "top": ("parents", "bases", "overrides"),
    "bottom": ("children", "derived", "overridden_by"),
}


# What a relation makes of the symbol's neighbour, in the words of the drawing.
RELATIONS = {
    "callers": "calls it",
    "imported_by": "imports it",
    "callees": "called",
    "imports": "imported",
    "parents": "part of",
    "bases": "extends",
    "overrides": "overrides",
    "children": "contains",
    "derived": "extended by",
    "overridden_by": "overridden by",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """A node of the drawing.

    Attributes:
        x: Its middle.
        y: Its middle.
        side: Where it stands.
        name: What it is called, shortened.
        title: What it is called in full.
        note: A word on it.
        target: Id of the symbol it leads to; None where it leads nowhere.
        relation: How it is related to the symbol in the middle.
    """

    x: float
    y: float
    side: Side
    name: str
    title: str
    note: str
    target: str | None
    relation: str

    @property
    def left(self) -> float:
        """Its left edge."""
        return self.x - WIDTH / 2

    @property
    def top(self) -> float:
        """Its upper edge."""
        return self.y - HEIGHT / 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """An edge of the drawing.

    Attributes:
        path: The curve, as SVG writes it.
        resolution: How the edge was found.
        relation: What it says.
        title: The same for people.
        is_inward: Whether it leads to the symbol in the middle.
    """

    path: str
    resolution: str
    relation: str
    title: str
    is_inward: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """A symbol with its neighbours, laid out.

    Attributes:
        boxes: The nodes, the symbol itself first.
        lines: The edges.
        view: What has to be seen, as SVG's viewBox.
    """

    boxes: list[Box]
    lines: list[Line]
    view: str


def draw(view: SymbolView) -> Drawing:
    """Lay out a symbol and its neighbours."""
    middle = Box(
        x=0,
        y=0,
        side="centre",
        name=shorten(view.node.name),
        title=view.node.fqn,
        note=view.node.kind.lower(),
        target=None,
        relation="",
    )
    columns = {side: _chosen(view, side) for side in SIDES}
    reach = _reach(len(columns["left"]), len(columns["right"]))
    boxes, lines = [middle], []
    for side, links in columns.items():
        for box, link in _place(side, links, _left_over(view, side), reach):
            boxes.append(box)
            lines.append(_connect(box, link))
    return Drawing(boxes=boxes, lines=lines, view=_view(boxes))


def shorten(name: str) -> str:
    """Return a name that fits into a box."""
    return name if len(name) <= _NAME else f"{name[: _NAME - 1]}…"


_Related = tuple[str, "Link"]


def _all(view: SymbolView, side: Side) -> list[_Related]:
    return [(name, link) for name in SIDES[side] for link in getattr(view, name)]


def _most(side: Side) -> int:
    return _MOST if side in {"left", "right"} else _MOST_IN_A_ROW


def _chosen(view: SymbolView, side: Side) -> list[_Related]:
    """Return the neighbours to draw: those of the project first."""
    found = sorted(_all(view, side), key=lambda related: related[1].external)
    most = _most(side)
    return found if len(found) <= most else found[: most - 1]


def _left_over(view: SymbolView, side: Side) -> int:
    return len(_all(view, side)) - len(_chosen(view, side))


def _reach(*counts: int) -> float:
    """Return how far up and down the columns go."""
    return max((count * _ROW / 2 for count in counts), default=0.0)


def _place(
    side: Side, links: Sequence[_Related], left_over: int, reach: float
) -> Iterator[tuple[Box, Link | None]]:
    total = len(links) + bool(left_over)
    for at, (relation, link) in enumerate(links):
        x, y = _spot(side, at, total, reach)
        node = link.node
        yield (
            Box(
                x=x,
                y=y,
                side=side,
                name=shorten(node.name if node else link.name.rpartition(".")[2]),
                title=node.fqn if node else link.name,
                note=_note(relation, link),
                target=node.id if node else None,
                relation=RELATIONS[relation],
            ),
            link,
        )
    if left_over:
        x, y = _spot(side, total - 1, total, reach)
        more = f"{left_over:,} more"
        yield (
            Box(
                x=x, y=y, side=side, name=more, title=more, note="in the list",
                target=None, relation="more",
            ),
            None,
        )  # fmt: skip


def _note(relation: str, link: Link) -> str:
    """Say where a caller or callee is; of others, how they are related."""
    if link.node is None:
        return "outside the project"
    kind = link.node.kind.lower()
    if relation not in {"callers", "callees"}:
        return f"{RELATIONS[relation]} · {kind}"
    around = link.node.fqn.removesuffix(link.node.name).rstrip(".#/:")
    return around if len(around) <= _AROUND else f"…{around[1 - _AROUND :]}"


def _spot(side: Side, at: int, total: int, reach: float) -> tuple[float, float]:
    offset = at - (total - 1) / 2
    if side in {"left", "right"}:
        return (-_COLUMN if side == "left" else _COLUMN), offset * _ROW
    away = max(reach - HEIGHT, 0.0) + HEIGHT + _SPACE
    return offset * _SPREAD, (-away if side == "top" else away)


def _connect(box: Box, link: Link | None) -> Line:
    relation = box.relation
    resolution = str(link.resolution) if link else "more"
    title = f"{relation}: {box.title}"
    if link is not None:
        title += f" ({resolution}, {link.confidence:.0%})"
    return Line(
        path=_curve(box),
        resolution=resolution,
        relation=relation,
        title=title,
        is_inward=box.side == "left",
    )


def _curve(box: Box) -> str:
    if box.side in {"left", "right"}:
        sign = -1 if box.side == "left" else 1
        x0, x1 = sign * WIDTH / 2, box.x - sign * WIDTH / 2
        bend = (x0 + x1) / 2
        return f"M{x0:g} 0C{bend:g} 0 {bend:g} {box.y:g} {x1:g} {box.y:g}"
    sign = -1 if box.side == "top" else 1
    y0, y1 = sign * HEIGHT / 2, box.y - sign * HEIGHT / 2
    # Straight past the columns, and to the side only behind them.
    turn = y1 - sign * _SPACE
    bend = (turn + y1) / 2
    return f"M0 {y0:g}V{turn:g}C0 {bend:g} {box.x:g} {bend:g} {box.x:g} {y1:g}"


def _view(boxes: Sequence[Box]) -> str:
    left = min(box.left for box in boxes) - _MARGIN
    right = max(box.left + WIDTH for box in boxes) + _MARGIN
    top = min(box.top for box in boxes) - _MARGIN
    bottom = max(box.top + HEIGHT for box in boxes) + _MARGIN
    return f"{left:g} {top:g} {right - left:g} {bottom - top:g}"
