"""Bash: definitions only."""

from __future__ import annotations

from outcrop.codegraph.language import Language


class Bash(Language):
    """Bash."""

    name = "bash"
    extensions = (".sh", ".bash")
    grammar = ("tree_sitter_bash", "language")
    extra = "languages"
    file_names_members = False


LANGUAGE = Bash()
