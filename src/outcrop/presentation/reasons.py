"""Why a chunk starts where it starts, why it may be large, and why a search found nothing.

All in plain words, the same on every surface.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from outcrop.indexing.sharded import AnyIndex
    from outcrop.model.chunk import Chunk

# Stage of a boundary -> its name for people.
STAGES = {
    "document": "document",
    "strategy": "structure",
    "headers": "headings",
    "split": "size limit",
    "code": "code",
}

# (stage, rule) of a boundary -> what happened there.
REASONS = {
    ("document", "start"): "the document begins",
    ("strategy", "heading"): "a heading opens a new section",
    ("strategy", "code_block"): "a code block did not fit into the chunk before",
    ("strategy", "table"): "a table did not fit into the chunk before",
    ("strategy", "after_code_block"): "what follows a code block did not fit with it",
    ("strategy", "after_table"): "what follows a table did not fit with it",
    ("strategy", "block"): "every block is a chunk",
    ("strategy", "after_front_matter"): "the text starts after the front matter",
    ("strategy", "size"): "the next block did not fit into the chunk before",
    ("headers", "dangling_heading"): "a heading moved down to stay with its text",
    ("split", "heading"): "over the limit: cut before a heading",
    ("split", "list_item"): "over the limit: cut before a list item",
    ("split", "nested_list_item"): "over the limit: cut before a nested list item",
    ("split", "paragraph"): "over the limit: cut before a paragraph",
    ("split", "block"): "over the limit: cut before a block that stays whole",
    ("split", "line"): "over the limit: cut between lines",
    ("split", "sentence"): "over the limit: cut between sentences",
    ("split", "word"): "over the limit: cut between words",
    ("split", "grapheme"): "a word over the limit: cut between characters",
    ("split", "code_point"): "a character over the limit: cut inside it",
    ("split", "table_row"): "a table over the limit: cut between rows, header repeated",
    ("split", "code_line"): "code over the limit: cut between lines, fence repeated",
}

# The same for code.
CODE_REASONS = {
    ("code", "definition"): "a definition",
    ("code", "part"): "a definition over the limit: cut where its syntax allows",
    ("code", "lines"): "code between definitions, or lines up to the limit",
}

# Why a chunk may be over the limit.
OVERSIZE = {
    "code_block_integrity": "a block that stays whole",
    "table_integrity": "a table that stays whole",
    "list_item_integrity": "a list item that cannot be parted from its block",
    "code_point_integrity": "a single character over the limit",
    "within_tolerance": "within the tolerance",
}

# What is said of a value that no chunk has, by the name of its filter.
_UNMATCHED = {
    "path_glob": "no document has a path that matches {!r}",
    "package": "no code is in a package, module or type {!r}",
    "section": "no heading is {!r}",
    "tag": "no document has the tag {!r}",
}


def stage_name(chunk: Chunk) -> str:
    """Return the stage that set a chunk's boundary, in a word or two."""
    stage = str(chunk.metadata["boundary"]["stage"])
    return STAGES.get(stage, _in_words(stage))


def boundary_reason(chunk: Chunk) -> str:
    """Return why a chunk starts where it starts."""
    boundary = chunk.metadata["boundary"]
    stage, rule = str(boundary["stage"]), str(boundary["rule"])
    known = REASONS.get((stage, rule)) or CODE_REASONS.get((stage, rule))
    return known or f"{_in_words(stage)}: {_in_words(rule)}"


def oversize_reason(chunk: Chunk) -> str:
    """Return why a chunk may be over the limit, or an empty text."""
    reason = str(chunk.metadata.get("oversize_reason", ""))
    return OVERSIZE.get(reason, _in_words(reason))


def _in_words(name: str) -> str:
    return name.replace("_", " ")


def name_unmatched(
    index: AnyIndex, filters: Mapping[str, str | Sequence[str] | None]
) -> list[str]:
    """Return a reason for each value of a filter that nothing in the index meets.

    Args:
        index: The index that was searched.
        filters: Values by the names that `Index.search` gives its filters; others than
            paths, packages, sections and tags are not looked at.
    """
    from outcrop.search.question import make_filter

    reasons = []
    for name, reason in _UNMATCHED.items():
        given = filters.get(name) or ()
        for value in [given] if isinstance(given, str) else given:
            restriction = make_filter(**{name: value})  # type: ignore[arg-type]  # texts
            if restriction is not None and not index.store.has_chunks(restriction):
                reasons.append(reason.format(value))
    return reasons
