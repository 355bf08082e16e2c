"""Walking the syntax tree of a Python file: one reader for each type of node."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from outcrop.codegraph.languages.python import expressions, statements, targets
from outcrop.codegraph.languages.python.calls import visit_call
from outcrop.codegraph.languages.python.reader import Reader

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tree_sitter import Language, Node

    from outcrop.codegraph.languages.python.scopes import Value
    from outcrop.codegraph.parsed import ParsedSymbol

_EXPRESSIONS = {**expressions.HANDLERS, "call": visit_call}


class Walker(Reader):
    """Reads one file, from its tree."""

    def __init__(
        self, data: bytes, text: str, symbols: Sequence[ParsedSymbol],
        places: dict[int, int], grammar: Language,
    ) -> None:  # fmt: skip
        super().__init__(data, text, symbols, places)
        self._expressions = _by_number(grammar)

    def visit(self, node: Node) -> Value:
        """Read an expression and return its value."""
        handler = self._expressions.get(node.kind_id)
        if handler is not None:
            return handler(self, node)
        for child in node.named_children:
            self.visit(child)
        return None

    def block(self, node: Node) -> bool:
        """Read the statements of a block; return whether its end is never reached."""
        ended = False
        self.scope.items.clear()
        for child in node.named_children:
            kind = child.type
            handler = statements.HANDLERS.get(kind)
            if handler is not None:
                handler(self, child)
            else:
                self.visit(child)
            if kind in statements.ENDINGS:
                ended = True
        self.scope.items.clear()
        return ended

    def bind(self, target: Node, value: Value) -> None:
        """Bind an assignment's target to a value."""
        targets.bind(self, target, value)


@cache
def _by_number(grammar: Language) -> dict[int, Callable[[Reader, Node], Value]]:
    """Return the readers of expressions by the grammar's number of each type.

    A number is looked up in half the time that a name takes.
    """
    return {
        number: _EXPRESSIONS[name]
        for number in range(grammar.node_kind_count)
        if grammar.node_kind_is_named(number)
        and (name := grammar.node_kind_for_id(number)) in _EXPRESSIONS
    }
