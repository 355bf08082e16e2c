"""Kotlin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.codegraph.language import TypedLanguage
from outcrop.codegraph.parsed import Parameter
from outcrop.codegraph.syntax_tree import child_of, children_of, enum_of, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from outcrop.codegraph.typed.dialect import Dialect

_TYPE_NODES = ("user_type", "nullable_type", "function_type", "parenthesized_type")


class Kotlin(TypedLanguage):
    """Kotlin, which Java can call and which calls Java."""

    name = "kotlin"
    extensions = (".kt", ".kts")
    grammar = ("tree_sitter_kotlin", "language")
    code_module = "outcrop.codegraph.languages.kotlin.code"
    field_callers = True
    route_marks = (b"routing", b"route(", b"Route.")
    family = "jvm"
    comment_types = frozenset({"block_comment", "line_comment"})
    doc_prefixes = ("/**",)
    annotation_types = frozenset({"annotation"})
    package_types = ("package_header",)
    file_is_module = False
    has_overloads = True

    def dialect(self) -> Dialect:
        """Return the rules shared with Java."""
        from outcrop.codegraph.languages.java.dialect import JvmDialect

        return JvmDialect()

    def refine(self, kind: str, node: Node, parent: str) -> str:
        """Tell enums from classes and methods from functions."""
        if kind == "CLASS" and child_of(node, "enum_class_body") is not None:
            return "ENUM"
        return super().refine(kind, node, parent)

    def annotations(self, node: Node) -> tuple[str, ...]:
        """Return the annotations."""
        found = children_of(child_of(node, "modifiers"), *self.annotation_types)
        return tuple(map(text_of, found))

    def modifiers(self, node: Node) -> tuple[str, ...]:
        """Return the modifiers, and the receiver of an extension."""
        holder = child_of(node, "modifiers")
        found = [text_of(c) for c in holder.children] if holder is not None else []
        found = [word for word in found if not word.startswith("@")]
        if node.type == "function_declaration":
            name = node.child_by_field_name("name")
            for child in children_of(node, *_TYPE_NODES):
                if name is not None and child.start_byte < name.start_byte:
                    found.append(f"receiver:{text_of(child)}")
        return tuple(found)

    def parameters(self, node: Node) -> tuple[Parameter, ...]:
        """Return the parameters, of a class those of its primary constructor."""
        if node.type == "lambda_literal":
            return _lambda_parameters(node)
        holder = child_of(node, "function_value_parameters")
        if holder is None:
            holder = child_of(child_of(node, "primary_constructor"), "class_parameters")
        found: list[Parameter] = []
        variadic = False
        for child in holder.children if holder is not None else []:
            if child.type in {"parameter", "class_parameter"}:
                found.append(_parameter(child, variadic=variadic))
                variadic = False
            elif child.type == "parameter_modifiers":
                variadic = "vararg" in text_of(child)
            elif child.type == "=" and found:
                found[-1] = found[-1]._replace(optional=True)
        return tuple(found)

    def returns(self, node: Node) -> str:
        """Return the declared type."""
        if node.type == "enum_entry":
            return enum_of(node)
        if node.type == "property_declaration":
            node = child_of(node, "variable_declaration") or node
        name = node.child_by_field_name("name")
        types = children_of(node, *_TYPE_NODES)
        after = [t for t in types if name is None or t.start_byte > name.end_byte]
        return text_of(after[0]) if after else ""

    def bases(self, node: Node) -> tuple[tuple[str, str], ...]:
        """Return what is extended (called) and implemented (only named)."""
        found = []
        for holder in children_of(node, "delegation_specifiers"):
            for specifier in holder.named_children:
                called = child_of(specifier, "constructor_invocation")
                type_ = child_of(called or specifier, "user_type")
                how = "extends" if called is not None else "implements"
                found.append((how, text_of(type_)))
        return tuple(found)


def _parameter(node: Node, *, variadic: bool) -> Parameter:
    type_ = text_of(child_of(node, *_TYPE_NODES))
    optional = child_of(node, "=") is not None
    name = text_of(child_of(node, "identifier"))
    return Parameter(name, type_, optional=optional, variadic=variadic)


def _lambda_parameters(node: Node) -> tuple[Parameter, ...]:
    holder = child_of(node, "lambda_parameters")
    if holder is None:
        return (Parameter("it", optional=True),)
    return tuple(
        Parameter(
            text_of(child_of(child, "identifier")),
            text_of(child_of(child, *_TYPE_NODES)),
        )
        for child in holder.named_children
    )


LANGUAGES = (Kotlin(),)
