"""Swift: definitions only."""

from __future__ import annotations

from outcrop.codegraph.language import Language


class Swift(Language):
    """Swift."""

    name = "swift"
    extensions = (".swift",)
    grammar = ("tree_sitter_swift", "language")
    extra = "languages"
    file_names_members = False
    doc_prefixes = ("///", "/**")
    comment_types = frozenset({"comment", "multiline_comment"})


LANGUAGE = Swift()
