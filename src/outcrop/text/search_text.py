"""The search text of a chunk: what is embedded, and whose words are counted.

Everything that stores a chunk computes it here, documents and code alike, so that equal
chunks have equal hashes and are found in the same way.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from outcrop.text.analysis import term_counts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from outcrop.model.stored import StoredChunk

# How often the words of a heading, or of a qualified name, are counted.
_HEADING_WEIGHT = 2
_NAME_WEIGHT = 2

# Between the headings above a chunk.
_ABOVE = " > "

# The field of a chunk's metadata with words that are searched but not in its text.
ABOUT = "about"


class SearchText(NamedTuple):
    """The search text of a chunk."""

    embedded: str  # the text whose vector is stored
    counted: str  # the text whose words are counted
    key: tuple[str, ...]  # the parts that both are made of

    @property
    def hash(self) -> str:
        """A hash of the parts: chunks with equal hashes are found in the same way."""
        key = "\0".join(self.key)
        return blake2b(key.encode("utf-8", "replace"), digest_size=8).hexdigest()

    @property
    def terms(self) -> Mapping[str, int]:
        """The words with their counts."""
        return term_counts(self.counted)


def search_text(chunk: StoredChunk) -> SearchText:
    """Return the search text of a stored chunk."""
    if chunk.node_id is not None or chunk.source == "code":
        return code_search_text(chunk.path, chunk.title or "", chunk.content)
    about = str(chunk.metadata.get(ABOUT, ""))
    return document_search_text(chunk.path, chunk.section_path, chunk.content, about)


def embedded_text(chunk: StoredChunk) -> str:
    """Return the text of a stored chunk whose vector is stored, without the others."""
    if chunk.node_id is not None or chunk.source == "code":
        return _below(chunk.title or "", chunk.content)
    return _below(_ABOVE.join(chunk.section_path), chunk.content)


def document_search_text(
    path: str, headings: Sequence[str], content: str, about: str = ""
) -> SearchText:
    """Return the search text of a chunk of a document.

    Args:
        path: The document's path.
        headings: The headings it stands under, from the outside in.
        content: Its text.
        about: Words of the front matter, and of headings without text above it.
    """
    stem = _stem(path)
    counted = [stem, *["\n".join(headings)] * _HEADING_WEIGHT, content, about]
    return SearchText(
        embedded=_below(_ABOVE.join(headings), content),
        counted="\n".join(counted),
        key=(stem, *headings, content, *filter(None, [about])),
    )


def code_search_text(path: str, name: str, content: str) -> SearchText:
    """Return the search text of a chunk of code.

    Args:
        path: The path of its file.
        name: The qualified name of what it defines; empty where it has none.
        content: Its text.
    """
    words = _words_of_path(path)
    return SearchText(
        embedded=_below(name, content),
        counted="\n".join([words, *[name] * _NAME_WEIGHT, content]),
        key=(words, name, content),
    )


def _below(title: str, content: str) -> str:
    return f"{title}\n{content}" if title else content


@lru_cache(maxsize=64)
def _stem(path: str) -> str:
    return PurePosixPath(path).stem


@lru_cache(maxsize=64)
def _words_of_path(path: str) -> str:
    """Return the folders and the name of a file, without its extension."""
    return " ".join(PurePosixPath(path).with_suffix("").parts)
