"""References to definitions in sentences of documents, and sentences as readers see them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from training.ranking.wording import plain

if TYPE_CHECKING:
    from collections.abc import Mapping

_ROLE = re.compile(
    r":(?:py:)?(?:class|func|meth|exc|data|obj):`(?:[^`<]*<([^>`]+)>|([^`]+))`"
)
_CROSS_REFERENCE = re.compile(r"\[`?[^\]\n]{2,80}`?\]\[([A-Za-z_][\w.]+)\]")
_QUOTED_NAME = re.compile(r"`{1,2}[~.]?([\w.:]+?)(?:\([^`]*\))?`{1,2}")
_MYST_ROLE = re.compile(r"\{[\w:]+\}`(?:([^`<]*?)\s*<[^`>]*>|[~!.]*([^`]*))`")
_BARE_LABEL = re.compile(r":ref:`([^`<>]+)`")
# A sentence with more is a list of names.
_MAX_NAMES = 2


def find_references(sentence: str) -> list[str]:
    """Return the names of the definitions that a sentence refers to, if they are few.

    Names that are only quoted count if there is no link to a definition.
    """
    names = [found[1] or found[2] for found in _ROLE.finditer(sentence)]
    names += _CROSS_REFERENCE.findall(sentence)
    names = names or _QUOTED_NAME.findall(sentence)
    if len(names) > _MAX_NAMES:
        return []
    return [name.strip().removesuffix("()").lstrip("~.!") for name in names]


def shown(sentence: str, titles: Mapping[str, str]) -> str:
    """Return a sentence without markup: a label is shown as the title of its section."""
    text = _BARE_LABEL.sub(lambda m: titles.get(m[1].strip().lower(), m[1]), sentence)
    return plain(_MYST_ROLE.sub(lambda m: m[1] or m[2], text))
