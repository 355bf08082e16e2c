"""TypeScript."""

from __future__ import annotations

from outcrop.codegraph.languages.javascript import JavaScript


class TypeScript(JavaScript):
    """TypeScript: JavaScript with declared types."""

    name = "typescript"
    extensions: tuple[str, ...] = (".ts", ".mts", ".cts")
    grammar = ("tree_sitter_typescript", "language_typescript")
    has_overloads = False
    query_folders = ("javascript/shared", "typescript")


LANGUAGE = TypeScript()
