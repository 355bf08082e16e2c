"""Languages whose definitions are read, but not their calls: one class each."""

from __future__ import annotations

from outcrop.codegraph.language import Language


class _Structural(Language):
    extra = "languages"
    file_names_members = False

    def __init__(self) -> None:
        self.query_folders = (self.name,)


class Bash(_Structural):
    """Bash."""

    name = "bash"
    extensions = (".sh", ".bash")
    grammar = ("tree_sitter_bash", "language")


class C(_Structural):
    """C."""

    name = "c"
    extensions = (".c", ".h")
    grammar = ("tree_sitter_c", "language")


class Cpp(_Structural):
    """C++."""

    name = "cpp"
    extensions = (".cpp", ".cc", ".cxx", ".hpp", ".hh", ".hxx")
    grammar = ("tree_sitter_cpp", "language")
    separator = "::"
    wrapper_types = frozenset({"template_declaration"})


class Lua(_Structural):
    """Lua."""

    name = "lua"
    extensions = (".lua",)
    grammar = ("tree_sitter_lua", "language")


class Php(_Structural):
    """PHP."""

    name = "php"
    extensions = (".php",)
    grammar = ("tree_sitter_php", "language_php")
    separator = "\\"
    doc_prefixes = ("/**",)
    package_types = ("namespace_definition",)


class Ruby(_Structural):
    """Ruby."""

    name = "ruby"
    extensions = (".rb", ".rake")
    grammar = ("tree_sitter_ruby", "language")
    separator = "::"


class Scala(_Structural):
    """Scala."""

    name = "scala"
    extensions = (".scala", ".sc")
    grammar = ("tree_sitter_scala", "language")
    doc_prefixes = ("/**",)
    comment_types = frozenset({"comment", "block_comment"})
    package_types = ("package_clause",)


class Swift(_Structural):
    """Swift."""

    name = "swift"
    extensions = (".swift",)
    grammar = ("tree_sitter_swift", "language")
    doc_prefixes = ("///", "/**")
    comment_types = frozenset({"comment", "multiline_comment"})


LANGUAGES = tuple(declared() for declared in _Structural.__subclasses__())
