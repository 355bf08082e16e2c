"""Cuts texts with another chunker, in the environment that has it.

    python benchmarks/_retrieval_peer.py NAME < texts.json > spans.json

Texts are a JSON list; for each, the answer has a list of (start, end). Pieces that the
tool changed are looked up by their words.
"""

from __future__ import annotations

import json
import os
import re
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

Span = tuple[int, int]
SEPARATORS = ["\n\n", "\n", ".", "?", "!", " ", ""]
LONGEST_PATTERN = 4000


@cache
def encoding() -> Any:
    import llama_index.core

    # The vocabulary travels inside llama-index; tiktoken alone would download it.
    folder = Path(llama_index.core.__file__).parent / "_static" / "tiktoken_cache"
    os.environ.setdefault("TIKTOKEN_CACHE_DIR", str(folder))
    import tiktoken

    return tiktoken.get_encoding("cl100k_base")


def count(text: str) -> int:
    return len(encoding().encode(text, disallowed_special=()))


def locate(text: str, pieces: list[str]) -> list[Span]:
    spans: list[Span] = []
    at = 0
    for piece in pieces:
        stripped = piece.strip()
        if not stripped:
            continue
        start = text.find(stripped, at)
        if start >= 0:
            spans.append((start, start + len(stripped)))
            at = start + 1
            continue
        words = stripped.split()
        pattern = r"\s*".join(map(re.escape, words[:LONGEST_PATTERN]))
        match = re.compile(pattern).search(text, at)
        if match:
            spans.append(match.span())
            at = match.start() + 1
    return spans


def langchain(size: int) -> Callable[[str], list[Span]]:
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    splitter = RecursiveCharacterTextSplitter(
        chunk_size=size,
        chunk_overlap=0,
        length_function=count,
        separators=SEPARATORS,
    )
    return lambda text: locate(text, splitter.split_text(text))


def semantic_text_splitter(size: int) -> Callable[[str], list[Span]]:
    from semantic_text_splitter import MarkdownSplitter

    splitter = MarkdownSplitter.from_callback(count, size)

    def cut(text: str) -> list[Span]:
        return [(at, at + len(piece)) for at, piece in splitter.chunk_indices(text)]

    return cut


def langchain_python(size: int) -> Callable[[str], list[Span]]:
    from langchain_text_splitters import Language, RecursiveCharacterTextSplitter

    splitter = RecursiveCharacterTextSplitter.from_language(
        Language.PYTHON, chunk_size=size, chunk_overlap=0, length_function=count
    )
    return lambda text: locate(text, splitter.split_text(text))


def semantic_text_splitter_python(size: int) -> Callable[[str], list[Span]]:
    import tree_sitter_python
    from semantic_text_splitter import CodeSplitter

    splitter = CodeSplitter.from_callback(tree_sitter_python.language(), count, size)

    def cut(text: str) -> list[Span]:
        return [(at, at + len(piece)) for at, piece in splitter.chunk_indices(text)]

    return cut


def llama_index(_size: int) -> Callable[[str], list[Span]]:
    from llama_index.core import Document
    from llama_index.core.node_parser import MarkdownNodeParser

    parser = MarkdownNodeParser()

    def cut(text: str) -> list[Span]:
        nodes = parser.get_nodes_from_documents([Document(text=text)])
        return locate(text, [node.get_content() for node in nodes])

    return cut


PEERS = {
    "langchain-200": (langchain, 200),
    "langchain-400": (langchain, 400),
    "langchain-800": (langchain, 800),
    "semantic-text-splitter-400": (semantic_text_splitter, 400),
    "llama-index-markdown": (llama_index, 0),
}
PYTHON_PEERS = {
    "langchain-200": (langchain, 200),
    "langchain-400": (langchain, 400),
    "langchain-python-200": (langchain_python, 200),
    "langchain-python-400": (langchain_python, 400),
    "semantic-text-splitter-python-200": (semantic_text_splitter_python, 200),
    "semantic-text-splitter-python-400": (semantic_text_splitter_python, 400),
}


def main() -> None:
    make, size = {**PEERS, **PYTHON_PEERS}[sys.argv[1]]
    cut = make(size)
    json.dump([cut(text) for text in json.load(sys.stdin)], sys.stdout)


if __name__ == "__main__":
    main()
