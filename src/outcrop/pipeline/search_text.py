"""What a chunk is found by: the text that is embedded, and the words that are counted.

One place decides it for documents and for code, so that a chunk is found the same way
whoever stored it. Pure: a chunk in, texts out.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from outcrop.text.analysis import count_terms

if TYPE_CHECKING:
    from collections.abc import Mapping

    from outcrop.model.stored import StoredChunk

# How often the words of a heading, or of a qualified name, count beside the text's.
_HEADING_WEIGHT = 2
_NAME_WEIGHT = 2


class SearchText(NamedTuple):
    """What a chunk is found by.

    Attributes:
        embedded: The text whose vector is stored.
        counted: The text whose words are counted.
        key: What both are made of.
    """

    embedded: str
    counted: str
    key: tuple[str, ...]

    @property
    def hash(self) -> str:
        """A hash that differs where a chunk would be found differently."""
        key = "\0".join(self.key)
        return blake2b(key.encode("utf-8", "replace"), digest_size=8).hexdigest()

    @property
    def terms(self) -> Mapping[str, int]:
        """The words with their counts."""
        return dict(count_terms(self.counted))


def search_text(chunk: StoredChunk) -> SearchText:
    """Return what a chunk is found by."""
    if chunk.node_id is not None or chunk.source == "code":
        return _code(chunk)
    headings = "\n".join(chunk.section_path)
    above = " > ".join(chunk.section_path)
    return SearchText(
        embedded=f"{above}\n{chunk.content}" if above else chunk.content,
        counted="\n".join(
            [_stem(chunk.path), *[headings] * _HEADING_WEIGHT, chunk.content]
        ),
        key=(_stem(chunk.path), *chunk.section_path, chunk.content),
    )


def _code(chunk: StoredChunk) -> SearchText:
    name = chunk.title or ""
    place = _words_of_path(chunk.path)
    return SearchText(
        embedded=f"{name}\n{chunk.content}" if name else chunk.content,
        counted="\n".join([place, *[name] * _NAME_WEIGHT, chunk.content]),
        key=(place, name, chunk.content),
    )


@lru_cache(maxsize=64)
def _stem(path: str) -> str:
    return PurePosixPath(path).stem


@lru_cache(maxsize=64)
def _words_of_path(path: str) -> str:
    """Return the folders and the name of a file, its extension left out."""
    return " ".join(PurePosixPath(path).with_suffix("").parts)
