"""The text of a file that the nodes of a graph were found in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from outcrop.model.node import Node


def text_of_file(
    path: str,
    nodes: Sequence[Node],
    read_text: Callable[[str], str | None] | None,
) -> str:
    """Return the text that the places of nodes count from.

    Args:
        path: The file.
        nodes: The nodes in it.
        read_text: Returns the file's text as it is now.

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
    """Return what the nodes hold of their file, blanks where they hold nothing."""
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
