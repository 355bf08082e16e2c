"""A pair: what somebody may ask, and the passage that answers."""

from __future__ import annotations

import re
from typing import NamedTuple

_SENTENCE = re.compile(r"(?<=[.!?。！？])\s+|\n\s*\n")
_MARKUP = re.compile(
    r":[\w:-]+:`~?([^`<]*)(?:<[^`]*>)?`|``?([^`]+)``?|[*]{1,2}(\S[^*]*)[*]{1,2}"
)
_BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[_\W]+")
_LETTERS = re.compile(r"[^\W\d_]")
MIN_LETTERS = 8
MAX_QUERY = 300
MAX_PASSAGE = 1_400


class Pair(NamedTuple):
    """A question in the widest sense, and the passage that answers it."""

    kind: str
    query: str
    passage: str

    @property
    def is_useful(self) -> bool:
        """Whether both sides say something."""
        if self.kind.startswith(("translation_", "passage_", "gloss")):
            return True  # messages may be a word
        return (
            len(_LETTERS.findall(self.query[:200])) >= MIN_LETTERS
            and len(_LETTERS.findall(self.passage[:400])) >= 2 * MIN_LETTERS
        )

    def cut(self) -> Pair:
        """Return the pair with both sides at a bounded length."""
        return Pair(self.kind, self.query[:MAX_QUERY], self.passage[:MAX_PASSAGE])


def first_sentence(text: str) -> str:
    """Return the first sentence of a comment, on one line and without markup."""
    sentence = _SENTENCE.split(text.strip(), maxsplit=1)[0]
    plain = _MARKUP.sub(lambda found: found[1] or found[2] or found[3] or "", sentence)
    return " ".join(plain.split())


def name_words(name: str) -> str:
    """Return an identifier as words: `readHttpBody` gives `read http body`."""
    return " ".join(part.lower() for part in _BOUNDARY.split(name) if part)
