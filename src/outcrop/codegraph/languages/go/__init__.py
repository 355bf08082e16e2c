"""Go."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from outcrop.codegraph.language import TypedLanguage
from outcrop.codegraph.parsed import Parameter
from outcrop.codegraph.syntax_tree import child_of, text_of
from outcrop.codegraph.typed.types import parse_type

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tree_sitter import Node

    from outcrop.codegraph.typed.dialect import Dialect


class Go(TypedLanguage):
    """Go; the files of a folder are one package, named by its import path."""

    name = "go"
    extensions = (".go",)
    grammar = ("tree_sitter_go", "language")
    code_module = "outcrop.codegraph.languages.go.code"
    field_callers = True
    route_marks = (b"http", b"gin", b"echo", b"chi")
    route_calls = re.compile(
        rb"""\.(?:HandleFunc|Handle|Group|Route|Mount|Any
            |GET|POST|PUT|DELETE|PATCH|OPTIONS|HEAD
            |Get|Post|Put|Delete|Patch|Options|Head)\(\s*["`]""",
        re.VERBOSE,
    )
    wrapper_types = frozenset(
        {"type_declaration", "var_declaration", "const_declaration"}
    )
    package_types = ("package_clause",)
    file_is_module = False
    implicit_this = False

    def dialect(self) -> Dialect:
        """Return the rules of Go."""
        from outcrop.codegraph.languages.go.dialect import GoDialect

        return GoDialect()

    def module_names(
        self, files: Sequence[tuple[str, str]], root: Path
    ) -> dict[str, str]:
        """Return import paths, from the nearest `go.mod` on."""
        from outcrop.codegraph.languages.go.dialect import import_paths

        return import_paths(files, root)

    def package_parts(self, name: str) -> tuple[str, str]:
        """Split an import path at its last slash."""
        parent, _, last = name.rpartition("/")
        return parent, last

    def extent(self, node: Node) -> Node:
        """Return the whole declaration, or one of several in parentheses."""
        above = node.parent
        if above is not None and above.type in self.wrapper_types:
            specs = [
                c for c in above.named_children if c.type.endswith(("_spec", "alias"))
            ]
            if len(specs) == 1:
                return above
        return node

    def visibility(self, name: str, modifiers: Sequence[str], *, member: bool) -> str:
        """Return `public` for a name that starts with a capital."""
        del modifiers, member
        return "public" if name[:1].isupper() else "package"

    def owner(self, node: Node) -> str:
        """Return the type of a method's receiver."""
        if node.type != "method_declaration":
            return ""
        holder = node.child_by_field_name("receiver")
        found = child_of(holder, "parameter_declaration")
        type_ = found.child_by_field_name("type") if found is not None else None
        return parse_type(text_of(type_)).name

    def parameters(self, node: Node) -> tuple[Parameter, ...]:
        """Return the parameters."""
        holder = node.child_by_field_name("parameters")
        found = []
        for child in holder.named_children if holder is not None else []:
            type_ = text_of(child.child_by_field_name("type"))
            variadic = child.type == "variadic_parameter_declaration"
            names: list[Node | None] = [*child.children_by_field_name("name")] or [None]
            found += [
                Parameter(text_of(name), type_, variadic=variadic)
                for name in names
                if child.type != "comment"
            ]
        return tuple(found)

    def returns(self, node: Node) -> str:
        """Return the type of a field, or of the first result."""
        result = node.child_by_field_name("result")
        if result is not None and result.type == "parameter_list":
            first = result.named_children[0] if result.named_child_count else None
            return text_of(first.child_by_field_name("type")) if first else ""
        return text_of(result or node.child_by_field_name("type"))

    def bases(self, node: Node) -> tuple[tuple[str, str], ...]:
        """Return the embedded types."""
        type_ = node.child_by_field_name("type")
        if type_ is None:
            return ()
        found = []
        fields = child_of(type_, "field_declaration_list") or type_
        for child in fields.named_children:
            if child.type == "field_declaration":
                if child.child_by_field_name("name") is None:
                    found.append(text_of(child.child_by_field_name("type")))
            elif child.type == "type_elem" and type_.type == "interface_type":
                found.append(text_of(child))
        return tuple(("extends", text) for text in found)


LANGUAGES = (Go(),)
