"""Counting the tokens of a text, exactly and offline.

The vocabularies travel inside splintr-rs, whose ids are those of tiktoken. What is
counted is *ordinary* text: `<|endoftext|>` in a document is thirteen characters that
somebody wrote, not a control token, and a lone surrogate counts as U+FFFD.

Where the library cannot be loaded the count is a quarter of the characters, rounded
up, and one warning per process says so.
"""

from __future__ import annotations

import warnings
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final

from outcrop.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

ENCODINGS: Final = ("cl100k_base", "o200k_base")

_CHARACTERS_PER_TOKEN = 4

# Every control token is written `<|name|>`: without these two characters a text can
# hold none, and the fastest way of encoding, which would match them, is safe.
_CONTROL_MARK = "<|"

# A chunk is counted when it is cut and when it is stored, and repeated headings for each
# chunk under them. At most 2 million characters are kept for that.
_MAX_KEPT_TEXTS = 500
_MAX_KEPT_CHARS = 4_000

# Why the library could not be loaded, once the warning has been given.
_warned: list[str] = []


class TokenCounter:
    """Counts tokens; callable, so that it also serves as a measure of length.

    The vocabulary is loaded on the first count and shared by all counters of a
    process. A counter can be pickled; it travels as the name of its encoding.

    Attributes:
        encoding: Name of the vocabulary, one of `ENCODINGS`.
    """

    __slots__ = ("_count", "encoding")

    def __init__(self, encoding: str = "cl100k_base") -> None:
        if encoding not in ENCODINGS:
            known = ", ".join(ENCODINGS)
            raise ConfigError(f"unknown encoding {encoding!r}; choose one of: {known}")
        self.encoding = encoding
        self._count: Callable[[str], int] | None = None

    def count(self, text: str) -> int:
        """Count the tokens of one text."""
        return (self._count or self._load())(text)

    # An alias, not a method that calls one: measuring is the chunker's inner loop.
    __call__ = count

    def count_batch(self, texts: Iterable[str]) -> list[int]:
        """Count the tokens of many texts, each by itself."""
        return list(map(self._count or self._load(), texts))

    def _load(self) -> Callable[[str], int]:
        self._count = _load_count(self.encoding)
        return self._count

    def __reduce__(self) -> tuple[type[TokenCounter], tuple[str]]:
        return type(self), (self.encoding,)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TokenCounter):
            return NotImplemented
        return self.encoding == other.encoding

    def __hash__(self) -> int:
        return hash((TokenCounter, self.encoding))

    def __repr__(self) -> str:
        return f"TokenCounter({self.encoding!r})"


def replace_surrogates(text: str) -> str:
    """Return the text as UTF-8 can carry it.

    Two surrogates that form a pair become the character they stand for; a lone one
    becomes U+FFFD.
    """
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def estimate_tokens(text: str) -> int:
    """Estimate the tokens of a text as a quarter of its characters, rounded up."""
    return -(-len(text) // _CHARACTERS_PER_TOKEN)


@cache
def _load_count(encoding: str) -> Callable[[str], int]:
    """The counting function of an encoding, loaded once per process."""
    try:
        from splintr import Tokenizer

        tokenizer = Tokenizer.from_pretrained(encoding)
    except (ImportError, OSError, ValueError) as error:
        _warn_of_estimate(f"{type(error).__name__}: {error}")
        return estimate_tokens
    encode_ordinary = tokenizer.encode_ordinary
    encode_flat = tokenizer.encode_flat
    is_marked = all(_CONTROL_MARK in name for name in tokenizer.special_tokens())
    mark = _CONTROL_MARK if is_marked else ""  # every text holds the empty string

    def count(text: str) -> int:
        try:
            if mark in text:
                return len(encode_ordinary(text))
            # Four bytes a token; building a list of integers would cost half as
            # much again.
            return len(encode_flat(text)) >> 2
        except UnicodeEncodeError:
            return count(replace_surrogates(text))

    count_again = lru_cache(_MAX_KEPT_TEXTS)(count)
    return lambda text: (
        count_again(text) if len(text) <= _MAX_KEPT_CHARS else count(text)
    )


def _warn_of_estimate(reason: str) -> None:
    """Warn once per process that counts are estimates."""
    if _warned:
        return
    _warned.append(reason)
    warnings.warn(
        "tokens are estimated as a quarter of the characters, because splintr-rs"
        f" cannot be loaded ({reason}): pip install 'outcrop[tokens]'",
        RuntimeWarning,
        stacklevel=2,
    )
