"""What the plugin does, without the plugin: Markdown in, Dify's chunk structures out.

Chunks in Dify are bare strings. What Outcrop knows of a chunk beside its text goes
into the text on request (the headings), or into an object of its own (the hierarchy).
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from outcrop import ChunkConfig, MarkdownChunker
from outcrop.errors import ChunkConfigError
from outcrop.markdown import parse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from outcrop import Chunk, HierarchicalChunkingResult

AUTO = "auto"
PARAGRAPH = "paragraph"
FULL_DOC = "full-doc"  # as Dify's service spells it; its forms say full_doc

_BETWEEN = "\n\n"
_TRUE = frozenset({"true", "1", "yes", "on"})
_FALSE = frozenset({"false", "0", "no", "off"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Structure:
    """What a tool answers.

    Attributes:
        result: Chunks in one of Dify's structures.
        hierarchy: The tree of the document, where it was asked for.
    """

    result: Any
    hierarchy: dict[str, Any] | None


def general(parameters: Mapping[str, Any]) -> Structure:
    """Cut a document into Dify's general structure, a list of strings.

    Args:
        parameters: Of the tool `outcrop_general`, as Dify gives them.

    Raises:
        ValueError: A parameter is wrong; the message names it.
    """
    size = _whole(parameters, "max_chunk_length", 1024)
    overlap = _whole(parameters, "chunk_overlap_length", 0)
    room = size - overlap - (len(_BETWEEN) if overlap else 0)
    if overlap < 0 or (overlap and room < 1):
        raise ValueError(
            f"chunk_overlap_length is {overlap}, but it must be from 0 to less than "
            f"max_chunk_length ({size})"
        )
    config = _config(parameters, "max_chunk_length", min(size, room), overlap)
    with_path = _flag(parameters, "include_header_path")
    text = _text(parameters, "input_variable")
    chunks, tree = _cut(text, config, as_tree=_flag(parameters, "enable_hierarchy"))
    result = [
        _join(_path(chunk.metadata["headers"], with_path), _before(chunk, overlap),
              chunk.content)
        for chunk in chunks
    ]  # fmt: skip
    return Structure(result=result, hierarchy=_hierarchy(tree, chunks))


def parent_child(parameters: Mapping[str, Any]) -> Structure:
    """Cut a document into Dify's parent-child structure.

    In the mode `paragraph` the parents are chunks and the children parts of them; in
    the mode `full_doc` the one parent is the whole document.

    Args:
        parameters: Of the tool `outcrop_parent_child`, as Dify gives them.

    Raises:
        ValueError: A parameter is wrong; the message names it.
    """
    mode = _mode(parameters)
    text = _text(parameters, "input_text")
    as_tree = _flag(parameters, "enable_hierarchy")
    with_path = _flag(parameters, "include_header_path")
    parents = _config(parameters, "max_length", _whole(parameters, "max_length", 1024))
    sub_size = _whole(parameters, "subchunk_max_length", 512)
    children = _config(parameters, "subchunk_max_length", sub_size)
    if mode == FULL_DOC:
        chunks, tree = _cut(text, children, as_tree=as_tree)
        contents = [
            _join(_path(chunk.metadata["headers"], with_path), chunk.content)
            for chunk in chunks
        ]
        pairs = [_pair(text, contents)] if contents else []
    else:
        chunks, tree = _cut(text, parents, as_tree=as_tree)
        split = _Children(text, MarkdownChunker(children), with_path=with_path)
        pairs = [
            _pair(
                _join(_path(chunk.metadata["headers"], with_path), chunk.content),
                split.of(chunk),
            )
            for chunk in chunks
        ]
    result = {"parent_mode": mode, "parent_child_chunks": pairs}
    return Structure(result=result, hierarchy=_hierarchy(tree, chunks))


def _pair(parent: str, children: list[str]) -> dict[str, Any]:
    return {"parent_content": parent, "child_contents": children}


class _Children:
    """Cuts parents of one document once more."""

    def __init__(self, text: str, chunker: MarkdownChunker, *, with_path: bool) -> None:
        self._chunker = chunker
        self._with_path = with_path
        self._document = parse(text) if with_path else None

    def of(self, parent: Chunk) -> list[str]:
        return [
            _join(_path(self._headers(child, parent), self._with_path), child.content)
            for child in self._chunker.chunk(parent.content)
        ]

    def _headers(self, child: Chunk, parent: Chunk) -> list[str]:
        """The titles above a child in the document; the child knows the last of them."""
        known: list[str] = child.metadata["headers"]
        if self._document is None or not known:
            return list(parent.metadata["headers"])
        end = parent.start_offset + child.end_offset - len(parent.prefix)
        headings = self._document.headings
        at = bisect_left(headings, end, key=lambda heading: heading.start) - 1
        wanted = (known[-1], child.metadata["header_level"])
        while at >= 0 and (headings[at].title, headings[at].level) != wanted:
            at -= 1
        return self._document.path(at) if at >= 0 else known


def _cut(
    text: str, config: ChunkConfig, *, as_tree: bool
) -> tuple[list[Chunk], HierarchicalChunkingResult | None]:
    chunker = MarkdownChunker(config)
    if not as_tree:
        return chunker.chunk(text), None
    tree = chunker.chunk_hierarchical(text)
    return tree.get_flat_chunks(), tree


def _hierarchy(
    tree: HierarchicalChunkingResult | None, chunks: list[Chunk]
) -> dict[str, Any] | None:
    if tree is None:
        return None
    return {
        "root_id": tree.root_id,
        "strategy": tree.strategy_used,
        "outline": tree.outline(),
        "tree": tree.to_tree_dict(),
        # Which leaf each chunk of the result is, in the same order.
        "chunk_ids": [chunk.chunk_id for chunk in chunks],
    }


def _path(headers: list[str], wanted: bool) -> str:  # noqa: FBT001 - a private step
    return " > ".join(title for title in headers if title) if wanted else ""


def _before(chunk: Chunk, overlap: int) -> str:
    return str(chunk.metadata.get("previous_content", "")) if overlap else ""


def _join(*parts: str) -> str:
    return _BETWEEN.join(part for part in parts if part)


def _config(
    parameters: Mapping[str, Any], name: str, size: int, overlap: int = 0
) -> ChunkConfig:
    strategy = _choice(parameters, "strategy", AUTO)
    try:
        return ChunkConfig(
            max_chunk_size=size,
            overlap_size=overlap if overlap < size else 0,
            strategy=None if strategy == AUTO else strategy,
            oversize_blocks=_choice(parameters, "oversize", "keep"),  # type: ignore[arg-type]  # checked there
        )
    except ChunkConfigError as error:
        words = {"max_chunk_size": name, "oversize_blocks": "oversize"}
        field = words.get(error.field, error.field)
        raise ValueError(f"{field} is {error.value!r}, but {error.rule}") from error


def _mode(parameters: Mapping[str, Any]) -> str:
    mode = _choice(parameters, "parent_mode", PARAGRAPH).replace("_", "-")
    if mode not in {PARAGRAPH, FULL_DOC}:
        raise ValueError(
            f"parent_mode is {mode!r}, but it must be {PARAGRAPH} or full_doc"
        )
    return mode


def _text(parameters: Mapping[str, Any], name: str) -> str:
    value = parameters.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ValueError(f"{name} is a {type(value).__name__}, but it must be a text")  # noqa: TRY004 - Dify shows any error's message alike
    return value


def _choice(parameters: Mapping[str, Any], name: str, default: str) -> str:
    return str(parameters.get(name) or default)


def _whole(parameters: Mapping[str, Any], name: str, default: int) -> int:
    """A number, which forms give as a number or as digits."""
    value = parameters.get(name)
    if value is None or value == "":
        return default
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if not number.is_integer():
        raise ValueError(f"{name} is {value!r}, but it must be a whole number")
    return int(number)


def _flag(parameters: Mapping[str, Any], name: str) -> bool:
    """A yes or no, which forms give as such or as a word."""
    value = parameters.get(name)
    if value is None or value == "":
        return False
    word = str(value).strip().lower()
    if word not in _TRUE | _FALSE:
        raise ValueError(f"{name} is {value!r}, but it must be true or false")
    return word in _TRUE
