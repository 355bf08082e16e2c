"""Python definitions: functions, classes, decorators and imports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.codegraph.flow.constraints import Decorate, Derive
from outcrop.codegraph.flow.file_flow import (
    DOUBLE_STAR,
    KEYWORD,
    PLAIN,
    SETTER,
    STAR,
    ClassReceiver,
    DefinedClass,
    DefinedFunction,
    FunctionFlow,
    ImportedMember,
    ImportedModule,
    ParameterFlow,
    Receiver,
)
from outcrop.codegraph.languages.python.annotations import declare
from outcrop.codegraph.languages.python.scopes import Scope, literal_variable
from outcrop.codegraph.names import bounded_name
from outcrop.codegraph.parsed import ParsedImport

if TYPE_CHECKING:
    from tree_sitter import Node

    from outcrop.codegraph.languages.python.reader import Reader


_CLASS_METHODS = frozenset({"__new__", "__init_subclass__", "__class_getitem__"})


def define_callable(reader: Reader, node: Node, symbol: int, kind: str) -> None:
    """Read a function: its parameters now, its body after the enclosing scope."""
    outer = reader.scope
    scope = Scope(symbol, symbol, outer)
    scope.result = result = reader.new_variable()
    scope.receiver_variable = None if outer.is_class else outer.receiver_variable
    scope.class_symbol = None if outer.is_class else outer.class_symbol
    is_lambda = node.type == "lambda"
    body = node.child_by_field_name("body")
    if not is_lambda and body is not None and _has_yield(reader, body):
        scope.yields = reader.new_variable()
    written = reader.symbols[symbol].parameters
    parameters = node.child_by_field_name("parameters")
    found = _parameters(reader, parameters, scope) if parameters is not None else []
    if outer.is_class and found:
        kind = _receive(reader, scope, outer.symbol, found, kind, symbol)
    returns = None if is_lambda else node.child_by_field_name("return_type")
    if returns is not None and scope.yields is None:
        declare(reader, result, returns, binding=True)
    required = sum(not p.optional and not p.variadic for p in written)
    for position, (_, variable, parameter_kind) in enumerate(found):
        if parameter_kind in {PLAIN, KEYWORD}:
            scope.parameters[variable] = position
    reader.functions[symbol] = FunctionFlow(
        kind, tuple(found), result, scope.yields, required, scope.passed
    )
    if body is not None:
        reader.deferred.append(lambda: _read_body(reader, scope, body))


def _read_body(reader: Reader, scope: Scope, body: Node) -> None:
    reader.scope = scope
    if body.type == "block":
        reader.block(body)
    else:
        reader.give_back(reader.visit(body))
    reader.scope = reader.module


def _receive(
    reader: Reader, scope: Scope, owner: int, found: list[ParameterFlow],
    kind: str, symbol: int,
) -> str:  # fmt: skip
    """Put the receiver into a method's first parameter; return the method's kind."""
    if kind == "static":
        return kind
    if reader.symbols[symbol].name in _CLASS_METHODS:
        kind = "class"
    _, variable, parameter_kind = found[0]
    if parameter_kind == PLAIN:
        is_class = kind == "class"
        reader.origins[variable] = ClassReceiver(owner) if is_class else Receiver(owner)
        scope.receiver_variable = variable
        scope.class_symbol = owner
    return "method" if kind == "function" else kind


def _parameters(reader: Reader, node: Node, scope: Scope) -> list[ParameterFlow]:
    found: list[ParameterFlow] = []
    kind = PLAIN
    for child in node.named_children:
        if child.type == "keyword_separator":
            kind = KEYWORD
            continue
        name_node, this_kind = _name_of(child, kind)
        if name_node is None:
            continue
        if this_kind == STAR:
            kind = KEYWORD
        name, variable = reader.text(name_node), reader.new_variable()
        default = child.child_by_field_name("value")
        if default is not None:
            value = reader.visit(default)
            reader.copy(value, variable)
            if not isinstance(value, int):
                reader.defaults.append((literal_variable(reader, default), variable))
        annotation = child.child_by_field_name("type")
        if annotation is not None and this_kind in {PLAIN, KEYWORD}:
            declare(reader, variable, annotation, binding=True)
        scope.bind(name, variable)
        reader.joined.append(variable)
        found.append(ParameterFlow(name, variable, this_kind))
    return found


def _name_of(node: Node, kind: int) -> tuple[Node | None, int]:
    """Return the identifier of a parameter and its kind."""
    if node.type == "identifier":
        return node, kind
    if node.type in {"list_splat_pattern", "dictionary_splat_pattern"}:
        kind = STAR if node.type.startswith("list") else DOUBLE_STAR
        inner = node.named_children[0] if node.named_child_count else None
        return inner, kind
    if node.type in {"default_parameter", "typed_default_parameter"}:
        return node.child_by_field_name("name"), kind
    if node.type == "typed_parameter" and node.named_child_count:
        return _name_of(node.named_children[0], kind)
    return None, kind


def _has_yield(reader: Reader, body: Node) -> bool:
    if reader.data.find(b"yield", body.start_byte, body.end_byte) < 0:
        return False
    pending = [body]
    while pending:
        node = pending.pop()
        if node.type == "yield":
            return True
        if node.type not in {"function_definition", "lambda", "class_definition"}:
            pending.extend(node.named_children)
    return False


# What a decorator makes of a function, by the last part of its name.
_KINDS = {
    "property": "property",
    "cached_property": "property",
    "abstractproperty": "property",
    "setter": "setter",
    "getter": "property",
    "deleter": "setter",
    "staticmethod": "static",
    "classmethod": "class",
    "abstractmethod": "",
    "overload": "",
    "override": "",
    "final": "",
}


def define_function(reader: Reader, node: Node) -> None:
    """Read an undecorated function."""
    name = node.child_by_field_name("name")
    symbol = reader.places.get(node.id)
    if name is None or symbol is None:
        return
    define_callable(reader, node, symbol, "function")
    reader.assign(reader.text(name), reader.origin(DefinedFunction(symbol)))


def define_class(reader: Reader, node: Node) -> None:
    """Read an undecorated class."""
    name = node.child_by_field_name("name")
    symbol = reader.places.get(node.id)
    if name is not None and symbol is not None:
        _read_class(reader, node, symbol)
        reader.assign(reader.text(name), reader.origin(DefinedClass(symbol)))


def _read_class(reader: Reader, node: Node, symbol: int) -> None:
    outer = reader.scope
    arguments = node.child_by_field_name("superclasses")
    bases: list[int] = []
    for base in arguments.named_children if arguments is not None else []:
        if base.type in {"keyword_argument", "comment"}:
            reader.visit(base.named_children[-1]) if base.named_child_count else None
            continue
        head = base.named_children[0] if base.type == "subscript" else base
        value = reader.visit(head)
        if isinstance(value, int):
            bases.append(value)
            reader.constrain(value, Derive(symbol, outer.caller))
    reader.bases[symbol] = tuple(bases)
    scope = Scope(symbol, outer.caller, outer, is_class=True)
    scope.receiver_variable, scope.class_symbol = (
        outer.receiver_variable,
        outer.class_symbol,
    )
    reader.scope = scope
    body = node.child_by_field_name("body")
    if body is not None:
        reader.block(body)
    reader.scope = outer
    reader.members[symbol] = reader.close(scope)


def define_decorated(reader: Reader, node: Node) -> None:
    """Read a decorated function or class."""
    definition = node.child_by_field_name("definition")
    name = definition.child_by_field_name("name") if definition is not None else None
    symbol = reader.places.get(definition.id) if definition is not None else None
    if definition is None or name is None or symbol is None:
        return
    kind, calls = _decorators(reader, node)
    if kind == "setter":
        # `@x.setter` returns the property: the name keeps its getter.
        define_callable(reader, definition, symbol, "method")
        if reader.scope.is_class:
            setter = f"{reader.text(name)}{SETTER}"
            reader.scope.bind(setter, reader.origin(DefinedFunction(symbol)))
        return
    if definition.type == "class_definition":
        _read_class(reader, definition, symbol)
        own = reader.origin(DefinedClass(symbol))
    else:
        define_callable(reader, definition, symbol, kind)
        own = reader.origin(DefinedFunction(symbol))
    value, caller = own, reader.scope.caller
    outside = symbol if caller == 0 else -1
    for decorator, is_called in reversed(calls):
        dst = reader.new_variable()
        reader.constrain(decorator, Decorate(dst, value, caller))
        reader.calls[decorator, caller, False] = None
        reader.decorated.append((decorator, dst, value, outside, is_called))
        value = dst
    reader.assign(reader.text(name), value)


def _decorators(reader: Reader, node: Node) -> tuple[str, list[tuple[int, bool]]]:
    """Return the kind of function that decorators make, and those to be called.

    Each comes with whether it is what a call returns.
    """
    kind, calls = "function", []
    for decorator in node.children:
        if decorator.type != "decorator" or not decorator.named_child_count:
            continue
        expression = decorator.named_children[0]
        last = reader.text(expression).rpartition(".")[2]
        if last in _KINDS:
            kind = _KINDS[last] or kind
            continue
        value = reader.visit(expression)
        if isinstance(value, int):
            calls.append((value, expression.type == "call"))
    return kind, calls


def read_import(reader: Reader, node: Node) -> None:
    """Read `import a.b` and `import a.b as c`."""
    for child in node.children_by_field_name("name"):
        if child.type == "aliased_import":
            path = child.child_by_field_name("name")
            alias = child.child_by_field_name("alias")
            if path is None or alias is None:
                continue
            dotted, name = bounded_name(reader.text(path)), reader.text(alias)
            reader.assign(name, reader.origin(ImportedModule(dotted, 0)))
            reader.imports.append(ParsedImport(name, dotted))
        else:
            dotted = reader.text(child)
            first = dotted.partition(".")[0]
            old = reader.scope.env.get(first)
            if not (isinstance(old, int) and "." in dotted):
                reader.assign(first, reader.origin(ImportedModule(first, 0)))
            reader.imports.append(ParsedImport(first, dotted))


def read_from(reader: Reader, node: Node) -> None:
    """Read `from a.b import c`, `from . import d` and `from e import *`."""
    module = node.child_by_field_name("module_name")
    if module is None:
        return
    written = reader.text(module).replace(" ", "")
    path = written.lstrip(".")
    level = len(written) - len(path)
    path = bounded_name(path)
    for child in node.children_by_field_name("name"):
        name_node = alias_node = child
        if child.type == "aliased_import":
            name_node = child.child_by_field_name("name") or child
            alias_node = child.child_by_field_name("alias") or name_node
        name, alias = reader.text(name_node), reader.text(alias_node)
        reader.assign(alias, reader.origin(ImportedMember(path, level, name)))
        reader.imports.append(ParsedImport(alias, written, name))
    if any(child.type == "wildcard_import" for child in node.named_children):
        reader.stars.append((path, level))
        reader.imports.append(ParsedImport("*", written))
