"""The definitions of one file, found by its language's query."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from outcrop.codegraph.names import MAX_NESTING, bounded_name
from outcrop.codegraph.parsed import ParsedSymbol

if TYPE_CHECKING:
    import tree_sitter

    from outcrop.codegraph.language import Capture, Language
    from outcrop.codegraph.source import Source

KINDS = {
    "package": "PACKAGE",
    "class": "CLASS",
    "interface": "INTERFACE",
    "enum": "ENUM",
    "function": "FUNCTION",
    "method": "METHOD",
    "field": "FIELD",
    "lambda": "LAMBDA",
    "module": "MODULE",
    "object": "FIELD",
}
_COMMENT_MARK = re.compile(r"#|//|/\*|--")
_CALLABLE = frozenset({"FUNCTION", "METHOD", "LAMBDA"})
_TYPES = frozenset({"CLASS", "INTERFACE", "ENUM"})


class Outline(NamedTuple):
    """The definitions of a file."""

    symbols: list[ParsedSymbol]
    """The symbols, the file itself first."""
    places: dict[int, int]
    """The id of each definition's node to the index of its symbol."""
    is_cut: bool
    """Whether definitions were left out because they are nested too deeply."""


class _Definition(NamedTuple):
    kind: str
    node: tree_sitter.Node
    extent: tree_sitter.Node
    name: str
    body: tree_sitter.Node | None
    is_owner: bool


def file_symbol(text: str, name: str, doc: str = "") -> ParsedSymbol:
    """Return the symbol that stands for a whole file."""
    lines = text.count("\n") + (not text.endswith("\n"))
    return ParsedSymbol(
        "MODULE", name, -1, 0, len(text), 1, max(lines, 1), "", doc, (), "public", (),
        "", (), (),
    )  # fmt: skip


def read_outline(
    language: Language, root: tree_sitter.Node, source: Source, stem: str
) -> Outline:
    """Return the definitions of a file in the order of their places.

    Definitions nested deeper than `MAX_NESTING` are left out.

    Args:
        language: The language of the file.
        root: Its tree.
        source: Its text.
        stem: The name of the symbol that stands for the file.
    """
    doc = language.doc(root, root) if language.file_is_module else ""
    symbols, places = [file_symbol(source.text, stem, doc)], {root.id: 0}
    open_symbols: list[tuple[int, int, int]] = [(0, len(source.data) + 1, 0)]
    """(symbol, where it ends, where its body starts) of the symbols around."""
    lambdas: dict[int, int] = {}
    fields: set[tuple[int, str]] = set()
    captured = language.definitions(root, source)
    listed = _without_deepest(captured)
    for definition in _definitions(language, source, listed):
        while open_symbols[-1][1] <= definition.extent.start_byte:
            open_symbols.pop()
        parent = open_symbols[-1][0]
        if definition.kind == "LAMBDA" and language.scopes_are_bodies:
            start = definition.node.start_byte
            parent = next(s for s, _, body in reversed(open_symbols) if body <= start)
        name = definition.name
        if definition.kind == "LAMBDA":
            lambdas[parent] = lambdas.get(parent, 0) + 1
            name = f"<lambda{lambdas[parent]}>"
        if language.belongs_to_type(definition.node):
            parent = max(symbols[parent].parent, 0)
        kind = language.refine(definition.kind, definition.node, symbols[parent].kind)
        if not kind:
            continue
        if kind == "FIELD":
            if symbols[parent].kind in _CALLABLE or (parent, name) in fields:
                continue
            fields.add((parent, name))
        places[definition.node.id] = len(symbols)
        if kind != "FIELD" or definition.is_owner:
            body = definition.body or definition.node
            row = (len(symbols), definition.extent.end_byte, body.start_byte)
            open_symbols.append(row)
        symbols.append(_symbol(language, source, definition, kind, name, parent,
                               member=symbols[parent].kind in _TYPES))  # fmt: skip
    return Outline(symbols, places, len(listed) < len(captured))


def _without_deepest(captured: list[Capture]) -> list[Capture]:
    """Leave out what is nested too deeply, before anything else is read of it.

    The parent of a syntax node is looked for from the root, so that each question about
    a deep one takes time.
    """
    if len(captured) <= MAX_NESTING:
        return captured
    deep: set[int] = set()
    around: list[tuple[int, int]] = []
    for capture, node, *_ in sorted(captured, key=_span):
        span = (node.start_byte, node.end_byte)
        while around and around[-1][1] <= span[0]:
            around.pop()
        if around and around[-1] == span:
            continue  # the same definition, captured twice
        if len(around) >= MAX_NESTING:
            deep.add(node.id)
        elif KINDS.get(capture) != "FIELD" or capture == "object":
            around.append(span)
    return [each for each in captured if each[1].id not in deep]


def _span(captured: Capture) -> tuple[int, int]:
    """Order definitions by where they start, and an outer one before an inner one."""
    return captured[1].start_byte, -captured[1].end_byte


def _definitions(
    language: Language, source: Source, captured: list[Capture]
) -> list[_Definition]:
    found: dict[int, _Definition] = {}
    for capture, node, name, body in captured:
        kind = KINDS.get(capture)
        if kind is None:
            continue
        known = found.get(node.id)
        weaker = known is not None and known.kind == "LAMBDA" != kind
        if known is None or weaker or capture == "object":
            named = "" if name is None else source.slice(name.start_byte, name.end_byte)
            found[node.id] = _Definition(
                kind, node, language.extent(node), named, body, capture == "object"
            )
    return sorted(
        found.values(), key=lambda d: (d.extent.start_byte, -d.extent.end_byte)
    )


def _before_comments(language: Language, body: tree_sitter.Node) -> tree_sitter.Node:
    """Return the first of the comments right before a body, or else the body."""
    first = body
    while (before := first.prev_sibling) and before.type in language.comment_types:
        first = before
    return first


def _symbol(
    language: Language, source: Source, definition: _Definition, kind: str, name: str,
    parent: int, *, member: bool,
) -> ParsedSymbol:  # fmt: skip
    node, extent, body = definition.node, definition.extent, definition.body
    modifiers = language.modifiers(node)
    owner = bounded_name(language.owner(node))
    if owner:
        modifiers = (*modifiers, f"owner:{owner}")
    start, end = extent.start_byte, extent.end_byte
    first_row, (last_row, last_column) = extent.start_point[0], extent.end_point
    signature, doc = "", ""
    annotations: tuple[str, ...] = ()
    if kind != "LAMBDA":
        first = language.signature_start(extent if kind == "FIELD" else node)
        stop = body.start_byte if body is not None else end
        written = source.slice(first, stop)
        if body is not None and _COMMENT_MARK.search(written):
            written = source.slice(first, _before_comments(language, body).start_byte)
        signature = written.rstrip(" \t\r\n{=:;,")
        signature = signature.removesuffix("=>").rstrip()
        doc, annotations = language.doc(extent, body), language.annotations(node)
    callable_, is_type = kind in _CALLABLE, kind in _TYPES
    return ParsedSymbol(
        kind, name, parent, source.character(start), source.character(end),
        first_row + 1, max(last_row + (last_column > 0), first_row + 1),
        signature, doc, annotations,
        language.visibility(name, modifiers, member=member),
        language.parameters(node) if callable_ or is_type else (),
        language.returns(node) if callable_ or kind == "FIELD" else "",
        language.bases(node) if is_type else (),
        modifiers,
    )  # fmt: skip
