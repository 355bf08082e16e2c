"""Documentation comments without the syntax that marks them."""

from __future__ import annotations

import re
from inspect import cleandoc
from textwrap import dedent
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_LINE_MARKERS = ("///", "//!", "//", "#!", "---", "--", "#")
_BLOCK = re.compile(r"^/\*[*!]?(?!/)|\*+/$")
_STAR = re.compile(r"^[ \t]*\*(?: |$)?", re.MULTILINE)
_BLOCK_TAGS = re.compile(r"</?(?:summary|remarks|para|returns|example|value)\s*>")
_ATTRIBUTE_TAG = re.compile(
    r"""<(?:see|seealso|paramref|typeparamref)\s+(?:cref|name|langword)="
        (?:[A-Z]:)?([^"]*)"\s*/?>""",
    re.VERBOSE,
)
_NAMED_TAG = re.compile(r'<(param|exception|typeparam)\s+(?:name|cref)="([^"]*)"\s*>')
_CLOSING_TAG = re.compile(r"</(?:param|exception|typeparam|c|code|see)\s*>|<c>|<code>")


def clean_comment(comments: Sequence[str]) -> str:
    """Return the text of adjacent comments, marker syntax removed."""
    return dedent("\n".join(_clean_one(comment) for comment in comments)).strip()


def _clean_one(comment: str) -> str:
    comment = comment.strip("\r\n")
    if comment.startswith("/*"):
        inner = _BLOCK.sub("", _BLOCK.sub("", comment.strip()))
        return cleandoc(_STAR.sub("", inner))
    return "\n".join(map(_clean_line, comment.splitlines()))


def _clean_line(line: str) -> str:
    line = line.strip()
    for marker in _LINE_MARKERS:
        if line.startswith(marker):
            return line[len(marker) :].removeprefix(" ").rstrip()
    return line


def strip_xml_tags(text: str) -> str:
    """Return an XML documentation comment as plain text."""
    text = _BLOCK_TAGS.sub("", text)
    text = _ATTRIBUTE_TAG.sub(r"\1", text)
    text = _NAMED_TAG.sub(r"\2: ", text)
    text = _CLOSING_TAG.sub("", text)
    return "\n".join(line for line in cleandoc(text).splitlines() if line.strip())
