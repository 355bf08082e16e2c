"""Definitions in source files with the comment that documents each."""

from __future__ import annotations

import ast
import re
import warnings
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

_BRACES = (".go", ".rs", ".js", ".mjs", ".ts", ".tsx", ".java", ".php", ".kt", ".scala",
           ".c", ".h", ".cc", ".cpp", ".hpp", ".cs", ".swift")  # fmt: skip
_LINE_COMMENTS = {
    ".go": re.compile(
        r"^(?P<doc>(?://[^\n]*\n)+)(?P<def>(?:func|type)[^\n]*\n)", re.MULTILINE
    ),
    ".rs": re.compile(
        r"^(?P<doc>(?:[ \t]*///[^\n]*\n)+)(?:[ \t]*#\[[^\n]*\n)*"
        r"(?P<def>[ \t]*(?:pub(?:\([^)]*\))?\s+)?(?:unsafe |const |async )*"
        r"(?:fn|struct|enum|trait)\s[^\n]*\n)",
        re.MULTILINE,
    ),
    ".rb": re.compile(
        r"^(?P<doc>(?:[ \t]*#[^\n]*\n)+)(?P<def>[ \t]*(?:def|class|module)\s[^\n]*\n)",
        re.MULTILINE,
    ),
}
_BLOCK_COMMENT = re.compile(
    r"^[ \t]*(?P<doc>/\*\*[^*](?:(?!\*/).)*\*/[ \t]*\n)(?:[ \t]*@[^\n]*\n)*"
    r"(?P<def>[ \t]*[^\s/*@][^\n]*[({][^\n]*\n)",
    re.MULTILINE | re.DOTALL,
)
_NAMED = re.compile(
    r"\b(?:func|fn|struct|enum|trait|type|class|interface|function|def|module|object)\s+"
    r"(?:\([^()]*\)\s*)?(?:self\.)?(\w+)|(\w+)\s*[=:]\s*(?:async\s*)?(?:function|\()|(\w+)\s*\("
)
_NOT_NAMES = frozenset(
    [
        "if",
        "for",
        "while",
        "switch",
        "return",
        "catch",
        "new",
        "function",
        "constructor",
    ]
)
_MARKS = re.compile(r"^[ \t]*(?:///?!?|\*+/?|/\*+|#+)[ \t]?", re.MULTILINE)
_MAX_DEFINITION_LINES = 300


class Definition(NamedTuple):
    """A definition: offsets of it and of its comment, without its indentation."""

    name: str
    owner: str
    doc: str
    doc_start: int
    doc_end: int
    start: int
    end: int
    is_type: bool


def find_definitions(path: str, text: str) -> list[Definition]:
    """Return the definitions of a file; those without a comment only for Python."""
    suffix = path[path.rfind(".") :]
    if suffix == ".py":
        return _python(text)
    if suffix in _LINE_COMMENTS:
        return list(_commented(text, _LINE_COMMENTS[suffix], ruby=suffix == ".rb"))
    if suffix in _BRACES:
        return list(_commented(text, _BLOCK_COMMENT))
    return []


def _commented(
    text: str, pattern: re.Pattern[str], *, ruby: bool = False
) -> Iterator[Definition]:
    for found in pattern.finditer(text):
        named = _NAMED.search(found["def"])
        name = next((n for n in named.groups() if n), "") if named else ""
        if not name or name in _NOT_NAMES:
            continue
        start = found.start("def")
        end = _ruby_end(text, start) if ruby else _brace_end(text, start)
        doc = _MARKS.sub("", found["doc"]).strip()
        is_type = bool(
            re.search(r"\b(?:class|struct|enum|trait|type|interface)\b", found["def"])
        )
        yield Definition(
            name, "", doc, found.start("doc"), found.end("doc"), start, end, is_type
        )


def _brace_end(text: str, start: int) -> int:
    line_end = text.find("\n", start) + 1 or len(text)
    depth, at, lines = 0, start, 0
    while at < len(text):
        char = text[at]
        if char == "{":
            depth += 1
        elif char == "}":
            depth -= 1
            if depth <= 0:
                return text.find("\n", at) + 1 or len(text)
        elif char == "\n":
            lines += 1
            if lines > _MAX_DEFINITION_LINES or (not depth and lines > 4):
                break
        elif char == ";" and not depth:
            return line_end
        at += 1
    return line_end


def _ruby_end(text: str, start: int) -> int:
    indent = re.match(r"[ \t]*", text[start:])
    closing = re.compile(rf"^{indent[0] if indent else ''}end\b[^\n]*\n?", re.MULTILINE)
    found = closing.search(text, start)
    return found.end() if found else text.find("\n", start) + 1 or len(text)


def _python(text: str) -> list[Definition]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return []
    lines = text.split("\n")
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    return list(_walk(tree, "", lines, starts))


def _walk(
    node: ast.AST, owner: str, lines: list[str], starts: list[int]
) -> Iterator[Definition]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If | ast.Try):
            yield from _walk(child, owner, lines, starts)
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        is_type = isinstance(child, ast.ClassDef)
        first = child.body[0]
        doc = ast.get_docstring(child) or ""
        before = lines[first.lineno - 1].encode()[: first.col_offset]
        # A docstring that is all there is has to stay, or the code would not parse.
        if before.strip() or len(child.body) == 1:
            doc = ""
        top = min([child.lineno, *(d.lineno for d in child.decorator_list)])
        yield Definition(
            name=child.name,
            owner=owner,
            doc=doc,
            doc_start=starts[first.lineno - 1],
            doc_end=starts[first.end_lineno or first.lineno],
            start=starts[top - 1],
            end=starts[child.end_lineno or child.lineno],
            is_type=is_type,
        )
        yield from _walk(child, child.name if is_type else owner, lines, starts)
