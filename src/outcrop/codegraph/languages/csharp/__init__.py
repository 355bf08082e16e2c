"""C#."""

from __future__ import annotations

import re
from inspect import cleandoc
from typing import TYPE_CHECKING

from outcrop.codegraph.language import TypedLanguage
from outcrop.codegraph.parsed import Parameter
from outcrop.codegraph.syntax_tree import child_of, children_of, enum_of, text_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tree_sitter import Node

    from outcrop.codegraph.typed.dialect import Dialect

# Of documentation in XML.
_BLOCK_TAGS = re.compile(r"</?(?:summary|remarks|para|returns|example|value)\s*>")
_ATTRIBUTE_TAG = re.compile(
    r"""<(?:see|seealso|paramref|typeparamref)\s+(?:cref|name|langword)="
        (?:[A-Z]:)?([^"]*)"\s*/?>""",
    re.VERBOSE,
)
_NAMED_TAG = re.compile(r'<(param|exception|typeparam)\s+(?:name|cref)="([^"]*)"\s*>')
_CLOSING_TAG = re.compile(r"</(?:param|exception|typeparam|c|code|see)\s*>|<c>|<code>")


class CSharp(TypedLanguage):
    """C#; namespaces are declared, so folders need not be known."""

    name = "c-sharp"
    extensions = (".cs",)
    grammar = ("tree_sitter_c_sharp", "language")
    code_module = "outcrop.codegraph.languages.csharp.code"
    route_marks = (b".Map",)
    route_calls = re.compile(rb"\.Map(?:Get|Post|Put|Delete|Patch|Group)\(")
    doc_prefixes = ("///", "/**")
    wrapper_types = frozenset({
        "variable_declaration", "field_declaration", "event_field_declaration",
    })  # fmt: skip
    annotation_types = frozenset({"attribute_list"})
    package_types = ("namespace_declaration", "file_scoped_namespace_declaration")
    file_is_module = False
    has_overloads = True

    def dialect(self) -> Dialect:
        """Return the rules of C#."""
        from outcrop.codegraph.languages.csharp.dialect import CSharpDialect

        return CSharpDialect()

    def doc(self, node: Node, body: Node | None) -> str:
        """Return the XML documentation as plain text."""
        return strip_xml_tags(super().doc(node, body))

    def annotations(self, node: Node) -> tuple[str, ...]:
        """Return the attributes."""
        found = children_of(_declaration(node), *self.annotation_types)
        return tuple(map(text_of, found))

    def modifiers(self, node: Node) -> tuple[str, ...]:
        """Return the modifiers, and the receiver of an extension method."""
        found = [text_of(c) for c in children_of(_declaration(node), "modifier")]
        holder = node.child_by_field_name("parameters")
        first = child_of(holder, "parameter")
        if first is not None and text_of(child_of(first, "modifier")) == "this":
            found.append(f"receiver:{text_of(first.child_by_field_name('type'))}")
        return tuple(found)

    def visibility(self, name: str, modifiers: Sequence[str], *, member: bool) -> str:
        """Return the visibility; unwritten it is private for members."""
        del name
        for word in ("public", "protected", "private", "internal"):
            if word in modifiers:
                return word
        return "private" if member else "internal"

    def parameters(self, node: Node) -> tuple[Parameter, ...]:
        """Return the parameters, of a record those of its constructor."""
        holder = node.child_by_field_name("parameters") or child_of(
            node, "parameter_list"
        )
        if holder is None:
            return ()
        if holder.type == "implicit_parameter":
            return (Parameter(text_of(holder)),)
        found = [
            _parameter(child)
            for child in holder.named_children
            if child.type in {"parameter", "implicit_parameter"}
        ]
        names = holder.children_by_field_name("name")
        types = holder.children_by_field_name("type")
        if names and types:
            # `params int[] rest` is in the list without a node of its own.
            element = text_of(types[-1]).removesuffix("[]")
            found.append(Parameter(text_of(names[-1]), element, variadic=True))
        return tuple(found)

    def returns(self, node: Node) -> str:
        """Return the declared type."""
        if node.type == "variable_declarator" and node.parent is not None:
            node = node.parent
        if node.type == "enum_member_declaration":
            return enum_of(node)
        found = node.child_by_field_name("returns") or node.child_by_field_name("type")
        return text_of(found)

    def bases(self, node: Node) -> tuple[tuple[str, str], ...]:
        """Return the base list: whether class or interface is known later."""
        holder = child_of(node, "base_list")
        found = []
        for child in holder.named_children if holder is not None else []:
            type_ = child.child_by_field_name("type") or child
            if child.type != "argument_list":
                found.append(("extends", text_of(type_)))
        return tuple(found)


def _declaration(node: Node) -> Node:
    while node.type in {"variable_declarator", "variable_declaration"}:
        if node.parent is None:
            break
        node = node.parent
    return node


def _parameter(node: Node) -> Parameter:
    if node.type == "implicit_parameter":
        return Parameter(text_of(node))
    return Parameter(
        text_of(node.child_by_field_name("name")),
        text_of(node.child_by_field_name("type")),
        optional=child_of(node, "=") is not None,
    )


LANGUAGES = (CSharp(),)


def strip_xml_tags(text: str) -> str:
    """Return an XML documentation comment as plain text."""
    text = _BLOCK_TAGS.sub("", text)
    text = _ATTRIBUTE_TAG.sub(r"\1", text)
    text = _NAMED_TAG.sub(r"\2: ", text)
    text = _CLOSING_TAG.sub("", text)
    return "\n".join(line for line in cleandoc(text).splitlines() if line.strip())
