"""The metadata of a node in a framework.

Vector stores take single values and some of them lists of strings; few take an object
or None. So a boundary is written as `stage/rule`, and empty values are left out.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property
from typing import TYPE_CHECKING, Any

from outcrop.markdown import parse

if TYPE_CHECKING:
    from outcrop.adapters.nodes import Node
    from outcrop.model.chunk import Chunk
    from outcrop.model.hit import Hit

    Titles = tuple[str, ...]
    Levels = tuple[int, ...]

# Fields for an embedder or a language model; the others are for programs.
EMBEDDED = frozenset({"header_path"})

# Fields of a chunk that are written differently, or make no sense elsewhere.
_OWN = frozenset(
    {
        "boundary", "children_ids", "chunk_id", "header_moved_from_id", "headers",
        "next_sibling_id", "parent_id", "prev_sibling_id", "section_tags",
    }
)  # fmt: skip


def node_fields(node: Node) -> dict[str, Any]:
    """Return the metadata of a node, each field a single value."""
    chunk = node.chunk
    fields = {
        name: value
        for name, value in chunk.metadata.items()
        if name not in _OWN and value is not None
    }
    fields["chunk_id"] = node.id
    fields["start_line"] = node.start_line
    boundary = chunk.metadata.get("boundary")
    if boundary:
        fields["boundary"] = f"{boundary['stage']}/{boundary['rule']}"
    if node.is_leaf and chunk.prefix:
        fields["prefix"] = chunk.prefix
    if node.is_leaf and chunk.suffix:
        fields["suffix"] = chunk.suffix
    return fields


def list_fields(node: Node) -> dict[str, list[str]]:
    """Return the headings above a node and inside it, if there are any."""
    found = {name: node.chunk.metadata[name] for name in ("headers", "section_tags")}
    return {name: list(titles) for name, titles in found.items() if titles}


def langchain_fields(
    node: Node, levels: HeadingLevels, *, flat: bool = False
) -> dict[str, Any]:
    """Return the metadata of a LangChain document; `flat` leaves the lists out."""
    fields = node_fields(node)
    fields["start_index"] = node.start
    fields["end_index"] = node.end
    fields.update(levels.titles(node.chunk))
    links = {
        "parent_id": node.parent,
        "previous_id": node.previous,
        "next_id": node.next,
    }
    fields.update((name, link) for name, link in links.items() if link is not None)
    if not flat:
        fields.update(list_fields(node))
        if node.children:
            fields["children_ids"] = list(node.children)
    return fields


def haystack_fields(node: Node, source_id: str, split_id: int) -> dict[str, Any]:
    """Return the meta of a Haystack document, except for the hierarchy.

    The source is the document it was cut from; `split_id` is its number among the chunks,
    or among the sections, of that.
    """
    fields = {**node_fields(node), **list_fields(node)}
    titles = fields.get("headers")
    if titles:
        fields["header"] = titles[-1]
        fields["parent_headers"] = titles[:-1]
    fields["source_id"] = source_id
    fields["split_id"] = split_id
    fields["split_idx_start"] = node.start
    fields["split_idx_end"] = node.end
    return fields


def haystack_hierarchy(node: Node, limit: int) -> dict[str, Any]:
    """Return what Haystack's `AutoMergingRetriever` reads."""
    return {
        "__parent_id": node.parent,
        "__children_ids": list(node.children),
        "__level": node.level,
        "__block_size": limit if node.is_leaf else 0,  # a section has no limit
    }


def hit_fields(hit: Hit) -> dict[str, Any]:
    """Return the metadata of a search hit, each field a single value."""
    fields: dict[str, Any] = {
        "chunk_id": hit.id,
        "source": hit.path,
        "start_line": hit.start_line,
        "end_line": hit.end_line,
        "header_path": hit.header_path,
        "breadcrumb": hit.breadcrumb,
        "origin": hit.source,
        "token_count": hit.token_count,
    }
    optional = {
        "kind": hit.kind,
        "prefix": hit.prefix,
        "suffix": hit.suffix,
        "summary": hit.summary,
        "document_summary": hit.document_summary,
        "documentation": hit.documentation,
        "explanation": hit.explanation,
    }
    fields.update((name, value) for name, value in optional.items() if value)
    return fields


class HeadingLevels:
    """The levels of the headings of a document, as `Header 1`, `Header 2` and so on.

    A chunk has the titles above it and the level of the last one. That is enough unless
    a level is skipped; then the document is parsed again.
    """

    def __init__(self, text: str) -> None:
        self._text = text

    def titles(self, chunk: Chunk) -> dict[str, str]:
        """Return the titles above a chunk by `Header` and their level."""
        titles, level = chunk.metadata["headers"], chunk.metadata["header_level"]
        return {
            f"Header {level}": title
            for level, title in zip(
                self._levels(titles, level, chunk.end_offset), titles, strict=True
            )
        }

    def _levels(self, titles: list[str], level: int, end: int) -> Levels | range:
        if len(titles) == 1:
            return (level or 1,)  # that of a root is 0
        if len(titles) == level:
            return range(1, level + 1)
        starts, levels = self._by_path.get((tuple(titles), level), ([], []))
        at = bisect_left(starts, end) - 1  # the last of them that is not below
        return levels[at] if levels and at >= 0 else range(1, len(titles) + 1)

    @cached_property
    def _by_path(self) -> dict[tuple[Titles, int], tuple[list[int], list[Levels]]]:
        """Start offsets and levels of the headings, by their titles and level."""
        found: dict[tuple[Titles, int], tuple[list[int], list[Levels]]] = {}
        paths: list[tuple[Titles, Levels]] = []
        document = parse(self._text)
        # A title in front matter stands above all headings, as an H1 would.
        top: tuple[Titles, Levels] = (
            ((document.title,), (1,)) if document.title else ((), ())
        )
        for heading, title in zip(document.headings, document.titles, strict=True):
            above = top
            if heading.parent >= 0:
                above = paths[heading.parent]
            path = ((*above[0], title), (*above[1], heading.level))
            paths.append(path)
            starts, levels = found.setdefault((path[0], heading.level), ([], []))
            starts.append(heading.start)
            levels.append(path[1])
        return found
