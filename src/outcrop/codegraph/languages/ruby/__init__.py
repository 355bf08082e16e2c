"""Ruby: definitions only."""

from __future__ import annotations

from outcrop.codegraph.language import Language


class Ruby(Language):
    """Ruby."""

    name = "ruby"
    extensions = (".rb", ".rake")
    grammar = ("tree_sitter_ruby", "language")
    extra = "languages"
    separator = "::"
    file_names_members = False


LANGUAGE = Ruby()
