"""Parsing a text with its grammar, in bounded time.

Some grammars explore exponentially many readings of damaged code, so that a file of 400
bytes is parsed for hours. A parse is therefore given up once it has taken far more
processor time than a text of its size deserves.

The parser's time limit is used although it is deprecated: the progress callback meant
to replace it crashes the interpreter before Python 3.14. A parse that ran out of time
is never resumed, because a resumed parse may read damaged code in another way.
"""

from __future__ import annotations

import threading
import time
import warnings
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import tree_sitter
    from tree_sitter import Node

    from outcrop.codegraph.language import Language


MIN_SECONDS = 0.5
"""Processor time that every parse may take; 10 KB usually take about 0.01 seconds."""
SECONDS_PER_BYTE = 50e-6
"""Further processor time per byte, 50 times or more what usual code takes."""


class _Parsers(threading.local):
    """Parsers by language and time limit; a parser serves one thread at a time."""

    def __init__(self) -> None:
        self._parsers: dict[tuple[str, float], tree_sitter.Parser] = {}

    def get(self, language: Language, seconds: float) -> tree_sitter.Parser:
        key = (language.name, seconds)
        if key not in self._parsers:
            grammar = language.tree_language  # first: raises where nothing is installed
            from tree_sitter import Parser

            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)
                micros = round(seconds * 1_000_000)
                self._parsers[key] = Parser(grammar, timeout_micros=micros)
        return self._parsers[key]


_parsers = _Parsers()


def parse_tree(language: Language, data: bytes) -> tree_sitter.Node | None:
    """Return the root of a text's syntax tree; None where parsing takes too long.

    Args:
        language: The language of the text.
        data: The text in UTF-8.

    Raises:
        MissingExtraError: The grammar is not installed.
    """
    readable = language.readable(data)
    root = _parse(language, readable)
    if readable == data or (root is not None and not root.has_error):
        return root
    plain = _parse(language, data)
    return root if plain is None or plain.has_error else plain


def _parse(language: Language, data: bytes) -> tree_sitter.Node | None:
    # Sizes are rounded up to powers of two, so that few parsers serve all of them.
    budget = MIN_SECONDS + SECONDS_PER_BYTE * (1 << len(data).bit_length())
    limit = budget
    while True:
        parser = _parsers.get(language, limit)
        started = time.thread_time()
        try:
            return parser.parse(data).root_node
        except ValueError:  # how the binding reports that time ran out
            parser.reset()
        if time.thread_time() - started > budget / 2:
            return None
        limit *= 2  # the limit counts time on the wall, which others took


def text_of(node: Node | None) -> str:
    """Return the text of a node, nothing for no node."""
    return (node.text or b"").decode("utf-8", "replace") if node is not None else ""


def child_of(node: Node | None, *types: str) -> Node | None:
    """Return the first child of one of the types."""
    if node is not None:
        for child in node.children:
            if child.type in types:
                return child
    return None


def children_of(node: Node | None, *types: str) -> list[Node]:
    """Return the children of the types."""
    if node is None:
        return []
    return [child for child in node.children if child.type in types]


def enum_of(constant: Node) -> str:
    """Return the name of the enum that a constant is written in."""
    body = constant.parent
    enum = body.parent if body is not None else None
    return text_of(enum.child_by_field_name("name")) if enum is not None else ""
