"""Reading code into variables, calls and the expressions they are made of.

An expression is a tuple: a word and its parts.

- `("var", n)`: variable n of the file; `("name", text)`: any other name
- `("this",)`, `("super",)`: the receiver
- `("get", expression, name)`: a member
- `("call", expression, arguments)`, `("new", type, arguments)`
- `("cast", type)`: a value of a type as written; `("lit", type)`: a literal
- `("item", expression)`: an element; `("unwrap", expression)`: awaited, or `?`
- `("fn", symbol)`: a function without a name
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from outcrop.codegraph.parsed import ParsedCode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tree_sitter import Node

    from outcrop.codegraph.parsed import ParsedImport, ParsedSymbol

Expression = tuple[Any, ...]

# Methods that call the function they are given with their receiver.
SELF_LAMBDAS = frozenset({"also", "let", "takeIf", "takeUnless"})

# Methods that call the function they are given with the elements of their receiver.
ELEMENT_LAMBDAS = frozenset({
    "All", "Any", "First", "FirstOrDefault", "ForEach", "OrderBy", "Select", "Where",
    "all", "allMatch", "any", "anyMatch", "associateBy", "every", "filter", "find",
    "findIndex", "first", "firstOrNull", "flatMap", "forEach", "for_each", "groupBy",
    "map", "mapNotNull", "none", "onEach", "removeIf", "some", "sort_by_key",
    "sortedBy", "sumOf",
})  # fmt: skip


class TypedReader:
    """The state of reading one file; a language's handlers fill it in."""

    def __init__(
        self,
        data: bytes,
        symbols: Sequence[ParsedSymbol],
        places: dict[int, int],
        handlers: Mapping[str, Callable[[TypedReader, Node], Expression | None]],
        blocks: frozenset[str],
        *,
        field_callers: bool = False,
    ) -> None:
        self.data = data
        self._plain = data.decode("ascii") if data.isascii() else None
        """The text where bytes are characters, as they are in most files."""
        self.symbols = symbols
        self.places = places
        self.handlers = handlers
        self.blocks = blocks
        self.imports: list[ParsedImport] = []
        self.variables: list[tuple[str, Expression | None, int]] = []
        self.calls: list[tuple[int, Expression]] = []
        self.exports: list[tuple[str, ...]] = []
        self.results: dict[int, Expression] = {}
        self.assigned: dict[tuple[int, str], tuple[Expression, int]] = {}
        self.field_callers = field_callers
        self._element: Expression | None = None
        self.symbol = 0
        self._scopes: list[dict[str, int]] = [{}]
        self._entered: set[int] = set()

    def text(self, node: Node | None) -> str:
        """Return the text of a node, nothing for no node."""
        if node is None:
            return ""
        if self._plain is not None:
            return self._plain[node.start_byte : node.end_byte]
        return self.data[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def field(self, node: Node, name: str) -> str:
        """Return the text of a node's field."""
        return self.text(node.child_by_field_name(name))

    # walking

    def visit(self, node: Node | None) -> Expression | None:
        """Read code and return the expression it is, if it is one."""
        if node is None:
            return None
        index = self.places.get(node.id)
        if index is not None and index not in self._entered:
            return self._enter(node, index)
        handler = self.handlers.get(node.type)
        if handler is not None:
            return handler(self, node)
        return self.walk(node)

    def walk(self, node: Node) -> Expression | None:
        """Read the parts of a node; the value of a single part is its own."""
        if node.type in self.blocks:
            self._scopes.append({})
            self.visit_all(node.named_children)
            self._scopes.pop()
            return None
        children = node.named_children
        if len(children) == 1:
            return self.visit(children[0])
        self.visit_all(children)
        return None

    @contextmanager
    def block(self) -> Iterator[None]:
        """Open a scope that ends with the `with` block."""
        self._scopes.append({})
        yield
        self._scopes.pop()

    def visit_all(self, nodes: Iterable[Node]) -> list[Expression | None]:
        """Read several nodes."""
        return [self.visit(node) for node in nodes]

    def _enter(self, node: Node, index: int) -> Expression | None:
        self._entered.add(index)
        symbol = self.symbols[index]
        element, self._element = self._element, None
        outer = self.symbol
        if symbol.kind != "FIELD" or (self.field_callers and symbol.parent == 0):
            self.symbol = index
        self._scopes.append({})
        for position, parameter in enumerate(symbol.parameters):
            type_ = f"{parameter.type}[]" if parameter.variadic else parameter.type
            inferred = not type_ and position == 0 and symbol.kind == "LAMBDA"
            self.declare(parameter.name, type_, element if inferred else None)
        value = self.visit(node)
        self._scopes.pop()
        if symbol.kind == "FIELD" and value is not None:
            self.assign(symbol.parent, symbol.name, value)
        self.symbol = outer
        return ("fn", index) if symbol.kind == "LAMBDA" else None

    # names

    def declare(
        self, name: str, type_: str = "", value: Expression | None = None
    ) -> None:
        """Declare a variable from here to the end of its block."""
        if name and name != "_":
            self._scopes[-1][name] = len(self.variables)
            self.variables.append((type_, value, self.symbol))

    def name(self, name: str) -> Expression:
        """Return the expression of a name."""
        for scope in reversed(self._scopes):
            if name in scope:
                return ("var", scope[name])
        return ("name", name)

    def assign(self, owner: int, name: str, value: Expression) -> None:
        """Note what a field is set to; the first time counts."""
        self.assigned.setdefault((owner, name), (value, self.symbol))

    def give(self, value: Expression | None) -> None:
        """Note what the current function returns; the first time counts."""
        if value is not None:
            self.results.setdefault(self.symbol, value)

    # expressions

    def call(
        self,
        callee: Expression | None,
        arguments: Node | None,
        trailing: Node | None = None,
    ) -> Expression:
        """Record a call and return its result.

        Args:
            callee: What is called.
            arguments: The arguments in parentheses.
            trailing: One more argument, written after them.
        """
        if callee is not None and callee[0] == "get" and callee[2] in ELEMENT_LAMBDAS:
            self._element = ("item", callee[1])
        elif callee is not None and callee[0] == "get" and callee[2] in SELF_LAMBDAS:
            self._element = callee[1]
        given = self.arguments(arguments)
        if trailing is not None:
            given = (*given, self.visit(trailing) or ("unknown",))
        self._element = None
        found = ("call", callee or ("unknown",), given)
        self.calls.append((self.symbol, found))
        return found

    def new(self, type_: str, arguments: Node | None) -> Expression:
        """Record the making of an object and return it."""
        found = ("new", type_, self.arguments(arguments))
        self.calls.append((self.symbol, found))
        return found

    def arguments(self, node: Node | None) -> tuple[Expression, ...]:
        """Return the arguments of a call."""
        if node is None:
            return ()
        # A list, not a generator: that would nest on the stack of the interpreter.
        found = [
            self.visit(child) or ("unknown",)
            for child in node.named_children
            if "comment" not in child.type
        ]
        return tuple(found)

    def finish(self) -> ParsedCode:
        """Return what the resolver needs."""
        return ParsedCode(
            self.variables, self.calls, self.exports, self.results, self.assigned
        )
