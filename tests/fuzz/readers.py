"""The scanner in C and the walk over the parser's events, on the same documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

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


def check_readers(text: str) -> None:
    """Assert that both readers see the same document in a text."""
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
