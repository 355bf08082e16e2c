"""Explains code without a language model, from its own documentation.

The first sentences of the documentation, or else of the comments in the body, then what
the code is and what it calls. It takes microseconds.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from outcrop.text.boundaries import sentence_ends

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outcrop.model.node import Node

MODEL = "extractive"
MAX_CHARS = 400
_MAX_NAMES = 8
_COMMENT = re.compile(r"^\s*(?://+!?|#+!?|--|\*+)\s?(.*?)\s*(?:\*+/)?$", re.MULTILINE)
_NOT_PROSE = re.compile(
    r"noqa|type:\s*ignore|pylint|eslint|fmt:|pragma|copyright|licen[sc]e|^[\W_]*$|^@\w",
    re.IGNORECASE,
)
# Ends the prose of a documentation comment: here its lists of parameters begin.
_LISTS = re.compile(
    r"^\s*(?:(?:Args|Arguments|Parameters|Returns?|Raises|Yields|Attributes|Examples?"
    r"|Notes?|Usage|See [Aa]lso)\s*:?\s*$|:param|:return|@\w+|\.\. |>>>|```|~~~|---|===)",
    re.MULTILINE,
)


def explain(
    node: Node | None, content: str, *, calls: Sequence[str], title: str | None
) -> str:
    """Return a short explanation of a chunk of code, as Markdown.

    Args:
        node: The node of the chunk.
        content: Its text.
        calls: Names of the functions it calls.
        title: Its name where there is no node.
    """
    comment = node.doc_comment if node is not None else None
    prose = _first_sentences(comment or "") or _first_sentences(_comments(content))
    parts = [prose] if prose else []
    parts.append(_describe(node, title))
    if calls:
        shown = ", ".join(f"`{name}`" for name in calls[:_MAX_NAMES])
        more = len(calls) - _MAX_NAMES
        parts.append(f"Calls {shown}{f' and {more} more' if more > 0 else ''}.")
    return " ".join(part for part in parts if part)


def _describe(node: Node | None, title: str | None) -> str:
    if node is None:
        return f"Part of `{title}`." if title else ""
    what = str(node.kind).capitalize()
    where = f" in `{node.package_name}`" if node.package_name else ""
    return f"{what} `{node.name}`{where}."


def _first_sentences(text: str) -> str:
    """Return the beginning of a text, up to the end of a sentence."""
    lists = _LISTS.search(text)
    prose = " ".join(text[: lists.start() if lists else len(text)].split())
    if len(prose) <= MAX_CHARS:
        return prose if not prose or prose[-1] in ".!?。！？:" else f"{prose}."
    ends = [end for end in sentence_ends(prose, 0, len(prose)) if end <= MAX_CHARS]
    if ends:
        return prose[: ends[-1]].rstrip()
    return prose[:MAX_CHARS].rpartition(" ")[0].rstrip() + "…"


def _comments(code: str) -> str:
    """Return the prose of the comments in code."""
    lines = (match.group(1) for match in _COMMENT.finditer(code))
    return "\n".join(line for line in lines if not _NOT_PROSE.search(line))
