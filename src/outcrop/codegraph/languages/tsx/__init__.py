"""TypeScript with JSX, which has a grammar of its own."""

from __future__ import annotations

from outcrop.codegraph.languages.typescript import TypeScript


class Tsx(TypeScript):
    """TypeScript with JSX."""

    name = "tsx"
    extensions = (".tsx",)
    grammar = ("tree_sitter_typescript", "language_tsx")


LANGUAGE = Tsx()
