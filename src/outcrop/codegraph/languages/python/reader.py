"""Reading a Python file into constraints: names, scopes and what binds them."""

from __future__ import annotations

import builtins
import re
from collections import deque
from functools import cache
from sys import intern
from typing import TYPE_CHECKING, Any

from outcrop.codegraph.flow.constraints import NUMBERS, Call, Copy, ReadAttribute
from outcrop.codegraph.flow.encoded import NOTHING, Encoder
from outcrop.codegraph.flow.file_flow import FileFlow, LiteralValue, UnboundName
from outcrop.codegraph.languages.python import bindings, expressions, statements
from outcrop.codegraph.languages.python.calls import visit_call
from outcrop.codegraph.languages.python.scopes import Literal, Scope, Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import tree_sitter

    from outcrop.codegraph.flow.constraints import FileConstraint
    from outcrop.codegraph.flow.file_flow import FunctionFlow, Origin
    from outcrop.codegraph.parsed import ParsedImport, ParsedSymbol

_GLOBAL = re.compile(rb"^[ \t]*global[ \t]+([\w, \t]+)", re.MULTILINE)
_NONLOCAL = re.compile(rb"^[ \t]*nonlocal[ \t]+([\w, \t]+)", re.MULTILINE)
_BUILTINS = frozenset(dir(builtins))
# The constraints that are encoded as they are made, because nearly all are of these.
_CALL, _COPY, _READ_ATTRIBUTE = NUMBERS[Call], NUMBERS[Copy], NUMBERS[ReadAttribute]
_EXPRESSIONS = {**expressions.HANDLERS, "call": visit_call}


class Reader:
    """The state of reading one file; statements and expressions fill it in.

    The readers of statements, expressions and targets need each other. They call each
    other through `visit`, `block` and `bind`.
    """

    def __init__(
        self, data: bytes, text: str, symbols: Sequence[ParsedSymbol],
        places: dict[int, int], grammar: tree_sitter.Language,
    ) -> None:  # fmt: skip
        self._expressions = _by_number(grammar)
        self.data = data
        self.plain = text if len(text) == len(data) else None
        """The text where bytes are characters, as they are in most files."""
        self.symbols = symbols
        self.places = places
        self.variables = 0
        self.encoder = Encoder()
        self.origins: dict[int, Origin] = {}
        self.displays: dict[int, list[tuple[Any, int]]] = {}
        self.functions: dict[int, FunctionFlow] = {}
        self.members: dict[int, dict[str, int]] = {}
        self.bases: dict[int, tuple[int, ...]] = {}
        self.paths: dict[int, tuple[int, str]] = {}
        self.joined: list[int] = []
        self.external_calls: list[tuple[int, str]] = []
        self.calls: dict[tuple[int, int, bool], None] = {}
        """What is called, where: once for all calls of a name in one scope."""
        self.declared: list[tuple[int, int, int]] = []
        self.decorated: list[tuple[int, int, int, int, bool]] = []
        self.allowed: list[tuple[int, tuple[int | str, ...]]] = []
        self.keys: list[int] = []
        self.sites: set[int] = set()
        """Allocation sites of displays, by their variables."""
        self.lengths: dict[int, int] = {}
        """Variable of a list or tuple display -> how many items were written."""
        self.defaults: list[tuple[int | None, int]] = []
        """(literal, parameter) of default values."""
        self._literals: dict[str | int, int] = {}
        self.stars: list[tuple[str, int]] = []
        self.imports: list[ParsedImport] = []
        self.deferred: deque[Callable[[], None]] = deque()
        self.has_cast = b"cast(" in data
        self.has_isinstance = b"isinstance(" in data
        self.has_walrus = b":=" in data
        """Whether expressions may bind names too."""
        self.module = Scope(0, 0, None)
        self.scope = self.module
        self.builtin_names: dict[int, str] = {}
        self._names: dict[str, int] = {}
        self._rebound = {
            name.strip()
            for found in (_NONLOCAL.findall(data) if b"nonlocal" in data else ())
            for name in found.decode("utf-8", "replace").split(",")
        }
        """Names that some function assigns through `nonlocal`."""
        self.written: dict[str, int] = {}
        """Variables of module names that functions assign through `global`."""
        for found in _GLOBAL.findall(data) if b"global" in data else ():
            for name in found.decode("utf-8", "replace").split(","):
                self.written.setdefault(name.strip(), self.new_variable())

    # walking

    def visit(self, node: tree_sitter.Node) -> Value:
        """Read an expression and return its value."""
        handler = self._expressions.get(node.kind_id)
        if handler is not None:
            return handler(self, node)
        for child in node.named_children:
            self.visit(child)
        return None

    def block(self, node: tree_sitter.Node) -> bool:
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

    def bind(self, target: tree_sitter.Node, value: Value) -> None:
        """Bind an assignment's target to a value."""
        bindings.bind(self, target, value)

    # variables and constraints

    def new_variable(self) -> int:
        """Return a new variable."""
        self.variables += 1
        return self.variables - 1

    def constrain(self, variable: int, constraint: FileConstraint) -> None:
        """Add a constraint on a variable."""
        self.encoder.add(variable, constraint)

    def copy(self, value: Value, dst: int) -> None:
        """Let `dst` hold what `value` holds."""
        if isinstance(value, int) and value != dst:
            self.encoder.numbers += (value, _COPY, dst)

    def origin(self, origin: Origin) -> int:
        """Return a new variable that holds an object from the start."""
        variable = self.new_variable()
        self.origins[variable] = origin
        return variable

    def literal(self, value: str | int) -> int:
        """Return the variable of a literal, one for the whole file."""
        variable = self._literals.get(value)
        if variable is None:
            variable = self._literals[value] = self.origin(LiteralValue(value))
        return variable

    def join(self, values: Iterable[Value]) -> Value:
        """Return the union of values."""
        kept = list(dict.fromkeys(value for value in values if value is not None))
        if len(kept) <= 1:
            return kept[0] if kept else None
        variables = [value for value in kept if isinstance(value, int)]
        if len(variables) <= 1:
            return variables[0] if variables else None
        return self.join_into(self.new_variable(), variables)

    def join_into(self, variable: int, values: Iterable[Value]) -> int:
        """Let a variable with an uncertain binding hold all of the values."""
        self.joined.append(variable)
        for value in values:
            self.copy(value, variable)
        return variable

    # names

    def text(self, node: tree_sitter.Node) -> str:
        """Return the text of a node, nearly always a name.

        Names repeat: one string for each is sent, stored and looked up in less time.
        """
        start, end = node.start_byte, node.end_byte
        if self.plain is not None:
            return intern(self.plain[start:end])
        return intern(self.data[start:end].decode("utf-8", "replace"))

    def lookup(self, name: str) -> Value:
        """Return what a name means here."""
        scope = self.scope
        if self.written:
            if name in scope.global_names:
                return self.written.get(name)
            if scope is self.module and name in scope.env and name in self.written:
                return self.written[name]
        if name in scope.env:
            return scope.env[name]
        outer = scope.parent
        while outer is not None and outer is not self.module:
            if not outer.is_class and name in outer.env:
                return self._captured(outer, name)
            outer = outer.parent
        if name in self.written:
            return self.written[name]
        return self.module.env[name] if name in self.module.env else self.unbound(name)

    def _captured(self, scope: Scope, name: str) -> Value:
        """Return what an enclosing function's name may hold at any time."""
        variables = scope.bindings.get(name, ())
        if len(variables) <= 1:
            return variables[0] if variables else scope.env[name]
        joined = self.join(variables)
        if isinstance(joined, int):
            scope.bindings[name] = [joined]
        return joined

    def unbound(self, name: str) -> int:
        """Return the variable of a name that nothing in this file binds."""
        variable = self._names.get(name)
        if variable is None:
            variable = self._names[name] = self.origin(UnboundName(name))
            if name in _BUILTINS and not self.stars:
                self.builtin_names[variable] = name
        return variable

    def assign(self, name: str, value: Value) -> None:
        """Bind a name in the current scope."""
        scope = self.scope
        if name in scope.global_names or (
            scope is self.module and name in self.written
        ):
            self.copy(value, self.written.setdefault(name, self.new_variable()))
            if scope is self.module:
                scope.bind(name, value)
            return
        if name in self._rebound:
            self._rebind(name, value)
            return
        shared = scope.env.get(name) if name in scope.looping else None
        if isinstance(shared, int):
            self.copy(value, shared)
            return
        scope.bind(name, value)

    def _rebind(self, name: str, value: Value) -> None:
        """Bind a name that an inner function may set too: one variable for all."""
        scope: Scope | None = self.scope
        if name in self.scope.outer_names:
            scope = self.scope.parent
            while scope is not None and (scope.is_class or name not in scope.env):
                scope = scope.parent
        if scope is None:
            return
        shared = scope.env.get(name)
        if not isinstance(shared, int):
            shared = self.join_into(self.new_variable(), [])
            scope.bind(name, shared)
        self.copy(value, shared)

    def attribute(self, target: int, name: str) -> int:
        """Return the variable of an attribute, the same one for each read."""
        key = (target, name)
        scope = self.scope
        if target in self.sites:
            scope.items.clear()
        variable = scope.attributes.get(key)
        if variable is None:
            variable = scope.attributes[key] = self.variables
            self.variables = variable + 1
            encoder = self.encoder
            place = encoder.constant(name)
            encoder.numbers += (target, _READ_ATTRIBUTE, variable, place, scope.caller)
            self.paths[variable] = key
        return variable

    def call(
        self, callee: Value, args: Sequence[int | None],
        kwargs: Sequence[tuple[str, int]] = (), star: int | None = None,
        dstar: int | None = None,
    ) -> Value:  # fmt: skip
        """Return the result of a call."""
        if not isinstance(callee, int):
            return None
        dst = self.new_variable()
        caller = self.scope.caller
        if self.scope.items:
            self._forget_items(args)
        encoder = self.encoder
        encoder.numbers += (callee, _CALL, dst)
        encoder.add_variables(args)
        encoder.add_named(kwargs)
        encoder.numbers += (
            NOTHING if star is None else star,
            NOTHING if dstar is None else dstar,
            caller,
        )
        self.calls[callee, caller, False] = None
        return dst

    def _forget_items(self, args: Sequence[int | None]) -> None:
        """Forget what containers hold that a call may change."""
        if self.scope is self.module:
            self.scope.items.clear()
            return
        for owner, key in list(self.scope.items):
            if owner in args:
                del self.scope.items[owner, key]

    def give_back(self, value: Value) -> None:
        """Return a value from the current function."""
        scope = self.scope
        if scope.result is None or not isinstance(value, int):
            return
        position = scope.parameters.get(value)
        if position is None:
            self.copy(value, scope.result)
        elif position not in scope.passed:
            scope.passed.append(position)

    # results

    def finish(self) -> FileFlow:
        """Read the deferred function bodies and return the values of the file."""
        while self.deferred:
            self.deferred.popleft()()
        keys = set(self.keys)
        for literal, parameter in self.defaults:
            if parameter in keys and literal is not None:
                self.copy(literal, parameter)
        exports = self.close(self.module)
        for name, value in self.module.env.items():
            if isinstance(value, Literal):
                exports[name] = self.literal(value.value)
        for name, variable in self.written.items():
            if name in exports or name in self.module.bindings:
                exports[name] = variable
            self.joined.append(variable)
        self.members[0] = exports
        return FileFlow(
            self.variables, *self.encoder.finish(), self.origins, self.displays,
            self.functions, self.members, self.bases, self.paths, self.joined,
            self.external_calls, list(self.calls), self.declared, self.allowed,
            self.decorated, list(self._literals.values()), self.keys, self.stars,
        )  # fmt: skip

    @staticmethod
    def close(scope: Scope) -> dict[str, int]:
        """Return the names a scope binds, as they are at its end."""
        return {
            name: value for name, value in scope.env.items() if isinstance(value, int)
        }


@cache
def _by_number(
    grammar: tree_sitter.Language,
) -> dict[int, Callable[[Reader, tree_sitter.Node], Value]]:
    """Return the readers of expressions by the grammar's number of each type.

    A number is looked up in half the time that a name takes.
    """
    return {
        number: _EXPRESSIONS[name]
        for number in range(grammar.node_kind_count)
        if grammar.node_kind_is_named(number)
        and (name := grammar.node_kind_for_id(number)) in _EXPRESSIONS
    }
