"""C++: definitions only."""

from __future__ import annotations

from outcrop.codegraph.language import Language


class Cpp(Language):
    """C++."""

    name = "cpp"
    extensions = (".cpp", ".cc", ".cxx", ".hpp", ".hh", ".hxx")
    grammar = ("tree_sitter_cpp", "language")
    extra = "languages"
    separator = "::"
    file_names_members = False
    wrapper_types = frozenset({"template_declaration"})


LANGUAGE = Cpp()
