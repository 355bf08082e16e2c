"""Cuts a file into tiles: consecutive ranges that cover all of its text.

A tile is a function or method with the comments above it, the head of a class with its
fields and trivial members, or the text between definitions. A function over the
limit that contains named functions is divided like a class. Tiles over the limit
are cut later, by syntax. Definitions nest by their text ranges, as a tree.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from outcrop.model.node import Node, NodeKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

_TYPES = frozenset({NodeKind.CLASS, NodeKind.INTERFACE, NodeKind.ENUM})
_CALLABLE = frozenset({NodeKind.METHOD, NodeKind.FUNCTION})
_NAMESPACES = frozenset({NodeKind.MODULE, NodeKind.PACKAGE})
# A route repeats the text of its handler.
_WITHOUT_TEXT = frozenset({NodeKind.ENDPOINT})
# Code that nests deeper is generated, and stays part of the surrounding definition.
_MAX_DEPTH = 60

_MAX_BODY_CHARS = 160  # a longer body is worth a chunk
_NAME = r"[@&*]?(?:mut\s+)?[\w$.]+(?:(?:->|::)[\w$]+)*[?!]?"
# What the brackets may contain: at most a value that is passed on.
_STATEMENT = re.compile(
    rf"""
    (?: pass | \.\.\. | nil | None | null
      | (?:(?:return|get|set)\s+)? {_NAME} (?:\.clone\(\))?
      | {_NAME} \s* = \s* [\w$.]+
      | super (?: \([^()\n]*\) )? (?: \.__init__\([\w\s,=*]*\) )?
    )?
    """,
    re.VERBOSE,
)

# Leftovers below this many tokens join a neighbour.
MIN_REST_TOKENS = 24

_MARKS = ("#", "//", "/*", "--", "@", "%", ";;")


@dataclass(slots=True)
class Definition:
    """A definition and those inside it.

    Attributes:
        node: The node; None for a file without a node.
        start: Where its text starts in the file.
        end: Where it ends, exclusive.
        members: Definitions directly inside it, in order.
    """

    node: Node | None
    start: int
    end: int
    members: list[Definition] = field(default_factory=list)

    @property
    def is_type(self) -> bool:
        """Whether it is a class, interface or enum."""
        return self.node is not None and self.node.kind in _TYPES

    @property
    def is_callable(self) -> bool:
        """Whether it is a function with a name."""
        return (
            self.node is not None
            and self.node.kind in _CALLABLE
            and not self.node.name.startswith("<")
        )

    @property
    def is_namespace(self) -> bool:
        """Whether it only holds other definitions: a module within a file."""
        return self.node is not None and self.node.kind in _NAMESPACES


def read_tree(nodes: Iterable[Node], size: int) -> Definition:
    """Return a file of `size` characters as a definition, with all others inside.

    Nodes without a range are left out, and so are those that partly overlap the one
    before: definitions nest, so such a node is not from this text.
    """
    root = Definition(None, 0, size)
    open_ = [root]
    for start, end, node in _placed(nodes, size):
        while open_[-1].end <= start and len(open_) > 1:
            open_.pop()
        if end > open_[-1].end or len(open_) > _MAX_DEPTH:
            continue
        if _is_file(node, start, end, size) and root.node is None:
            root.node = node
            continue
        found = Definition(node, start, end)
        open_[-1].members.append(found)
        open_.append(found)
    return root


def _placed(nodes: Iterable[Node], size: int) -> list[tuple[int, int, Node]]:
    found = [
        (node.start_offset, node.end_offset, node)
        for node in nodes
        if node.start_offset is not None
        and node.end_offset is not None
        and 0 <= node.start_offset < node.end_offset <= size
        and node.kind not in _WITHOUT_TEXT
    ]
    return sorted(found, key=lambda item: (item[0], -item[1]))


def _is_file(node: Node, start: int, end: int, size: int) -> bool:
    return start == 0 and end == size and node.kind in _NAMESPACES


def is_trivial(node: Node) -> bool:
    """Whether a function only passes a value on, or does nothing."""
    if node.kind not in _CALLABLE or node.doc_comment or node.annotations:
        return False
    source, signature = node.source_code, node.signature
    if not source or not signature:
        return False
    start = source.find(signature)
    if start < 0 or len(source) - start - len(signature) > _MAX_BODY_CHARS:
        return False
    body = source[start + len(signature) :].lstrip(" \t\r\n{:=>;")
    body = body.rstrip(" \t\r\n};,").removesuffix("end").rstrip(" \t\r\n;")
    return _STATEMENT.fullmatch(body) is not None


@dataclass(slots=True)
class Tile:
    """A range of a file.

    Attributes:
        start: Where it starts, in code points.
        end: Where it ends, exclusive.
        node: The definition it is or is part of.
        is_rest: Whether it is text between definitions, which may be joined.
        tokens: Number of tokens of its text; counted for text between definitions
            only, because nothing else is joined by its size.
        folded: Definitions inside it without a tile of their own.
    """

    start: int
    end: int
    node: Node | None
    is_rest: bool
    tokens: int
    folded: list[Node] = field(default_factory=list)


class Tiler:
    """Cuts one file."""

    def __init__(self, text: str, limit: int, count: Callable[[str], int]) -> None:
        self.text = text
        self.limit = limit
        self.count = count

    def tiles(self, root: Definition) -> list[Tile]:
        """Return the tiles of a file in order."""
        return self._container(root, root.start, root.end)

    def _container(self, owner: Definition, start: int, end: int) -> list[Tile]:
        """Return the tiles of a definition that is divided."""
        tiles: list[Tile] = []
        for part in self._parts(owner, start, end):
            if tiles and part.is_rest and tiles[-1].is_rest and self._join(tiles, part):
                continue
            tiles.append(part)
        return self._without_leftovers(
            tiles, keeps_head=owner.is_type or owner.is_callable
        )

    def _parts(self, owner: Definition, start: int, end: int) -> Iterator[Tile]:
        """Yield the tiles of the members and of the text between them."""
        at = start
        members = list(self._members(owner))
        for place, member in enumerate(members):
            if member.start < at:
                continue
            lead = leading_start(self.text, at, member.start)
            following = members[place + 1 :][:1]
            stop = line_end(self.text, member.end, end)
            if any(other.start < stop for other in following):
                stop = member.end
            if lead > at:
                yield self._rest(owner, at, lead)
            yield from self._member(owner, member, lead, stop)
            at = stop
        if at < end:
            yield self._rest(owner, at, end)

    def _members(self, owner: Definition) -> Iterator[Definition]:
        """Yield the members that get tiles of their own."""
        for member in owner.members:
            if member.is_type or member.is_callable or member.is_namespace:
                yield member
            elif member.members and self._is_large(member):
                # An unnamed function or a value: divided if it is large.
                yield from self._members(member)
            elif any(inner.is_callable for inner in member.members):
                yield member

    def _member(
        self, owner: Definition, member: Definition, lead: int, stop: int
    ) -> Iterator[Tile]:
        if member.node is not None and is_trivial(member.node):
            tile = self._rest(owner, lead, stop)
            tile.folded.append(member.node)
            yield tile
        elif self._is_apart(member):
            for tile in self._container(member, lead, stop):
                tile.is_rest = False  # final: no neighbour joins it
                yield tile
        else:
            yield Tile(lead, stop, member.node, is_rest=False, tokens=0)

    def _is_apart(self, member: Definition) -> bool:
        """Whether a definition's members get tiles of their own."""
        if member.is_callable:
            # In this order, because few functions have members and counting is slow.
            return any(self._members(member)) and self._is_large(member)
        return any(
            inner.node is None or not is_trivial(inner.node)
            for inner in self._members(member)
        )

    def _is_large(self, member: Definition) -> bool:
        length = member.end - member.start
        # A character has at most three tokens.
        if length * 3 <= self.limit:
            return False
        return self.count(self.text[member.start : member.end]) > self.limit

    def _rest(self, owner: Definition, start: int, end: int) -> Tile:
        tokens = self.count(self.text[start:end].strip())
        return Tile(start, end, owner.node, is_rest=True, tokens=tokens)

    def _join(self, tiles: list[Tile], part: Tile) -> bool:
        """Join a tile to the last one if both fit."""
        last = tiles[-1]
        if last.tokens + part.tokens > self.limit or last.node is not part.node:
            return False
        tiles[-1] = merged(last, part, last)
        return True

    def _without_leftovers(
        self, tiles: Sequence[Tile], *, keeps_head: bool
    ) -> list[Tile]:
        """Join tiles that are too small to a neighbour.

        The end of a definition is joined to the tile before it, a constant or a comment
        to the tile after it. The head of a class is kept however small it is, and so is
        the head of a divided function.
        """
        kept: list[Tile] = []
        waiting: Tile | None = None
        for place, tile in enumerate(tiles):
            current = tile
            if waiting is not None:
                current, waiting = merged(waiting, tile, tile), None
            if not self._is_leftover(current, is_head=keeps_head and place == 0):
                kept.append(current)
            elif kept and (not self._has_words(current) or place == len(tiles) - 1):
                kept[-1] = merged(kept[-1], current, kept[-1])
            elif place < len(tiles) - 1:
                waiting = current
            else:
                kept.append(current)
        return kept

    def _is_leftover(self, tile: Tile, *, is_head: bool) -> bool:
        if not tile.is_rest or tile.tokens >= MIN_REST_TOKENS:
            return False
        return not is_head or not self._has_words(tile)

    def _has_words(self, tile: Tile) -> bool:
        text = self.text[tile.start : tile.end]
        return any(map(str.isalnum, text))


def merged(first: Tile, second: Tile, as_: Tile) -> Tile:
    """Return two neighbours as one tile with the node of `as_`."""
    return Tile(
        first.start,
        second.end,
        as_.node,
        is_rest=as_.is_rest,
        tokens=first.tokens + second.tokens,
        folded=first.folded + second.folded,
    )


def leading_start(text: str, low: int, start: int) -> int:
    """Return the start of a definition, including the comments directly above it.

    That is the start of a line, at or after `low`, or `start` if other text precedes it on
    its line.
    """
    lead = _line_start(text, low, start)
    if text[lead:start].strip():
        return start
    while lead > low:
        above = _line_start(text, low, lead - 1)
        line = text[above:lead].strip()
        if line.endswith("*/") and not line.startswith(("/*", "//")):
            opening = text.rfind("/*", low, lead)
            if opening < 0:
                break
            above = _line_start(text, low, opening)
            if text[above:opening].strip():
                break
        elif not line.startswith(_MARKS):
            break
        lead = above
    return lead


def line_end(text: str, offset: int, high: int) -> int:
    """Return the end of the line at an offset, including its newline."""
    newline = text.find("\n", offset, high)
    return high if newline < 0 else newline + 1


def _line_start(text: str, low: int, offset: int) -> int:
    return max(text.rfind("\n", low, offset) + 1, low)
