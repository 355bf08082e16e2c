"""Parsing one file: its syntax tree, its definitions, the values in its code."""

from __future__ import annotations

import hashlib
import sys
from contextlib import contextmanager
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from outcrop.codegraph.languages import language as language_named
from outcrop.codegraph.names import MAX_NAME_CHARS, MAX_NESTING, bounded_name
from outcrop.codegraph.outline import file_symbol, read_outline
from outcrop.codegraph.parsed import ParsedFile, ParsedImport
from outcrop.codegraph.routes import read_routes, route_query
from outcrop.codegraph.source import Source
from outcrop.codegraph.syntax_tree import parse_tree

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import tree_sitter

    from outcrop.codegraph.language import Language
    from outcrop.codegraph.parsed import ParsedSymbol

MAX_RECURSION = 6000
"""Deepest nesting of calls while reading; real code stays far below it."""
MAX_READ_BYTES = 2_000_000
"""Bytes above which a file gives definitions alone: such files are generated."""
_TOO_LONG = "parsing it takes too long: it is cut at lines, without definitions"
_TOO_DEEP = f"definitions nested more than {MAX_NESTING} deep are not listed"


def digest(raw: bytes) -> str:
    """Return the fingerprint of a file's content."""
    return hashlib.blake2b(raw, digest_size=16).hexdigest()


def prepare(lang: str) -> None:
    """Load what parsing a language needs.

    Raises:
        MissingExtraError: The grammar is not installed.
    """
    parse_file("empty", lang, b"\n")
    route_query(language_named(lang))


def parse_file(path: str, lang: str, raw: bytes) -> ParsedFile:
    """Return what a file says.

    Args:
        path: POSIX path relative to the root of the graph.
        lang: Name of the language.
        raw: The content of the file.

    Raises:
        MissingExtraError: The grammar is not installed.
    """
    language = language_named(lang)
    source = Source(raw)
    stem = PurePosixPath(path).stem
    root = parse_tree(language, source.data)
    if root is None:
        return _without_syntax(path, lang, raw, source, stem)
    outline = read_outline(language, root, source, stem)
    symbols, places = outline.symbols, outline.places
    imports, body, fallback = _read(language, root, source, symbols, places)
    return ParsedFile(
        path=path,
        lang=lang,
        digest=digest(raw),
        text=source.text,
        package=bounded_name(language.package(root)),
        symbols=symbols,
        imports=imports,
        body=body,
        routes=read_routes(language, root, source, symbols, places),
        has_errors=root.has_error,
        fallback=fallback or (_TOO_DEEP if outline.is_cut else ""),
    )


def _without_syntax(
    path: str, lang: str, raw: bytes, source: Source, stem: str
) -> ParsedFile:
    """Return the facts of a file whose text alone is known."""
    return ParsedFile(
        path=path,
        lang=lang,
        digest=digest(raw),
        text=source.text,
        package="",
        symbols=[file_symbol(source.text, stem)],
        imports=[],
        body=None,
        routes=[],
        has_errors=False,
        fallback=_TOO_LONG,
    )


def _read(
    language: Language, root: tree_sitter.Node, source: Source,
    symbols: Sequence[ParsedSymbol], places: dict[int, int],
) -> tuple[list[ParsedImport], Any, str]:  # fmt: skip
    if len(source.data) > MAX_READ_BYTES:
        return [], None, f"larger than {MAX_READ_BYTES} bytes"
    try:
        imports, body = language.read(root, source, symbols, places)
    except RecursionError:
        return [], None, "nested too deeply"
    # Many names may be imported from one path, and each would repeat it.
    is_long = [len(each.path) > MAX_NAME_CHARS for each in imports]
    if any(is_long):
        imports = [each._replace(path=bounded_name(each.path)) for each in imports]
    return imports, body, ""


@contextmanager
def deep_recursion() -> Iterator[None]:
    """Allow deeper recursion than usual, for code that nests deeply."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, MAX_RECURSION))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
