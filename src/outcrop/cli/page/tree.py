"""The section tree beside the text, as nested lists of links.

Each link leads to the chunk where its section starts, so that the tree works without the
script; with it, the tree is one that the keyboard moves about in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.cli.page.document import colour, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from outcrop.presentation.page.nodes import PageNode


def tree_list(nodes: Sequence[PageNode], first_node: int, first_chunk: int) -> str:
    """The nodes of a document as one item of the tree.

    Args:
        nodes: In document order, the document itself first.
        first_node: The page's number of the first node.
        first_chunk: The page's number of the document's first chunk.
    """
    return "".join(_items(nodes, first_node, first_chunk))


def _items(
    nodes: Sequence[PageNode], first_node: int, first_chunk: int
) -> Iterator[str]:
    depth = -1
    for index, node in enumerate(nodes):
        # An item stays open while deeper ones follow.
        yield "</ul></li>" * max(depth - node.depth, 0)
        depth = node.depth
        number = first_node + index
        is_parent = index + 1 < len(nodes) and nodes[index + 1].depth > depth
        yield _link(node, number, first_chunk + node.chunk, is_parent=is_parent)
        yield f'<ul role="group" id="g{number}">' if is_parent else "</li>"
    yield "</ul></li>" * max(depth, 0)


def _link(node: PageNode, number: int, chunk: int, *, is_parent: bool) -> str:
    state = f' aria-expanded="true" aria-owns="g{number}"' if is_parent else ""
    fold = '<span class="fold"></span>' if is_parent else ""
    badge = (
        f'<span class="number {colour(node.chunk)}">{node.chunk + 1}</span>'
        if node.is_leaf
        else ""
    )
    lines = (
        f"{node.start_line}"
        if node.start_line == node.end_line
        else f"{node.start_line}-{node.end_line}"
    )
    return (
        f'<li role="none"><a role="treeitem" id="n{number}" href="#c{chunk}" '
        f'aria-level="{node.depth + 1}"{state}>{fold}{badge}'
        f'<span class="name">{shown(node.title)}</span>'
        f'<span class="at">{lines}</span></a>'
    )
