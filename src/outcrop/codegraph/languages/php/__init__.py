"""PHP: definitions only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.codegraph.language import Language
from outcrop.codegraph.nodes import child_of, text_of

if TYPE_CHECKING:
    from tree_sitter import Node


class Php(Language):
    """PHP."""

    name = "php"
    extensions = (".php",)
    grammar = ("tree_sitter_php", "language_php")
    extra = "languages"
    separator = "\\"
    file_names_members = False
    doc_prefixes = ("/**",)

    def package(self, root: Node) -> str:
        """Return the declared namespace."""
        found = child_of(root, "namespace_definition")
        return text_of(found.child_by_field_name("name")) if found is not None else ""


LANGUAGE = Php()
