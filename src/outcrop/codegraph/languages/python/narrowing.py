"""What a condition says of a name: `if isinstance(x, A)`, x is an A from there on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.codegraph.flow.constraints import Narrow
from outcrop.codegraph.flow.file_flow import INSTANCE_OF
from outcrop.codegraph.languages.python.targets import assigned_names

if TYPE_CHECKING:
    from tree_sitter import Node

    from outcrop.codegraph.languages.python.reader import Reader
    from outcrop.codegraph.languages.python.scopes import Scope

_ARGUMENTS = 2


def narrow(
    reader: Reader, condition: Node | None, body: Node
) -> list[tuple[str, int, int]]:
    """Bind the names that a condition which holds tells something about.

    Returns:
        (name, variable it was bound to, variable it is bound to in the body).
    """
    if condition is None or not reader.has_isinstance:
        return []
    calls = [part for part in _conjuncts(condition) if part.type == "call"]
    found = (_narrow_one(reader, call, body) for call in calls)
    return [one for one in found if one is not None]


def widen(scope: Scope, narrowed: list[tuple[str, int, int]]) -> None:
    """Give the names back what they were bound to, unless they were bound again."""
    for name, held, inside in narrowed:
        if scope.env.get(name) == inside:
            scope.env[name] = held


def _conjuncts(node: Node) -> list[Node]:
    """Return the parts that all hold where a condition does."""
    if node.type == "parenthesized_expression" and node.named_child_count:
        return _conjuncts(node.named_children[0])
    operator = node.child_by_field_name("operator")
    if node.type == "boolean_operator" and operator and operator.type == "and":
        return [part for child in node.named_children for part in _conjuncts(child)]
    return [node]


def _narrow_one(reader: Reader, call: Node, body: Node) -> tuple[str, int, int] | None:
    parts = call.named_children
    if len(parts) != _ARGUMENTS or reader.text(parts[0]) != "isinstance":
        return None
    given = [node for node in parts[1].named_children if node.type != "comment"]
    if len(given) != _ARGUMENTS or given[0].type != "identifier":
        return None
    name = reader.text(given[0])
    held = reader.scope.env.get(name)
    # What scope and imports bind for certain, needs no narrowing.
    if not isinstance(held, int) or held in reader.origins or name in reader.written:
        return None
    scope = reader.scope
    if name in scope.looping and name in assigned_names(reader, body):
        return None
    classes = [reader.visit(node) for node in _classes(given[1])]
    variables = [value for value in classes if isinstance(value, int)]
    if not variables or len(variables) < len(classes):
        return None
    narrowed = reader.new_variable()
    reader.joined.append(narrowed)
    reader.constrain(held, Narrow(narrowed, tuple(variables)))
    reader.declared.extend((narrowed, variable, INSTANCE_OF) for variable in variables)
    scope.env[name] = narrowed
    if held in scope.parameters:
        scope.parameters[narrowed] = scope.parameters[held]
    return name, held, narrowed


def _classes(node: Node) -> list[Node]:
    if node.type == "tuple":
        return [child for child in node.named_children if child.type != "comment"]
    return [node]
