"""Pairs from Python: what a docstring says, and the code it is about."""

from __future__ import annotations

import ast
import warnings
from typing import TYPE_CHECKING

from training.comment_pairs import comment_pairs
from training.pair import Pair, first_sentence, name_words

if TYPE_CHECKING:
    from collections.abc import Iterator

_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_MIN_BODY_LINES = 2
_MAX_BODY_LINES = 45
_MIN_PARAGRAPH = 80


def python_pairs(text: str) -> Iterator[Pair]:
    """Yield pairs of one file; nothing where it cannot be parsed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    lines = text.splitlines()
    for node, owner in _definitions(tree, ""):
        yield from _pairs_of(node, owner, lines)
    yield from comment_pairs(text, "python")


def _definitions(tree: ast.AST, owner: str) -> Iterator[tuple[_Definition, str]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, _Definition):
            yield node, owner
            if isinstance(node, ast.ClassDef):
                yield from _definitions(node, node.name)
        elif isinstance(node, ast.If | ast.Try):
            yield from _definitions(node, owner)


def _pairs_of(node: _Definition, owner: str, lines: list[str]) -> Iterator[Pair]:
    doc = ast.get_docstring(node, clean=True)
    body = _without_docstring(node, lines, has_doc=doc is not None)
    if len(body) < _MIN_BODY_LINES:
        return
    title = f"{owner}.{node.name}" if owner else node.name
    passage = f"{title}\n" + "\n".join(body[:_MAX_BODY_LINES])
    if doc:
        said = first_sentence(doc)
        if said:
            yield Pair("docstring", said, passage)
        rest = doc[len(said) :].strip()
        if len(rest) >= _MIN_PARAGRAPH:
            yield Pair("docstring_body", " ".join(rest.split())[:300], passage)
            if said:
                yield Pair("docstring_text", said, f"{title}\n{rest}")
    words = name_words(node.name)
    if words.count(" ") >= 1 and not node.name.startswith("_"):
        yield Pair("name", words, "\n".join(body[1:_MAX_BODY_LINES]))


def _without_docstring(
    node: _Definition, lines: list[str], *, has_doc: bool
) -> list[str]:
    start, end = node.lineno - 1, node.end_lineno or node.lineno
    own = lines[start:end]
    if has_doc:
        first = node.body[0]
        del own[first.lineno - 1 - start : (first.end_lineno or first.lineno) - start]
    return own
