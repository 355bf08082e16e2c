"""A symbol and its neighbours as a drawing.

The symbol is in the middle: its users on the left, what it uses on the right, what
contains it above, and what it contains below. Each side shows a limited number of
neighbours; the rest are counted, and listed beside the drawing. For a narrow screen the
same is drawn in two columns around a vertical line.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from outcrop.presentation.text import shorten

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from outcrop.model.graph import Link, SymbolView

WIDTH, HEIGHT = 200.0, 42.0
_ROW = 54.0
_COLUMN = 330.0
_SPREAD = 216.0
_SPACE = 70.0
_MARGIN = 24.0
_MAX_IN_COLUMN = 9
_MAX_IN_ROW = 4
_CHANNEL = 40.0
_MAX_IN_COLUMNS = 8
_MAX_NAME_CHARS = 22
_MAX_PLACE_CHARS = 27

Side = Literal["left", "right", "top", "bottom", "centre"]

SIDES: dict[Side, tuple[str, ...]] = {
    "left": ("callers", "imported_by"),
    "right": ("callees", "imports"),
    "top": ("parents", "bases", "overrides"),
    "bottom": ("children", "derived", "overridden_by"),
}


# Relation -> its label in the drawing.
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
    """A node of the drawing, by its middle."""

    x: float
    y: float
    side: Side
    name: str  # shortened
    title: str  # the full name
    note: str
    target: str | None  # id of the symbol it links to
    relation: str  # to the symbol in the middle

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
    """An edge of the drawing."""

    path: str  # the curve, as SVG writes it
    resolution: str  # how the edge was found
    relation: str
    title: str
    is_inward: bool  # whether it leads to the symbol in the middle


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """A symbol with its neighbours, laid out."""

    boxes: list[Box]  # the symbol itself first
    lines: list[Line]
    view: str  # the SVG viewBox


def draw(view: SymbolView) -> Drawing:
    """Lay out a symbol and its neighbours."""
    sides = {side: _gather(view, names) for side, names in SIDES.items()}
    chosen = {side: _choose(found, _max_shown(side)) for side, found in sides.items()}
    reach = max(len(chosen["left"]), len(chosen["right"])) * _ROW / 2
    boxes, lines = [_middle(view)], []
    for side, related in chosen.items():
        for at, item in enumerate(related):
            x, y = _spot(side, at, len(related), reach)
            box = _box(item, side, x, y)
            boxes.append(box)
            lines.append(_connect(box, item, _curve(box)))
    return Drawing(boxes=boxes, lines=lines, view=_view(boxes))


def draw_tall(view: SymbolView) -> Drawing:
    """Lay out a symbol and its neighbours for a narrow screen."""
    halves: dict[Side, tuple[str, ...]] = {
        "top": (*SIDES["top"], *SIDES["left"]),
        "bottom": (*SIDES["right"], *SIDES["bottom"]),
    }
    boxes, lines = [_middle(view)], []
    for side, names in halves.items():
        related = _choose(_gather(view, names), _MAX_IN_COLUMNS)
        sign = -1 if side == "top" else 1
        for at, item in enumerate(related):
            x = (WIDTH + _CHANNEL) / 2 * (1 if at % 2 else -1)
            box = _box(item, side, x, sign * (at // 2 + 1) * (_ROW + 4))
            boxes.append(box)
            lines.append(_connect(box, item, _branch(box)))
    return Drawing(boxes=boxes, lines=lines, view=_view(boxes))


@dataclass(frozen=True, slots=True)
class _Related:
    """A neighbour, or the number of those left out."""

    relation: str
    link: Link | None
    left_out: int = 0


def _middle(view: SymbolView) -> Box:
    return Box(
        x=0,
        y=0,
        side="centre",
        name=shorten(view.node.name, _MAX_NAME_CHARS),
        title=view.node.fqn,
        note=view.node.kind.lower(),
        target=None,
        relation="",
    )


def _gather(view: SymbolView, names: Iterable[str]) -> list[_Related]:
    """Return neighbours, those of the project first."""
    found = [_Related(name, link) for name in names for link in getattr(view, name)]
    return sorted(found, key=lambda item: item.link is not None and item.link.external)


def _max_shown(side: Side) -> int:
    return _MAX_IN_COLUMN if side in {"left", "right"} else _MAX_IN_ROW


def _choose(found: list[_Related], limit: int) -> list[_Related]:
    """Return the neighbours to draw; the last counts those left out."""
    if len(found) <= limit:
        return found
    kept = found[: limit - 1]
    return [*kept, _Related("more", None, len(found) - len(kept))]


def _box(item: _Related, side: Side, x: float, y: float) -> Box:
    link = item.link
    if link is None:
        more = f"{item.left_out:,} more"
        name, title, note, target = more, more, "in the list", None
    else:
        node = link.node
        own_name = node.name if node else link.name.rpartition(".")[2]
        name = shorten(own_name, _MAX_NAME_CHARS)
        title = node.fqn if node else link.name
        note, target = _note(item.relation, link), node.id if node else None
    return Box(
        x=x,
        y=y,
        side=side,
        name=name,
        title=title,
        note=note,
        target=target,
        relation=RELATIONS.get(item.relation, item.relation),
    )


def _note(relation: str, link: Link) -> str:
    """Return the location of a user or of something used; the relation of others."""
    if link.node is None:
        return "outside the project"
    around = link.node.fqn.removesuffix(link.node.name).rstrip(".#/:")
    if not around or relation not in (*SIDES["left"], *SIDES["right"]):
        return f"{RELATIONS[relation]} · {link.node.kind.lower()}"
    return _end_of(around)


def _end_of(name: str) -> str:
    """Return the last parts of a qualified name that fit."""
    while len(name) > _MAX_PLACE_CHARS and "." in name.lstrip("…"):
        name = "…" + name.lstrip("…").partition(".")[2]
    return name if len(name) <= _MAX_PLACE_CHARS else f"…{name[1 - _MAX_PLACE_CHARS :]}"


def _spot(side: Side, at: int, total: int, reach: float) -> tuple[float, float]:
    offset = at - (total - 1) / 2
    if side in {"left", "right"}:
        return (-_COLUMN if side == "left" else _COLUMN), offset * _ROW
    away = max(reach - HEIGHT, 0.0) + HEIGHT + _SPACE
    return offset * _SPREAD, (-away if side == "top" else away)


def _connect(box: Box, item: _Related, path: str) -> Line:
    resolution = str(item.link.resolution) if item.link else "more"
    title = f"{box.relation}: {box.title}"
    if item.link is not None:
        title += f" ({resolution}, {item.link.confidence:.0%})"
    return Line(
        path=path,
        resolution=resolution,
        relation=box.relation,
        title=title,
        is_inward=item.relation in SIDES["left"],
    )


def _curve(box: Box) -> str:
    if box.side in {"left", "right"}:
        sign = -1 if box.side == "left" else 1
        x0, x1 = sign * WIDTH / 2, box.x - sign * WIDTH / 2
        bend = (x0 + x1) / 2
        return f"M{x0:g} 0C{bend:g} 0 {bend:g} {box.y:g} {x1:g} {box.y:g}"
    sign = -1 if box.side == "top" else 1
    y0, y1 = sign * HEIGHT / 2, box.y - sign * HEIGHT / 2
    # Straight past the columns, and to the side only after them.
    turn = y1 - sign * _SPACE
    bend = (turn + y1) / 2
    return f"M0 {y0:g}V{turn:g}C0 {bend:g} {box.x:g} {bend:g} {box.x:g} {y1:g}"


def _branch(box: Box) -> str:
    """Lead down the middle, and to the side at the height of the box."""
    sign = -1 if box.side == "top" else 1
    inner = box.x - WIDTH / 2 if box.x > 0 else box.x + WIDTH / 2
    turn = box.y - sign * abs(inner)
    return f"M0 {sign * HEIGHT / 2:g}V{turn:g}Q0 {box.y:g} {inner:g} {box.y:g}"


def _view(boxes: Sequence[Box]) -> str:
    left = min(box.left for box in boxes) - _MARGIN
    right = max(box.left + WIDTH for box in boxes) + _MARGIN
    top = min(box.top for box in boxes) - _MARGIN
    bottom = max(box.top + HEIGHT for box in boxes) + _MARGIN
    return f"{left:g} {top:g} {right - left:g} {bottom - top:g}"
