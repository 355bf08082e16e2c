"""Chunks of code by definition: whole where they fit, large ones in parts.

The own texts of a file's chunks contain every character that is not white space
exactly once, and each is an exact range of the file.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from outcrop.errors import ConfigError
from outcrop.planning.cutting.pieces import cut_part
from outcrop.planning.cutting.tiles import Tile, Tiler, read_tree
from outcrop.planning.plans import (
    ChunkPlan,
    PipelinePlan,
    ServiceMeta,
    content_key,
    plan_id,
    priority_for,
)
from outcrop.planning.strategies.per_node import (
    CODE_STAGES,
    call_relations,
    node_metadata,
    qualified_path,
)
from outcrop.text.offsets import LineCounter, first_visible
from outcrop.text.tokens import TokenCounter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from outcrop.model.edge import Edge
    from outcrop.model.node import Node
    from outcrop.planning.protocols import SourceText

DEFAULT_MAX_TOKENS = 400
"""Few functions are larger. Chosen by measurement; see docs/concepts/planning.md."""
_MIN_TOKENS = 16


class _Span(NamedTuple):
    start: int
    end: int
    tile: Tile
    prefix: str
    part: int
    parts: int
    tokens: int | None


class _Place(NamedTuple):
    order: int
    number: int
    first_line: int
    last_line: int
    gap_after: str


class AdaptiveChunkStrategy:
    """Plans one file at a time: one chunk per definition, none over the limit.

    Args:
        max_tokens: Maximum tokens of a chunk, including repeated signatures.
        count: Counts tokens.

    Raises:
        ConfigError: The limit is too small.
    """

    name = "adaptive"

    def __init__(
        self,
        max_tokens: int = DEFAULT_MAX_TOKENS,
        count: Callable[[str], int] | None = None,
    ) -> None:
        if max_tokens < _MIN_TOKENS:
            raise ConfigError(
                f"max_tokens is {max_tokens!r}, but it must be at least {_MIN_TOKENS}"
            )
        self.max_tokens = max_tokens
        self.count = count or TokenCounter()

    def build_file(
        self,
        source: SourceText,
        nodes: Sequence[Node],
        edges: Mapping[str, Sequence[Edge]],
    ) -> list[ChunkPlan]:
        """Return the plans of a file; see `FileChunkStrategy`."""
        root = read_tree(nodes, len(source.text))
        tiles = Tiler(source.text, self.max_tokens, self.count).tiles(root)
        spans = [span for tile in tiles for span in self._spans(source, tile)]
        ends = [*(span.start for span in spans[1:]), len(source.text)]
        lines = LineCounter(source.text)
        numbers: Counter[str] = Counter()
        plans: list[ChunkPlan] = []
        # Without spans, one end is left over.
        for span, following in zip(spans, ends, strict=False):
            owner = span.tile.node.id if span.tile.node is not None else source.path
            place = _Place(
                order=len(plans),
                number=numbers[owner],
                first_line=lines.line_at(span.start),
                last_line=lines.line_at(span.end - 1),
                gap_after=source.text[span.end : following],
            )
            numbers[owner] += 1
            plans.append(self._plan(source, span, place, edges))
        return plans

    def _spans(self, source: SourceText, tile: Tile) -> Iterator[_Span]:
        """Yield the parts of a tile that have text, without blank lines at the ends."""
        text = source.text
        start, end = trim(text, tile.start, tile.end)
        if start == end:
            return
        own = text[start:end]
        signature = tile.node.signature if tile.node is not None else None
        parts = cut_part(
            own,
            source.lang,
            limit=self.max_tokens,
            count=self.count,
            signature=signature,
        )
        if len(parts) == 1:  # trimmed already
            yield _Span(start, end, tile, parts[0].prefix, 0, 1, parts[0].length)
            return
        found = []
        for part in parts:
            low, high = trim(text, start + part.start, start + part.end)
            if low < high:
                found.append((low, high, part.prefix))
        for number, (low, high, prefix) in enumerate(found):
            yield _Span(low, high, tile, prefix, number, len(found), None)

    def _plan(
        self,
        source: SourceText,
        span: _Span,
        place: _Place,
        edges: Mapping[str, Sequence[Edge]],
    ) -> ChunkPlan:
        node = span.tile.node
        folded = span.tile.folded if span.part == 0 else []
        own = source.text[span.start : span.end]
        relations = call_relations(
            edge
            for each in ([node] if node is not None else []) + folded
            for edge in edges.get(each.id, ())
        )
        return ChunkPlan(
            id=plan_id(
                node.id if node else source.path, "code", "snippet", place.number
            ),
            node_id=node.id if node else None,
            source="code",
            kind="snippet",
            lang=source.lang,
            span_lines=(place.first_line, place.last_line),
            title=node.fqn if node else source.path,
            section_path=qualified_path(node) if node else (),
            relations=relations,
            pipeline=PipelinePlan(
                stages=CODE_STAGES,
                params={"filePath": source.path, "hasSourceInNode": node is not None},
                service=_service(self.name, priority_for(node.kind) if node else 0),
            ),
            node=node,
            path=source.path,
            chunk_index=place.number,
            order=place.order,
            span_chars=(span.start, span.end),
            prefix=span.prefix,
            text=own,
            tokens=span.tokens,
            content_key=content_key(
                "code", span.prefix, own, source.lang, *_names(node)
            ),
            metadata=_metadata(span, place, folded),
        )


@cache  # there are as many as priorities
def _service(strategy: str, priority: int) -> ServiceMeta:
    return ServiceMeta(strategy=strategy, priority=priority)


def _names(node: Node | None) -> tuple[str | None, ...]:
    return () if node is None else (node.fqn, node.signature, node.doc_comment)


def trim(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a range without blank lines at its ends; indentation is kept."""
    first = first_visible(text, start, end)
    if first == end:
        return end, end
    line = text.rfind("\n", start, first) + 1
    last = start + len(text[start:end].rstrip())
    return max(line, start), last


def _metadata(span: _Span, place: _Place, folded: Sequence[Node]) -> dict[str, Any]:
    node = span.tile.node
    found: dict[str, Any] = {"gap_after": place.gap_after}
    if node is not None:
        found.update(node_metadata(node))
    if folded:
        found["folded"] = [{"id": each.id, "fqn": each.fqn} for each in folded]
    if span.parts > 1:
        found.update(part=span.part, parts=span.parts)
    return found
