"""What expressions mean: the type of a receiver, the functions that a call runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from outcrop.codegraph.typed.overloads import choose
from outcrop.codegraph.typed.types import ARRAY, Type, parse_type
from outcrop.codegraph.typed.world import Entity

if TYPE_CHECKING:
    from outcrop.codegraph.typed.dialect import Dialect
    from outcrop.codegraph.typed.world import World

Expression = tuple[Any, ...]

MAX_CHAIN = 1000
"""Expressions one behind the other that are followed: `b = a`, `c = b` and so on."""


class Evaluator:
    """Works out expressions of one file after the other, each once."""

    def __init__(self, world: World, dialect: Dialect) -> None:
        self.world = world
        self.dialect = dialect
        self._depth = 0
        """How many expressions wait for what this one means."""
        self._values: dict[tuple[int, int], Entity | None] = {}
        self._results: dict[tuple[int, tuple[Any, ...]], Entity | None] = {}

    def evaluate(self, expression: Expression, number: int) -> Entity | None:
        """Return what an expression in the code of a symbol means."""
        handler = _KINDS.get(expression[0])
        if handler is None or self._depth > MAX_CHAIN:
            return None
        self._depth += 1
        found = handler(self, expression, number)
        self._depth -= 1
        return found

    # variables and names

    def _variable(self, expression: Expression, number: int) -> Entity | None:
        index = self.world.file(number)
        key = (index, expression[1])
        if key in self._values:
            return self._values[key]
        self._values[key] = None
        start = self.world.table.starts[index]
        type_, value, local = self.world.table.files[index].body.variables[
            expression[1]
        ]
        found = None
        if type_ and type_ not in self.dialect.inferred_types:
            found = self.of_type(parse_type(type_), start + local)
        elif value is not None:
            found = self.evaluate(value, start + local)
            if found is not None and not self.dialect.static:
                found = found._replace(inferred=True)
        self._values[key] = found
        return found

    def _name(self, expression: Expression, number: int) -> Entity | None:
        found = self.world.find_name(expression[1], number)
        if found is None:
            return self.dialect.builtin(expression[1], self.world, number)
        return self._field(found) if found.kind == "field" else found

    def _field(self, found: Entity, owner: Entity | None = None) -> Entity | None:
        """Return the value that a field holds."""
        field = found.symbols[0]
        symbol = self.world.symbol(field)
        if self.world.members.get(field):
            return Entity("type", (field,))
        key = (field, ("field",))
        if symbol.returns and symbol.returns not in self.dialect.inferred_types:
            type_ = self._substitute(parse_type(symbol.returns), field, owner)
            return self.of_type(type_, field)
        if key in self._results:
            return self._results[key]
        self._results[key] = None
        owner_symbol = self.world.table.parents[field]
        self._results[key] = self._assigned(owner_symbol, symbol.name)
        return self._results[key]

    def _assigned(self, owner: int, name: str) -> Entity | None:
        """Return what a field that no type describes is set to."""
        index = self.world.file(owner)
        start = self.world.table.starts[index]
        body = self.world.table.files[index].body
        found = body.assigned.get((owner - start, name)) if body is not None else None
        if found is None:
            return None
        result = self.evaluate(found[0], start + found[1])
        if result is not None and not self.dialect.static:
            result = result._replace(inferred=True)
        return result

    # types

    def of_type(self, type_: Type, number: int) -> Entity | None:
        """Return a value of a written type."""
        if type_.name in self.dialect.transparent and type_.arguments:
            return self.of_type(type_.arguments[-1], number)
        found: Entity | None = Entity("external", name=type_.name)
        plain = type_.name in self.dialect.primitives and not self.dialect.builtins.get(
            type_.name
        )
        if (
            type_.name != ARRAY
            and type_.name not in self.dialect.wrappers
            and not plain
        ):
            found = self.find_type(type_, number)
        if found is None and type_.arguments:
            found = Entity("external")
        if found is None or found.kind not in {"type", "external"}:
            return None
        kind = "value" if found.kind == "type" else "external value"
        return found._replace(kind=kind, arguments=type_.arguments, home=number)

    def find_type(self, type_: Type, number: int) -> Entity | None:
        """Return the type that a written type names."""
        if type_.name == "Self":
            own = self.enclosing_type(number)
            return Entity("type", (own,)) if own >= 0 else None
        found = self.world.find_type(type_, number)
        return found or self.dialect.builtin(type_.name, self.world, number)

    def _substitute(self, type_: Type, member: int, owner: Entity | None) -> Type:
        """Replace a type parameter of a member's class by the owner's argument."""
        if owner is None or not owner.arguments or type_.arguments:
            return type_
        parent = self.world.table.parents[member]
        if parent < 0:
            return type_
        names = self.dialect.type_parameters(self.world.symbol(parent))
        if type_.name in names:
            position = names.index(type_.name)
            if position < len(owner.arguments):
                return owner.arguments[position]
        return type_

    def _item(self, expression: Expression, number: int) -> Entity | None:
        return self._inside(self.evaluate(expression[1], number))

    def _inside(self, owner: Entity | None) -> Entity | None:
        """Return what a container holds: the last of its type arguments."""
        if owner is None or not owner.arguments or owner.home < 0:
            return None
        return self.of_type(owner.arguments[-1], owner.home)

    def _unwrap(self, expression: Expression, number: int) -> Entity | None:
        found = self.evaluate(expression[1], number)
        if found is None or found.kind != "external value" or not found.arguments:
            return found
        last = found.name.rpartition(self.world.separator)[2]
        if last in self.dialect.wrappers:
            return self.of_type(found.arguments[0], found.home)
        return found

    def _cast(self, expression: Expression, number: int) -> Entity | None:
        return self.of_type(parse_type(expression[1]), number)

    def _literal(self, expression: Expression, number: int) -> Entity | None:
        del number
        name = self.dialect.literals.get(expression[1])
        return Entity("external value", name=name) if name else None

    # receivers

    def _this(self, expression: Expression, number: int) -> Entity | None:
        del expression
        current = number
        while current >= 0:
            for modifier in self.world.symbol(current).modifiers:
                if modifier.startswith("receiver:"):
                    return self.of_type(parse_type(modifier[9:]), current)
            current = self.world.table.parents[current]
        type_ = self.enclosing_type(number)
        return Entity("value", (type_,)) if type_ >= 0 else None

    def _type_of(self, expression: Expression, number: int) -> Entity | None:
        """Return the class of `this` or `super`, whose constructor is meant."""
        found = self.evaluate(expression[1], number)
        if found is not None and found.kind == "value":
            return Entity("type", found.symbols)
        if found is not None and found.kind == "external value":
            return Entity("external", name=found.name)
        return None

    def enclosing_type(self, number: int) -> int:
        """Return the type whose code a symbol's code is, or -1."""
        current = number
        while current >= 0:
            owner = self.world.owner_of(current)
            if owner >= 0:
                return owner
            if self.world.symbol(current).kind in {
                "CLASS",
                "INTERFACE",
                "ENUM",
                "FIELD",
            }:
                return current
            current = self.world.table.parents[current]
        return -1

    def _super(self, expression: Expression, number: int) -> Entity | None:
        del expression
        type_ = self.enclosing_type(number)
        if type_ < 0:
            return None
        bases = self.world.bases(type_)
        ordered = sorted(bases, key=lambda base: base[0] != "extends")
        for _, base in ordered:
            if base.kind == "type":
                return Entity("value", base.symbols)
            return Entity("external value", name=base.name)
        return None

    def _new(self, expression: Expression, number: int) -> Entity | None:
        return self.of_type(parse_type(expression[1]), number)

    # members and calls

    def _get(self, expression: Expression, number: int) -> Entity | None:
        owner = self.evaluate(expression[1], number)
        return self.member(owner, expression[2], number)

    def member(self, owner: Entity | None, name: str, number: int) -> Entity | None:
        """Return a member of what an expression means."""
        if owner is None:
            return None
        if owner.kind in {"external", "external value"}:
            type_name = self.dialect.array_type if owner.name == ARRAY else owner.name
            if not type_name and not owner.arguments:
                return None
            qualified = f"{type_name}{self.world.separator}{name}"
            return Entity("external", name=qualified, arguments=owner.arguments,
                         home=owner.home, inferred=owner.inferred)  # fmt: skip
        if owner.kind == "value":
            found = self._value_member(owner, name, number)
        else:
            found = self.world.step(owner, name)
            if found is not None and found.kind == "field":
                found = self._field(found)
        if found is not None and owner.inferred:
            found = found._replace(inferred=True)
        return found

    def _value_member(self, owner: Entity, name: str, number: int) -> Entity | None:
        members = self.world.find_members(owner.symbols[0], name)
        if members:
            found = self.world.entity(members)
            if found.kind == "field":
                return self._field(found, owner)
            return found._replace(arguments=owner.arguments, home=owner.home)
        for ancestor in self.world.lineage(owner.symbols[0]):
            assigned = self._assigned(ancestor, name)
            if assigned is not None:
                return assigned
        extension = self.dialect.extension(self.world, owner.symbols[0], name, number)
        if extension is not None:
            return extension
        base = self.world.external_base(owner.symbols[0])
        if base:
            return Entity("external", name=f"{base}{self.world.separator}{name}")
        return None

    def targets(
        self, expression: Expression, number: int
    ) -> tuple[Entity | None, bool]:
        """Return what a call runs, and whether the choice of overload is certain."""
        if expression[0] == "new":
            found = self.find_type(parse_type(expression[1]), number)
        else:
            found = self.evaluate(expression[1], number)
        if found is None:
            return None, False
        if found.kind == "type":
            made = self.dialect.constructors(self.world, found.symbols[0])
            if not made:
                whole = Entity("functions", found.symbols[:1])
                return (whole, True) if self.dialect.makes_by_call else (None, False)
            found = Entity("functions", tuple(made), inferred=found.inferred)
        elif found.kind == "value":
            invoked = self.dialect.invoke(self.world, found)
            if invoked is None:
                return None, False
            found = invoked
        if found.kind != "functions":
            return found, True
        chosen, certain = choose(self, found.symbols, expression[2], number)
        return found._replace(symbols=chosen), certain

    def _call(self, expression: Expression, number: int) -> Entity | None:
        key = (number, expression)
        if key in self._results:
            return self._results[key]
        self._results[key] = None
        found = self._result(expression, number)
        self._results[key] = found
        return found

    def _result(self, expression: Expression, number: int) -> Entity | None:
        callee = self.evaluate(expression[1], number)
        if callee is not None and callee.kind == "type":
            return Entity("value", callee.symbols)
        if callee is not None and callee.kind == "value" and not expression[2]:
            return self._invoked(callee, expression, number)
        return self._invoked(None, expression, number)

    def _invoked(
        self, otherwise: Entity | None, expression: Expression, number: int
    ) -> Entity | None:
        """Return the result of a call; of a record's accessor, the field's value."""
        found, _ = self.targets(expression, number)
        if found is None:
            return otherwise
        if found.kind == "external":
            return self.dialect.external_result(self, found, expression)
        if found.kind != "functions" or not found.symbols:
            return None
        function = found.symbols[0]
        symbol = self.world.symbol(function)
        if symbol.returns:
            written = parse_type(symbol.returns)
            if written.name in {"Self", "this"}:
                owner = self.enclosing_type(function)
                return Entity("value", (owner,)) if owner >= 0 else None
            type_ = self._substitute(written, function, found)
            home = found.home if type_ != written and found.home >= 0 else function
            result = self.of_type(type_, home)
        else:
            result = self._returned(function)
            if result is not None and not self.dialect.static:
                result = result._replace(inferred=True)
        if result is not None and found.inferred:
            result = result._replace(inferred=True)
        return result

    def _returned(self, function: int) -> Entity | None:
        """Return the result of a function that declares no result type."""
        index = self.world.file(function)
        body = self.world.table.files[index].body
        start = self.world.table.starts[index]
        value = body.results.get(function - start) if body is not None else None
        return self.evaluate(value, function) if value is not None else None

    def _function(self, expression: Expression, number: int) -> Entity | None:
        index = self.world.file(number)
        return Entity("functions", (self.world.table.starts[index] + expression[1],))


_KINDS = {
    "var": Evaluator._variable,  # noqa: SLF001 - the table of its own methods
    "name": Evaluator._name,  # noqa: SLF001
    "this": Evaluator._this,  # noqa: SLF001
    "super": Evaluator._super,  # noqa: SLF001
    "get": Evaluator._get,  # noqa: SLF001
    "call": Evaluator._call,  # noqa: SLF001
    "new": Evaluator._new,  # noqa: SLF001
    "cast": Evaluator._cast,  # noqa: SLF001
    "lit": Evaluator._literal,  # noqa: SLF001
    "item": Evaluator._item,  # noqa: SLF001
    "unwrap": Evaluator._unwrap,  # noqa: SLF001
    "typeof": Evaluator._type_of,  # noqa: SLF001
    "fn": Evaluator._function,  # noqa: SLF001
}
