"""Calls that may register web routes, found by a language's `routes.scm`.

The query captures `@call`, its `@callee` and its `@arguments`. What a call means is
decided in `endpoints`; this module only records its parts.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from outcrop.codegraph.parsed import ParsedRoute
from outcrop.codegraph.syntax_tree import text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    import tree_sitter

    from outcrop.codegraph.language import Language
    from outcrop.codegraph.parsed import ParsedSymbol
    from outcrop.codegraph.source import Source

_MAX_ARGUMENT_LENGTH = 300
_MAX_SPANS = 60
"""With more calls than this, searching the whole file is faster."""
_CALLS = frozenset({"call", "call_expression"})
_NAME_FIELDS = ("name", "left", "pattern")
_ASSIGNING = frozenset({
    "assignment", "assignment_expression", "property_declaration",
    "short_var_declaration", "variable_declarator", "var_spec",
})  # fmt: skip


@cache
def route_query(language: Language) -> tree_sitter.Query | None:
    """Load the query that finds routes, where the language has one."""
    from tree_sitter import Query

    text = language.query_text("routes.scm")
    return Query(language.tree_language, text) if text else None


def read_routes(
    language: Language, root: tree_sitter.Node, source: Source,
    symbols: list[ParsedSymbol], places: dict[int, int],
) -> list[ParsedRoute]:  # fmt: skip
    """Return the calls of a file that may register routes."""
    if not any(mark in source.data for mark in language.route_marks):
        return []
    query = route_query(language)
    if query is None:
        return []
    found = []
    for captures in _matches(language, query, root, source.data):
        call, callee = captures["call"][0], captures["callee"][0]
        arguments = captures.get("arguments", [])
        start = source.character(call.start_byte)
        nodes = [n for a in arguments for n in a.named_children if n.type != "comment"]
        found.append(
            ParsedRoute(
                callee=text_of(callee),
                arguments=tuple(text_of(n)[:_MAX_ARGUMENT_LENGTH] for n in nodes),
                target=_target(call),
                around=tuple(_around(call)),
                symbol=_enclosing(symbols, start),
                handler=_handler(call, nodes, places),
                start=start,
                end=source.character(call.end_byte),
                line_start=call.start_point.row + 1,
                line_end=call.end_point.row + 1,
            )
        )
    return found


def _matches(
    language: Language, query: tree_sitter.Query, root: tree_sitter.Node, data: bytes
) -> Iterator[dict[str, list[tree_sitter.Node]]]:
    """Yield the matches of a query, looking only where there may be some."""
    from tree_sitter import QueryCursor

    pattern = language.route_calls
    spans = [m.span() for m in pattern.finditer(data)] if pattern is not None else []
    if pattern is None or len(spans) > _MAX_SPANS:
        yield from (captures for _, captures in QueryCursor(query).matches(root))
        return
    seen: set[int] = set()
    for start, end in spans:
        cursor = QueryCursor(query)
        cursor.set_byte_range(start, end)
        for _, captures in cursor.matches(root):
            call = captures["call"][0].id
            if call not in seen:
                seen.add(call)
                yield captures


def _enclosing(symbols: list[ParsedSymbol], offset: int) -> int:
    best = 0
    for index, symbol in enumerate(symbols):
        if symbol.start <= offset < symbol.end and symbol.kind != "FIELD":
            best = index
    return best


def _handler(
    call: tree_sitter.Node, arguments: list[tree_sitter.Node], places: dict[int, int]
) -> int:
    """Return the last function without a name among the arguments, or after them."""
    trailing = [
        inner
        for child in call.named_children
        if child.type == "annotated_lambda"
        for inner in child.named_children
    ]
    nodes = [*arguments, *(n for a in arguments for n in a.named_children), *trailing]
    known = [places[node.id] for node in nodes if node.id in places]
    return known[-1] if known else -1


def _target(call: tree_sitter.Node) -> str:
    above = call.parent
    for _ in range(3):
        if above is None:
            return ""
        if above.type in _ASSIGNING:
            for field in _NAME_FIELDS:
                found = above.child_by_field_name(field)
                if found is not None:
                    return text_of(found)
            return text_of(above.named_children[0])
        above = above.parent
    return ""


def _around(call: tree_sitter.Node) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    above = call.parent
    while above is not None:
        if above.type in _CALLS and above.named_child_count > 1:
            inner = above
            if inner.named_children[0].type == "call_expression":
                inner = inner.named_children[0]
            callee = text_of(inner.named_children[0])
            rest = inner.named_children[1].named_children
            if "\n" not in callee:
                found.insert(
                    0, (callee, text_of(rest[0])[:_MAX_ARGUMENT_LENGTH] if rest else "")
                )
        above = above.parent
    return found
