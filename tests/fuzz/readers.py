"""The scanner and the maker of chunks in C, and their equals in Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol
from unittest.mock import patch

from outcrop import ChunkConfig, MarkdownChunker
from outcrop.chunking import metadata
from outcrop.markdown import parse
from outcrop.markdown.native import read_natively
from outcrop.markdown.parse import SCANNER

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from outcrop.markdown import Document

# Characters that blocks are made of, in no order: a grammar would not write these.
_PIECES: tuple[str, ...] = (
    "- ", "* ", "> ", "1. ", "\n", "\n", "\n", "\n\n", "a", "b|c", "|", "-", "---", "=",
    "```", "~~~", "[a]: b", "[^1]: ", "<div>", "<b>", "#", " ", "  ", "    ", "\t", "`", "\\",
    "(", ")", '"', "[", "]", ":", "$", "\r\n", "\r", "2)", "<!--", "-->", "...", "{#a}", "_",
    "*", "é", "\u00a0", "[ ] ", "<", ">", "-|-", "[x]:",
)  # fmt: skip


class Maker(Protocol):
    """Makes documents."""

    def document(self) -> str:
        """Return the next document."""
        ...


class MarkdownMaker:
    """Makes documents in several ways, most of them short.

    Args:
        random: The source of randomness.
        makers: Makers of documents, which take turns with this one.
    """

    def __init__(self, random: Random, makers: Sequence[Maker]) -> None:
        self._random = random
        self._makers = makers

    def document(self) -> str:
        """Return a document of one of the makers, or pieces in any order."""
        random = self._random
        if random.random() < 0.7:
            return random.choice(self._makers).document()
        return "".join(random.choices(_PIECES, k=random.randint(2, 16)))


# A limit at which most documents become several chunks.
_LIMIT = 60


def check_readers(text: str) -> None:
    """Assert that both readers see the same document in a text, and make equal chunks."""
    chunks = chunk_facts(text, _LIMIT)
    with patch.object(metadata, "MAKE_NATIVELY", None):
        expected = chunk_facts(text, _LIMIT)
    assert chunks == expected, f"the chunks differ: {chunks} and {expected}"
    if SCANNER is None or read_natively(SCANNER, text) is None:
        return
    fast, slow = facts(parse(text)), facts(parse(text, scanner=None))
    assert fast == slow, f"the readers differ: {fast} and {slow}"


def facts(document: Document) -> dict[str, Any]:
    """What a document says, in a form that can be compared and read."""
    blocks = document.blocks
    return {
        "starts": list(blocks.starts),
        "kinds": list(blocks.kinds),
        "ranks": list(blocks.ranks),
        "flags": list(blocks.flags),
        "headings": document.headings,
        "is_plain": document.is_plain,
    }


def chunk_facts(text: str, limit: int) -> list[Any]:
    """The chunks and the tree of a text, with their fields in order."""
    chunker = MarkdownChunker(ChunkConfig(max_chunk_size=limit))
    chunks = [*chunker.chunk(text), *chunker.chunk_hierarchical(text).chunks]
    return [(chunk, list(chunk.metadata)) for chunk in chunks]
