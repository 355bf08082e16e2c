"""Plans one file: its text, and the chunks that a strategy makes of it.

Files that the code graph reads come with their nodes; styles, queries and templates come
without any and are cut by their text alone.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from outcrop.errors import InputError
from outcrop.planning.protocols import ChunkStrategy, SourceText
from outcrop.planning.strategies import AdaptiveChunkStrategy

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from outcrop.model.edge import Edge
    from outcrop.model.node import Node
    from outcrop.planning.plans import ChunkPlan
    from outcrop.planning.protocols import FileChunkStrategy
    from outcrop.planning.strategies import AnyStrategy

_NO_EDGES: Mapping[str, Sequence[Edge]] = {}


class FilePlanner:
    """Plans files, with and without nodes.

    Where `read_text` returns None for a file, the text that its nodes hold is used. A
    strategy that plans single nodes leaves files without nodes to `without_nodes`.
    """

    def __init__(
        self,
        strategy: AnyStrategy,
        read_text: Callable[[str], str | None] | None = None,
        *,
        without_nodes: FileChunkStrategy | None = None,
    ) -> None:
        # Asked once: the check of a protocol takes longer than planning a small file.
        self._of_nodes: ChunkStrategy | None = None
        self._of_files: FileChunkStrategy = without_nodes or AdaptiveChunkStrategy()
        if isinstance(strategy, ChunkStrategy):
            self._of_nodes = strategy
        else:
            self._of_files = strategy
        self._read_text = read_text

    def plan(
        self,
        path: str,
        lang: str | None,
        nodes: Sequence[Node] = (),
        edges: Mapping[str, Sequence[Edge]] = _NO_EDGES,
    ) -> list[ChunkPlan]:
        """Return the plans of a file, in the order of its text.

        Raises:
            InputError: The file is not the one the graph was built from.
        """
        if self._of_nodes is not None and nodes:
            return self.plan_nodes(nodes, edges)
        text = text_of_file(path, nodes, self._read_text)
        source = SourceText(path=path, lang=lang, text=text)
        plans = self._of_files.build_file(source, nodes, edges)
        if self._of_nodes is None:
            return plans
        return [_planned_by(self._of_nodes.name, plan) for plan in plans]

    def plan_nodes(
        self, nodes: Sequence[Node], edges: Mapping[str, Sequence[Edge]] = _NO_EDGES
    ) -> list[ChunkPlan]:
        """Return the plans of nodes of one document, in the order of its text.

        A strategy that plans files has none for nodes alone.
        """
        if self._of_nodes is None:
            return []
        plans = [
            plan
            for node in nodes
            for plan in self._of_nodes.build_chunks(node, edges.get(node.id, ()))
        ]
        plans.sort(key=_place)
        return [replace(plan, order=order) for order, plan in enumerate(plans)]


def _place(plan: ChunkPlan) -> tuple[int, int, str]:
    start, end = plan.span_chars or (0, 0)
    return start, -end, plan.id


def _planned_by(strategy: str, plan: ChunkPlan) -> ChunkPlan:
    service = replace(plan.pipeline.service, strategy=strategy)
    return replace(plan, pipeline=replace(plan.pipeline, service=service))


def text_of_file(
    path: str,
    nodes: Sequence[Node],
    read_text: Callable[[str], str | None] | None,
) -> str:
    """Return the text that the offsets of nodes refer to.

    Raises:
        InputError: The file is not the one the graph was built from.
    """
    text = read_text(path) if read_text is not None else None
    if text is None:
        return _from_nodes(nodes)
    for node in nodes:
        if node.source_code is None or node.start_offset is None:
            continue
        if text[node.start_offset : node.end_offset] != node.source_code:
            raise InputError(
                f"{path} has changed since the graph was built: index it again"
            )
    return text


def _from_nodes(nodes: Sequence[Node]) -> str:
    """Return the text that the nodes hold of their file, with blanks in between."""
    placed = [
        (node.start_offset, node.source_code)
        for node in nodes
        if node.start_offset is not None and node.source_code is not None
    ]
    placed.sort(key=lambda item: (item[0], -len(item[1])))
    parts: list[str] = []
    end = 0
    for start, source in placed:
        if start >= end:
            parts += (" " * max(0, start - end - 1), "\n" * (start > end), source)
            end = start + len(source)
    return "".join(parts)
