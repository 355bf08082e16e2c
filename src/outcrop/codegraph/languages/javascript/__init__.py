"""JavaScript and TypeScript."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from outcrop.codegraph.language import TypedLanguage
from outcrop.codegraph.parsed import Parameter
from outcrop.codegraph.syntax_tree import child_of, children_of, text_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tree_sitter import Node

    from outcrop.codegraph.typed.dialect import Dialect

_NAMED_BY_VARIABLE = frozenset({"arrow_function", "class", "function_expression"})
_WORDS = frozenset(
    {"abstract", "async", "get", "override", "readonly", "set", "static"}
)

_DECLARATIONS = frozenset({"lexical_declaration", "variable_declaration"})
_DECLARATOR = "variable_declarator"


class JavaScript(TypedLanguage):
    """JavaScript; a file is a module, named by its path."""

    name = "javascript"
    extensions: tuple[str, ...] = (".js", ".mjs", ".cjs", ".jsx")
    grammar = ("tree_sitter_javascript", "language")
    code_module = "outcrop.codegraph.languages.javascript.code"
    route_marks = (b"express", b"router", b"Router", b"app.")
    route_calls = re.compile(
        rb"""\.(?:get|post|put|delete|patch|options|head|all)\(\s*["'`]
            |\.(?:use|route)\(""",
        re.VERBOSE,
    )
    family = "script"
    doc_prefixes = ("/**",)
    wrapper_types = frozenset({
        "export_statement", "lexical_declaration", "variable_declaration",
        "variable_declarator", "field_definition", "public_field_definition", "pair",
        "assignment_expression",
    })  # fmt: skip
    implicit_this = False
    query_folders: tuple[str, ...] = ("javascript/shared", "javascript")

    def extent(self, node: Node) -> Node:
        """Return the statement that defines, except of one name among several."""
        found = super().extent(node)
        declaration: Node | None = found
        if found.type == "export_statement" and node.type != "class":
            declaration = found.child_by_field_name("declaration")
        if declaration is None or not _declares_several(declaration):
            return found
        own: Node | None = node
        while own is not None and own.type != _DECLARATOR and own.id != declaration.id:
            own = own.parent
        return own if own is not None and own.type == _DECLARATOR else found

    def dialect(self) -> Dialect:
        """Return the rules shared with TypeScript."""
        from outcrop.codegraph.languages.javascript.dialect import ScriptDialect

        return ScriptDialect()

    def refine(self, kind: str, node: Node, parent: str) -> str:
        """Tell methods of classes and objects from functions."""
        if kind == "FIELD":
            value = node.child_by_field_name("value")
            # A variable that holds a function or class is that, under its name.
            if value is not None and value.type in _NAMED_BY_VARIABLE:
                return ""
        if kind == "METHOD" and parent not in {"CLASS", "INTERFACE", "FIELD"}:
            return "FUNCTION"
        return super().refine(kind, node, parent)

    def belongs_to_type(self, node: Node) -> bool:
        """Whether a node is a constructor's parameter that is a field too."""
        return node.type == "required_parameter"

    def owner(self, node: Node) -> str:
        """Return the class whose prototype a method is assigned to."""
        above = node.parent
        if above is None or above.type != "assignment_expression":
            return ""
        target = above.child_by_field_name("left")
        holder = target.child_by_field_name("object") if target is not None else None
        if holder is None or holder.type != "member_expression":
            return ""
        if text_of(holder.child_by_field_name("property")) != "prototype":
            return ""
        return text_of(holder.child_by_field_name("object"))

    def annotations(self, node: Node) -> tuple[str, ...]:
        """Return the decorators."""
        found = children_of(node, "decorator")
        above = node.parent
        if above is not None and above.type == "export_statement":
            found += children_of(above, "decorator")
        before = node.prev_sibling
        while before is not None and before.type == "decorator":
            found.insert(0, before)
            before = before.prev_sibling
        return tuple(map(text_of, found))

    def modifiers(self, node: Node) -> tuple[str, ...]:
        """Return words such as `async` and `static`."""
        holder = node
        if node.parent is not None and node.parent.type.endswith("field_definition"):
            holder = node.parent
        words = [c.type for c in (*holder.children, *node.children) if c.type in _WORDS]
        words += [text_of(c) for c in children_of(holder, "accessibility_modifier")]
        return tuple(dict.fromkeys(words))

    def visibility(self, name: str, modifiers: Sequence[str], *, member: bool) -> str:
        """Return `private` for `#name` and where it is said."""
        if name.startswith("#"):
            return "private"
        return super().visibility(name, modifiers, member=member)

    def parameters(self, node: Node) -> tuple[Parameter, ...]:
        """Return the parameters."""
        single = node.child_by_field_name("parameter")
        if single is not None:
            return (Parameter(text_of(single)),)
        holder = node.child_by_field_name("parameters")
        named = holder.named_children if holder is not None else []
        return tuple(_parameter(c) for c in named if c.type != "comment")

    def returns(self, node: Node) -> str:
        """Return the annotated type."""
        if node.type == "variable_declarator" or node.type.endswith("definition"):
            found = node.child_by_field_name("type")
            if found is not None:
                return text_of(found)
        found = node.child_by_field_name("return_type") or node.child_by_field_name(
            "type"
        )
        return text_of(found)

    def bases(self, node: Node) -> tuple[tuple[str, str], ...]:
        """Return what is extended and implemented."""
        found: list[tuple[str, str]] = []
        for heritage in children_of(
            node, "class_heritage", "extends_type_clause", "extends_clause"
        ):
            for clause in heritage.named_children or [heritage]:
                found += _base(clause, heritage)
        return tuple(found)


def _parameter(node: Node) -> Parameter:
    pattern = node.child_by_field_name("pattern") or node
    optional = node.type == "optional_parameter"
    if pattern.type == "assignment_pattern":
        pattern = pattern.child_by_field_name("left") or pattern
        optional = True
    optional = optional or node.child_by_field_name("value") is not None
    variadic = pattern.type == "rest_pattern"
    type_ = text_of(node.child_by_field_name("type"))
    if variadic:
        type_ = type_.removesuffix("[]")
    name = text_of(pattern).lstrip(".")
    return Parameter(name, type_, optional=optional, variadic=variadic)


def _base(clause: Node, heritage: Node) -> list[tuple[str, str]]:
    if clause.type == "implements_clause":
        return [("implements", text_of(c)) for c in clause.named_children]
    if clause.type == "extends_clause":
        value = text_of(clause.child_by_field_name("value"))
        arguments = text_of(child_of(clause, "type_arguments"))
        return [("extends", f"{value}{arguments}")]
    if heritage.type in {"class_heritage", "extends_type_clause"}:
        return [("extends", text_of(clause))]
    return []


class TypeScript(JavaScript):
    """TypeScript: JavaScript with declared types."""

    name = "typescript"
    extensions: tuple[str, ...] = (".ts", ".mts", ".cts")
    grammar = ("tree_sitter_typescript", "language_typescript")
    query_folders = ("javascript/shared", "typescript")


class Tsx(TypeScript):
    """TypeScript with JSX, which has a grammar of its own."""

    name = "tsx"
    extensions = (".tsx",)
    grammar = ("tree_sitter_typescript", "language_tsx")


LANGUAGES = (JavaScript(), TypeScript(), Tsx())


def _declares_several(node: Node) -> bool:
    """Whether a statement declares more than one variable.

    Looks from both ends: a statement may declare thousands of names, and each of them
    leads here.
    """
    if node.type not in _DECLARATIONS:
        return False
    places = range(node.named_child_count)
    first, last = (
        next((at for at in order if _is_declarator(node, at)), None)
        for order in (places, reversed(places))
    )
    return first != last


def _is_declarator(node: Node, place: int) -> bool:
    child = node.named_child(place)
    return child is not None and child.type == _DECLARATOR
