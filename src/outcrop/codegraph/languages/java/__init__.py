"""Java."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.codegraph.language import TypedLanguage
from outcrop.codegraph.parsed import Parameter
from outcrop.codegraph.syntax_tree import child_of, children_of, enum_of, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from outcrop.codegraph.typed.dialect import Dialect


class Java(TypedLanguage):
    """Java; packages are declared, so folders need not be known."""

    name = "java"
    extensions = (".java",)
    grammar = ("tree_sitter_java", "language")
    code_module = "outcrop.codegraph.languages.java.code"
    family = "jvm"
    comment_types = frozenset({"block_comment", "line_comment"})
    doc_prefixes = ("/**", "///")
    wrapper_types = frozenset({"field_declaration", "constant_declaration"})
    annotation_types = frozenset({"annotation", "marker_annotation"})
    package_types = ("package_declaration",)
    default_visibility = "package"
    file_is_module = False
    has_overloads = True

    def dialect(self) -> Dialect:
        """Return the rules shared with Kotlin."""
        from outcrop.codegraph.languages.java.dialect import JvmDialect

        return JvmDialect()

    def annotations(self, node: Node) -> tuple[str, ...]:
        """Return the annotations."""
        found = children_of(_modifiers(node), *self.annotation_types)
        return tuple(map(text_of, found))

    def modifiers(self, node: Node) -> tuple[str, ...]:
        """Return the modifiers."""
        holder = _modifiers(node)
        if holder is None:
            return ()
        words = (child.type for child in holder.children)
        return tuple(word for word in words if word not in self.annotation_types)

    def parameters(self, node: Node) -> tuple[Parameter, ...]:
        """Return the parameters."""
        holder = node.child_by_field_name("parameters")
        if holder is None:
            return ()
        if holder.type == "identifier":
            return (Parameter(text_of(holder)),)
        return tuple(
            _parameter(child)
            for child in holder.named_children
            if child.type in {"formal_parameter", "spread_parameter", "identifier"}
        )

    def returns(self, node: Node) -> str:
        """Return the declared type."""
        if node.type == "variable_declarator" and node.parent is not None:
            node = node.parent
        if node.type == "enum_constant":
            return enum_of(node)
        return text_of(node.child_by_field_name("type"))

    def bases(self, node: Node) -> tuple[tuple[str, str], ...]:
        """Return what is extended and implemented."""
        found = []
        superclass = node.child_by_field_name("superclass")
        if superclass is not None:
            found += [("extends", text_of(c)) for c in superclass.named_children]
        for how, holder in (
            ("implements", node.child_by_field_name("interfaces")),
            ("extends", child_of(node, "extends_interfaces")),
        ):
            types = child_of(holder, "type_list")
            found += [(how, text_of(c)) for c in types.named_children] if types else []
        return tuple(found)


def _modifiers(node: Node) -> Node | None:
    if node.type == "variable_declarator" and node.parent is not None:
        node = node.parent
    return child_of(node, "modifiers")


def _parameter(node: Node) -> Parameter:
    if node.type == "identifier":
        return Parameter(text_of(node))
    if node.type == "spread_parameter":
        declarator = child_of(node, "variable_declarator")
        name = text_of(declarator.child_by_field_name("name")) if declarator else ""
        types = [c for c in node.named_children if c.type not in _SPREAD_PARTS]
        type_ = text_of(types[0]) if types else ""
        return Parameter(name, type_, variadic=True)
    name = text_of(node.child_by_field_name("name"))
    type_ = text_of(node.child_by_field_name("type"))
    return Parameter(name, type_)


_SPREAD_PARTS = frozenset({"modifiers", "variable_declarator"})

LANGUAGES = (Java(),)
