"""Sentences, words of names, and misspellings."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random

_ROLE = re.compile(r":[\w:+-]+:`(?:([^`<]*?)\s*<[^`>]*>|~?([^`]*))`")
_LINK = re.compile(r"\[([^\]\n]*)\](?:\([^)\n]*\)|\[[^\]\n]*\])")
_RST_LINK = re.compile(r"`([^`<\n]*?)\s*<[^`>]*>`_+")
_TAGS = re.compile(r"\{@\w+\s+([^}]*)\}|<[^>\n]{1,40}>")
_EMPHASIS = re.compile(r"\*\*|``|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)|`_\b")
_SENTENCE_END = re.compile(
    r"(?<=[.!?])\s+(?=[A-Z`\"'(\[:])|\n\s*\n|\n(?=\s*[-*@:]\s?\w)"
)
_BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_+")
_WORD = re.compile(r"[^\W\d_]+")


def plain(text: str) -> str:
    """Return a text without the markup of Markdown and reStructuredText."""
    text = _ROLE.sub(lambda m: m[1] or m[2], text)
    text = _RST_LINK.sub(r"\1", _LINK.sub(r"\1", text))
    text = _TAGS.sub(lambda m: m[1] or " ", text)
    return " ".join(_EMPHASIS.sub("", text).split())


def first_sentence(text: str) -> str:
    """Return the first sentence of a documentation comment."""
    return plain(_SENTENCE_END.split(text.strip(), maxsplit=1)[0])


def sentences(text: str) -> list[tuple[int, int]]:
    """Return where the sentences of a paragraph are."""
    spans, start = [], 0
    for end in [*(found.start() for found in _SENTENCE_END.finditer(text)), len(text)]:
        spans.append((start, end))
        start = end
    return spans


def count_words(text: str) -> int:
    """Return the number of words."""
    return len(_WORD.findall(text))


def words_of_name(name: str) -> str:
    """Return the words of a name, in lower case."""
    return " ".join(_BOUNDARY.sub(" ", name).lower().split())


def misspell(text: str, random: Random) -> str:
    """Return a text with one or two long words misspelt."""
    words = [found for found in _WORD.finditer(text) if len(found[0]) > 5]
    if not words:
        return text
    for found in sorted(
        random.sample(words, min(len(words), random.choice([1, 1, 2]))),
        key=lambda found: -found.start(),
    ):
        word = found[0]
        at = random.randrange(1, len(word) - 2)
        changed = random.choice(
            [
                word[:at] + word[at + 1 :],
                word[:at] + word[at + 1] + word[at] + word[at + 2 :],
                word[:at] + word[at] + word[at:],
                word[:at] + random.choice("etaoinsr") + word[at + 1 :],
            ]
        )
        text = text[: found.start()] + changed + text[found.end() :]
    return text
