"""Lua: definitions only."""

from __future__ import annotations

from outcrop.codegraph.language import Language


class Lua(Language):
    """Lua."""

    name = "lua"
    extensions = (".lua",)
    grammar = ("tree_sitter_lua", "language")
    extra = "languages"
    file_names_members = False


LANGUAGE = Lua()
