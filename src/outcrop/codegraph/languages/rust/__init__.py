"""Rust."""

from __future__ import annotations

import re
from bisect import bisect
from collections import defaultdict
from typing import TYPE_CHECKING

from outcrop.codegraph.language import TypedLanguage, clean_comment
from outcrop.codegraph.parsed import Parameter
from outcrop.codegraph.syntax_tree import child_of, children_of, enum_of, text_of
from outcrop.codegraph.typed.types import parse_type

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from tree_sitter import Node

    from outcrop.codegraph.typed.dialect import Dialect

# The macro opens at the end of a line, and an item, or a macro of items, comes next.
_OPENING = re.compile(
    rb"""^(?P<indent>[ \t]*)(?P<opening>(?P<name>[A-Za-z_][\w:]*)![ \t]*\{)[ \t]*\r?\n
    (?=\s*(?://|/\*|\#!?\[|[A-Za-z_][\w:]*![ \t]*\{|
        (?:pub|fn|struct|enum|union|impl|trait|mod|use|const|static|type|async|unsafe|extern)\b
    ))""",
    re.MULTILINE | re.VERBOSE,
)
_CLOSING = re.compile(rb"^(?P<indent>[ \t]*)\}", re.MULTILINE)
# What stands in these is a template, not an item.
_TEMPLATES = frozenset(
    {b"quote", b"quote_spanned", b"parse_quote", b"parse_quote_spanned"}
)


class Rust(TypedLanguage):
    """Rust; modules follow from crates and folders."""

    name = "rust"
    extensions = (".rs",)
    grammar = ("tree_sitter_rust", "language")
    code_module = "outcrop.codegraph.languages.rust.code"
    separator = "::"
    comment_types = frozenset({"line_comment", "block_comment", "attribute_item"})
    implicit_this = False

    def dialect(self) -> Dialect:
        """Return the rules of Rust."""
        from outcrop.codegraph.languages.rust.dialect import RustDialect

        return RustDialect()

    def readable(self, data: bytes) -> bytes:
        """Return the text with the items that stand inside macros laid open."""
        return unwrap_item_macros(data)

    def module_names(
        self, files: Sequence[tuple[str, str]], root: Path
    ) -> dict[str, str]:
        """Return module paths, from the nearest `Cargo.toml` on."""
        from outcrop.codegraph.languages.rust.dialect import module_paths

        return module_paths([path for path, _ in files], root)

    def is_package(self, path: str) -> bool:
        """Whether a file is the root of a crate."""
        return path.endswith(("src/lib.rs", "src/main.rs"))

    def doc(self, node: Node, body: Node | None) -> str:
        """Return the `///` comments, attributes between them left out."""
        if node.parent is None:
            inner = [text_of(c) for c in node.children if _is_inner(c)]
            return clean_comment(inner)
        del body
        found: list[str] = []
        for above in self._above(node):
            if above.type != "attribute_item":
                text = text_of(above)
                if not text.startswith(("///", "/**")):
                    break
                found.append(text)
        return clean_comment(found[::-1])

    def annotations(self, node: Node) -> tuple[str, ...]:
        """Return the attributes."""
        above = [text_of(a) for a in self._above(node) if a.type == "attribute_item"]
        return tuple(above[::-1])

    def _above(self, node: Node) -> Iterator[Node]:
        """Yield the comments and attributes above a definition, the nearest first."""
        above = node.prev_sibling
        while above is not None and above.type in self.comment_types:
            yield above
            above = above.prev_sibling

    def modifiers(self, node: Node) -> tuple[str, ...]:
        """Return words such as `async`, and whether a method takes `self`."""
        words = text_of(child_of(node, "function_modifiers")).split()
        words += [text_of(c) for c in children_of(node, "visibility_modifier")]
        parameters = node.child_by_field_name("parameters")
        if parameters is not None and child_of(parameters, "self_parameter") is None:
            words.append("static")
        return tuple(words)

    def visibility(self, name: str, modifiers: Sequence[str], *, member: bool) -> str:
        """Return `public` for `pub`, `internal` for `pub(crate)`."""
        del name, member
        for word in modifiers:
            if word.startswith("pub"):
                return "public" if word == "pub" else "internal"
        return "private"

    def refine(self, kind: str, node: Node, parent: str) -> str:
        """Tell methods from functions."""
        if kind == "FUNCTION" and self.owner(node):
            return "METHOD"
        return super().refine(kind, node, parent)

    def owner(self, node: Node) -> str:
        """Return the type of the `impl` block around a function."""
        holder = node.parent
        block = holder.parent if holder is not None else None
        if block is None or block.type != "impl_item":
            return ""
        return parse_type(text_of(block.child_by_field_name("type"))).name

    def parameters(self, node: Node) -> tuple[Parameter, ...]:
        """Return the parameters, `self` left out."""
        holder = node.child_by_field_name("parameters")
        found = []
        for child in holder.named_children if holder is not None else []:
            if child.type == "parameter":
                name = text_of(child.child_by_field_name("pattern"))
                type_ = text_of(child.child_by_field_name("type"))
                found.append(Parameter(name.removeprefix("mut "), type_))
            elif child.type == "identifier":
                found.append(Parameter(text_of(child)))
        return tuple(found)

    def returns(self, node: Node) -> str:
        """Return the declared type; of a variant, its enum."""
        if node.type == "enum_variant":
            return enum_of(node)
        found = node.child_by_field_name("return_type") or node.child_by_field_name(
            "type"
        )
        return text_of(found)

    def bases(self, node: Node) -> tuple[tuple[str, str], ...]:
        """Return the traits that a trait requires."""
        bounds = node.child_by_field_name("bounds")
        named = bounds.named_children if bounds is not None else []
        return tuple(("extends", text_of(child)) for child in named)


def _is_inner(node: Node) -> bool:
    return text_of(node)[:3] in {"//!", "/*!"}


def unwrap_item_macros(data: bytes) -> bytes:
    """Overwrite macros around items with spaces: `cfg_net! { pub struct … }`.

    The grammar reads the inside of a macro as loose tokens. Without the macro's name and
    braces items are read as such, and at the same offsets. A macro ends at the first line
    that closes a brace at its own indentation, as formatted code does.
    """
    openings = [
        opening
        for opening in _OPENING.finditer(data)
        if opening["name"].rpartition(b"::")[2] not in _TEMPLATES
    ]
    if not openings:
        return data
    closings: dict[bytes, list[int]] = defaultdict(list)
    for closing in _CLOSING.finditer(data):
        closings[closing["indent"]].append(closing.end() - 1)
    found = bytearray(data)
    for opening in openings:
        ends = closings[opening["indent"]]
        at = bisect(ends, opening.end())
        if at < len(ends):
            first, last = opening.span("opening")
            found[first:last] = b" " * (last - first)
            found[ends[at]] = ord(" ")
    return bytes(found)


LANGUAGES = (Rust(),)
