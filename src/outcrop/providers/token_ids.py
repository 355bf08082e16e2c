"""The tokens of texts, piece by piece, each piece worked out once.

The tokenizer of the local embedder takes a whole text as one word and merges letters to
tokens all over it. No token of its vocabulary joins letters and signs, or a digit and
anything else, or a word and the space after it, and none holds a line break. So a text
may be cut there without changing one token, and a few thousand words make up most of
what is written.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tokenizers import Tokenizer

_SPACE = "\u2581"  # how the vocabulary writes a space
_RAISED = "\u00b2\u00b3\u00b9"  # digits that the vocabulary takes for signs
_LETTERS = rf"[^\W\d_{_RAISED}]+"
_SIGNS = rf"(?:[^\w {_SPACE}\n]|[_{_RAISED}])+"
_PIECES = re.compile(rf"[ {_SPACE}]*(?:{_LETTERS}|{_SIGNS})|[ {_SPACE}]+|\d|\n+")
_MAX_CACHED_CHARS = 40  # longer ones are data (keys, base64), not words
_MAX_CACHED = 50_000


class TokenIds(dict[str, tuple[int, ...]]):
    """The ids of pieces seen so far, with the spaces before them."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        """Use the vocabulary of a tokenizer."""
        super().__init__()
        self._model = tokenizer.model

    def of(self, text: str) -> list[int]:
        """Return the ids of a text's tokens.

        Raises:
            UnicodeEncodeError: The text holds a lone surrogate.
        """
        if not text:
            return []
        # The model begins every text with a space.
        pieces: Iterable[str] = _PIECES.findall(f" {text}")
        return list(chain.from_iterable(map(self.__getitem__, pieces)))

    def __missing__(self, piece: str) -> tuple[int, ...]:
        tokens = self._model.tokenize(piece.replace(" ", _SPACE))
        ids = tuple(token.id for token in tokens)
        if len(piece) <= _MAX_CACHED_CHARS:
            if len(self) >= _MAX_CACHED:
                self.clear()
            self[piece] = ids
        return ids
