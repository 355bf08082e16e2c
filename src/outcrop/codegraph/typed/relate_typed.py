"""Edges between the files of one language family, found by declared types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.codegraph.languages import language
from outcrop.codegraph.typed.evaluate import Evaluator
from outcrop.codegraph.typed.overloads import takes
from outcrop.codegraph.typed.world import CALLABLE, Entity, World
from outcrop.model.edge import EdgeKind, Resolution

if TYPE_CHECKING:
    from pathlib import Path

    from outcrop.codegraph.resolve import EdgeSet
    from outcrop.codegraph.symbols import SymbolTable

# Method names so common in external types that the name alone says nothing.
_COMMON = frozenset({
    "add", "all", "append", "apply", "call", "clear", "close", "compare", "contains",
    "copy", "count", "create", "delete", "equals", "execute", "exists", "filter",
    "find", "first", "forEach", "format", "get", "getName", "handle", "has",
    "hashCode", "init", "insert", "is_empty", "isEmpty", "iter", "join", "keys",
    "last", "length", "load", "log", "map", "match", "name", "new", "next", "open",
    "parse", "pop", "print", "process", "push", "put", "read", "reduce", "remove",
    "replace", "reset", "run", "save", "send", "set", "size", "slice", "sort",
    "split", "start", "stop", "test", "then", "toString", "trim", "update", "value",
    "values", "write",
})  # fmt: skip


def relate_typed(
    table: SymbolTable, indexes: list[int], edges: EdgeSet, root: Path
) -> None:
    """Add the relations of the files to the edges."""
    spec = language(table.files[indexes[0]].lang)
    dialect = spec.dialect()
    world = World(table, indexes, spec.separator)
    world.implicit_this = spec.implicit_this
    dialect.prepare(world, root)
    for index in indexes:
        world.scopes[index] = dialect.scope(world, index, root)
    world.is_complete = True
    world.forget_bases()
    evaluator = Evaluator(world, dialect)
    for index in indexes:
        _relate_imports(world, index, edges)
        _relate_calls(evaluator, index, edges)
    _relate_types(world, edges)


def _relate_calls(evaluator: Evaluator, index: int, edges: EdgeSet) -> None:
    table = evaluator.world.table
    facts, start = table.files[index], table.starts[index]
    separator = evaluator.world.separator
    if facts.body is None:
        return
    for local, expression in facts.body.calls:
        caller = _caller(evaluator.world, start + local)
        if caller is None:
            continue
        found, certain = evaluator.targets(expression, start + local)
        if found is None:
            _add_by_name(evaluator.world, caller, expression, edges)
        elif found.kind == "external" and not found.name.startswith(separator):
            how = Resolution.FLOW if found.inferred else Resolution.EXACT
            edges.add(caller, EdgeKind.CALLS, found.name, how)
        elif found.kind == "functions":
            how = Resolution.EXACT
            if not certain:
                how = Resolution.HEURISTIC
            elif found.inferred:
                how = Resolution.FLOW
            for symbol in found.symbols:
                edges.add(caller, EdgeKind.CALLS, symbol, how)


def _caller(world: World, number: int) -> int | None:
    """Return the node that a call belongs to; None where its file has no node."""
    if world.table.has_node(number):
        return number
    # Code outside any definition in a language without modules: the first type.
    symbols = world.table.files[world.file(number)].symbols
    return next(
        (n for n in range(number + 1, number + len(symbols))
         if world.table.parents[n] == number),
        None,
    )  # fmt: skip


def _add_by_name(
    world: World, caller: int, expression: tuple[object, ...], edges: EdgeSet
) -> None:
    """Add an edge where one method alone has the name and number of arguments."""
    callee, arguments = expression[1], expression[2]
    if not (isinstance(callee, tuple) and callee[0] == "get"):
        return
    name = callee[2]
    if name in _COMMON or not isinstance(arguments, tuple):
        return
    method = _only_method(world, name, len(arguments))
    if method is not None:
        edges.add(caller, EdgeKind.CALLS, method, Resolution.HEURISTIC)


def _only_method(world: World, name: str, count: int) -> int | None:
    key = (name, count)
    if key not in world.only_methods:
        fitting = [
            function
            for function in world.by_name.get(name, ())
            if world.symbol(function).kind == "METHOD" and takes(world, function, count)
        ]
        world.only_methods[key] = fitting[0] if len(fitting) == 1 else None
    return world.only_methods[key]


def _relate_imports(world: World, index: int, edges: EdgeSet) -> None:
    table = world.table
    start = table.starts[index]
    source = _caller(world, start)
    if source is None:
        return
    scope = world.scopes[index]
    entities = list(scope.aliases.values())
    entities += [t for name in scope.wildcards if (t := world.namespace(name))]
    entities += [Entity("external", name=name) for name in scope.external_wildcards]
    for entity in entities:
        if entity.kind == "external":
            edges.add(source, EdgeKind.IMPORTS, entity.name)
        elif entity.kind == "namespace":
            module = _module(world, entity.name)
            if module is not None and module != source:
                edges.add(source, EdgeKind.IMPORTS, module)
        else:
            for symbol in entity.symbols[:1]:
                edges.add(source, EdgeKind.IMPORTS, symbol)


def _module(world: World, name: str) -> int | None:
    for index in world.indexes:
        if world.table.modules[world.table.files[index].path] == name:
            start = world.table.starts[index]
            return start if world.table.has_node(start) else None
    return None


def _relate_types(world: World, edges: EdgeSet) -> None:
    for parts in world.types.values():
        for type_ in parts[:1]:
            for how, base in world.bases(type_):
                kind = EdgeKind.EXTENDS if how == "extends" else EdgeKind.IMPLEMENTS
                if base.kind == "external":
                    edges.add(type_, kind, base.name)
                    continue
                is_interface = world.symbol(base.symbols[0]).kind == "INTERFACE"
                if is_interface and world.symbol(type_).kind != "INTERFACE":
                    kind = EdgeKind.IMPLEMENTS
                edges.add(type_, kind, base.symbols[0])
            _relate_overrides(world, type_, edges)


def _relate_overrides(world: World, type_: int, edges: EdgeSet) -> None:
    lineage = world.lineage(type_)[1:]
    if not lineage:
        return
    for part in world.types[world.table.fqns[type_]]:
        for name, members in world.members.get(part, {}).items():
            for member in members:
                _relate_override(world, member, name, lineage, edges)


def _relate_override(
    world: World, member: int, name: str, lineage: list[int], edges: EdgeSet
) -> None:
    symbol = world.symbol(member)
    if symbol.kind not in CALLABLE or "static" in symbol.modifiers:
        return
    if name in {world.symbol(world.table.parents[member]).name, "constructor"}:
        return
    for base in lineage:
        for other in world.own_members(base, name):
            theirs = world.symbol(other)
            if theirs.kind in CALLABLE and len(theirs.parameters) == len(
                symbol.parameters
            ):
                edges.add(member, EdgeKind.OVERRIDES, other)
                return
