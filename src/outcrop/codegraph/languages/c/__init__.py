"""C: definitions only."""

from __future__ import annotations

from outcrop.codegraph.language import Language


class C(Language):
    """C."""

    name = "c"
    extensions = (".c", ".h")
    grammar = ("tree_sitter_c", "language")
    extra = "languages"
    file_names_members = False


LANGUAGE = C()
