"""The words of a source text by what they are: keywords, strings, names and so on.

Read off the types of syntax nodes, which the grammars name alike, rather than by a query
per language: tokens without a name of their own that are words are keywords, and the
rest goes by parts of the type's name.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from outcrop.codegraph.languages import extensions, languages
from outcrop.codegraph.source import Source
from outcrop.codegraph.syntax_tree import parse_tree
from outcrop.errors import MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

TokenKind = Literal["comment", "string", "number", "keyword", "type", "name", "call"]

MAX_CHARS = 200_000
"""Longer texts have no colours: they are generated, and a page of them is slow."""

_OTHER_NAMES = {
    "c#": "c-sharp", "c++": "cpp", "console": "bash", "csharp": "c-sharp",
    "golang": "go", "shell": "bash", "zsh": "bash",
}  # fmt: skip
_COMMENT = re.compile("comment")
_KEYWORD = re.compile(r"[#@]?[A-Za-z_]+")
_NUMBER = re.compile(
    r"(?:^|_)(?:number|integer|int|float|decimal|imaginary|rune)(?:_|$)"
)
_TEXT = re.compile(
    r"(?:^|_)(?:string|char|character|heredoc|regex)(?:_|$)|^(?:raw|ansi_c)_string"
)
_TYPE = re.compile(r"(?:^|_)(?:type_identifier|primitive_type|predefined_type)$|"
                   r"^(?:integral|floating_point|boolean|void|sized)_type")  # fmt: skip
_EMBEDDED = re.compile(r"interpolation|substitution|expansion")
_DEFINITION = re.compile(
    r"(?:function|method|class|struct|interface|enum|trait|constructor|object|protocol|"
    r"module|namespace|record|union|type)_(?:definition|declaration|item|spec|"
    r"declarator|specifier)$"
)
_CALL = re.compile(r"^(?:call|call_expression|command)$|(?:invocation|function_call)")
_CONSTANT = re.compile(
    r"true|false|none|null|nil|this|self|super|(boolean|null)(_literal)?"
)
_IDENTIFIER = re.compile(r"identifier$|^(?:constant|word|name)$")
_TYPE_HOLDERS = frozenset(["type", "user_type", "generic_type"])


class Token(NamedTuple):
    """A stretch of a text, in characters."""

    start: int
    end: int
    kind: TokenKind


def language_called(name: str) -> str | None:
    """Return the language that a code fence means: `py`, `python`, `c++`."""
    lowered = name.strip().lower()
    if lowered in languages():
        return lowered
    return _OTHER_NAMES.get(lowered) or extensions().get(f".{lowered}")


def read_tokens(text: str, lang: str | None) -> list[Token]:
    """Return the tokens of a text that have a colour, in order.

    There are none where the language is unknown, its grammar is not installed, or the
    text is too long to be read at once.
    """
    if lang is None or len(text) > MAX_CHARS or lang not in languages():
        return []
    language = languages()[lang]
    source = Source(text.encode("utf-8", "replace"))
    try:
        root = parse_tree(language, source.data)
    except MissingExtraError:
        return []
    if root is None:
        return []
    return [
        Token(source.character(start), source.character(end), kind)
        for start, end, kind in _walk(root)
        if start < end
    ]


def _walk(root: Node) -> Iterator[tuple[int, int, TokenKind]]:
    """Yield the tokens of a tree by their bytes, each once, from left to right."""
    stack: list[tuple[Node, TokenKind | None]] = [(root, None)]
    while stack:
        node, given = stack.pop()
        kind = given or _kind_of(node)
        children = node.children
        if kind == "string" and any(_EMBEDDED.search(each.type) for each in children):
            stack += [
                (each, None if _EMBEDDED.search(each.type) else "string")
                for each in reversed(children)
            ]
        elif kind is not None:
            yield node.start_byte, node.end_byte, kind
        elif children:
            names = _names_in(node)
            stack += [(each, names.get(each.id)) for each in reversed(children)]


def _kind_of(node: Node) -> TokenKind | None:
    if not node.is_named:
        return "keyword" if _KEYWORD.fullmatch(node.type) else None
    kind = _named_kind(node.type)
    return None if kind == "number" and node.child_count else kind


@cache
def _named_kind(name: str) -> TokenKind | None:
    """Return what nodes of a type are, judged by its name."""
    if _CONSTANT.fullmatch(name):
        return "keyword"
    patterns: dict[TokenKind, re.Pattern[str]] = {
        "comment": _COMMENT,
        "string": _TEXT,
        "type": _TYPE,
        "number": _NUMBER,
    }
    return next((kind for kind, shape in patterns.items() if shape.search(name)), None)


def _names_in(node: Node) -> dict[int, TokenKind]:
    """Return the kinds of a node's children that depend on the node, by their ids."""
    if _DEFINITION.search(node.type):
        name = node.child_by_field_name("name") or node.child_by_field_name(
            "declarator"
        )
        return {} if name is None or not _is_identifier(name) else {name.id: "name"}
    if node.type in _TYPE_HOLDERS:
        return {each.id: "type" for each in node.children if _is_identifier(each)}
    if _CALL.search(node.type):
        for field in ("function", "name", "method"):
            name = node.child_by_field_name(field)
            if name is not None and _is_identifier(name):
                return {name.id: "call"}
    if node.type in {"attribute", "member_expression", "selector_expression"}:
        return _member(node)
    return {}


def _member(node: Node) -> dict[int, TokenKind]:
    """Return the last name of `a.b.c` where it is called."""
    parent = node.parent
    last = node.children[-1]
    is_called = parent is not None and bool(_CALL.search(parent.type))
    if not is_called or parent is None or not _is_identifier(last):
        return {}
    function = parent.child_by_field_name("function")
    return {last.id: "call"} if function is not None and function.id == node.id else {}


def _is_identifier(node: Node) -> bool:
    return not node.child_count and bool(_IDENTIFIER.search(node.type))
