"""Scala: definitions only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.codegraph.language import Language
from outcrop.codegraph.nodes import child_of, text_of

if TYPE_CHECKING:
    from tree_sitter import Node


class Scala(Language):
    """Scala."""

    name = "scala"
    extensions = (".scala", ".sc")
    grammar = ("tree_sitter_scala", "language")
    extra = "languages"
    file_names_members = False
    doc_prefixes = ("/**",)
    comment_types = frozenset({"comment", "block_comment"})

    def package(self, root: Node) -> str:
        """Return the declared package."""
        found = child_of(root, "package_clause")
        return text_of(found.child_by_field_name("name")) if found is not None else ""


LANGUAGE = Scala()
