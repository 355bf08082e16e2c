"""Python."""

from __future__ import annotations

import ast
import re
from inspect import cleandoc
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from outcrop.codegraph.flow.import_roots import SOURCE_ROOTS
from outcrop.codegraph.language import Language
from outcrop.codegraph.parsed import Parameter, ParsedImport
from outcrop.codegraph.syntax_tree import text_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tree_sitter import Node

    from outcrop.codegraph.language import Capture
    from outcrop.codegraph.parsed import ParsedSymbol
    from outcrop.codegraph.source import Source


_TRIPLE = frozenset({'"""', "'''"})
_DECORATED = frozenset({"class_definition", "function_definition"})


class Python(Language):
    """Python, with values followed across the whole program."""

    name = "python"
    extensions = (".py", ".pyi", ".pyw")
    grammar = ("tree_sitter_python", "language")
    level = "flow"
    route_marks = (
        b"urlpatterns", b"add_url_rule", b"APIRouter", b"Blueprint", b"include_router",
        b"register_blueprint", b"add_api_route",
    )  # fmt: skip
    route_calls = re.compile(
        rb"""\b(?:path|re_path|url|APIRouter|Blueprint|include_router
            |register_blueprint|add_url_rule|add_api_route)\(""",
        re.VERBOSE,
    )
    wrapper_types = frozenset({"decorated_definition"})
    scopes_are_bodies = True

    def definitions(self, root: Node, source: Source) -> list[Capture]:
        """Return the definitions of a file, without the query where that is faster."""
        from outcrop.codegraph.languages.python.finder import find_definitions

        found = find_definitions(root, source.data)
        return super().definitions(root, source) if found is None else found

    def module_names(
        self, files: Sequence[tuple[str, str]], root: Path
    ) -> dict[str, str]:
        """Return dotted module names, from source roots and packages."""
        return module_names([path for path, _ in files], root)

    def extent(self, node: Node) -> Node:
        """Return the node that spans a definition with its decorators."""
        # A parent is looked for from the root of the tree, and most definitions are
        # fields, which have no decorators.
        return super().extent(node) if node.type in _DECORATED else node

    def is_package(self, path: str) -> bool:
        """Whether a file is the `__init__` of a package."""
        return path.endswith(("__init__.py", "__init__.pyi"))

    def belongs_to_type(self, node: Node) -> bool:
        """Whether a node is `self.name = …`, which defines a field of the class."""
        if node.type != "assignment":
            return False
        left = node.child_by_field_name("left")
        return left is not None and left.type == "attribute"

    def doc(self, node: Node, body: Node | None) -> str:
        """Return the docstring."""
        del node
        if body is None:
            return ""
        # Children one by one: a list of all of them is expensive for a large class.
        count, position = body.named_child_count, 0
        while position < count:
            first = body.named_child(position)
            if first is not None and first.type != "comment":
                break
            position += 1
        else:
            return ""
        if first.type != "expression_statement" or not first.named_child_count:
            return ""
        string = first.named_child(0)
        if string is None or string.type not in {"string", "concatenated_string"}:
            return ""
        return _unquote(text_of(string))

    def annotations(self, node: Node) -> tuple[str, ...]:
        """Return the decorators."""
        parent = node.parent if node.type.endswith("definition") else None
        if parent is None or parent.type != "decorated_definition":
            return ()
        return tuple(
            text_of(child) for child in parent.children if child.type == "decorator"
        )

    def modifiers(self, node: Node) -> tuple[str, ...]:
        """Return `async` for a coroutine."""
        if node.type != "function_definition":
            return ()
        first = node.child(0)
        return ("async",) if first is not None and first.type == "async" else ()

    def visibility(self, name: str, modifiers: Sequence[str], *, member: bool) -> str:
        """Return `private` for `__name`, `protected` for `_name`."""
        del modifiers, member
        if name.startswith("__") and not name.endswith("__"):
            return "private"
        if name.startswith("_") and not name.startswith("__"):
            return "protected"
        return "public"

    def returns(self, node: Node) -> str:
        """Return the annotation of a result or a variable."""
        field = "return_type" if node.type == "function_definition" else "type"
        return text_of(node.child_by_field_name(field))

    def parameters(self, node: Node) -> tuple[Parameter, ...]:
        """Return the parameters as written."""
        found = node.child_by_field_name("parameters")
        if found is None:
            return ()
        return tuple(
            _parameter(child)
            for child in found.named_children
            if child.type
            not in {"comment", "keyword_separator", "positional_separator"}
        )

    def bases(self, node: Node) -> tuple[tuple[str, str], ...]:
        """Return the base classes."""
        found = node.child_by_field_name("superclasses")
        if found is None:
            return ()
        return tuple(
            ("extends", text_of(child))
            for child in found.named_children
            if child.type not in {"keyword_argument", "comment"}
        )

    def read(
        self, root: Node, source: Source, symbols: Sequence[ParsedSymbol],
        places: dict[int, int],
    ) -> tuple[list[ParsedImport], Any]:  # fmt: skip
        """Return the imports and a `FileFlow`."""
        from outcrop.codegraph.languages.python.reader import Reader

        grammar = self.tree_language
        reader = Reader(source.data, source.text, symbols, places, grammar)
        reader.block(root)
        return reader.imports, reader.finish()


def _unquote(literal: str) -> str:
    quotes = literal[:3]
    is_plain = "\\" not in literal and "\r" not in literal
    if is_plain and quotes in _TRIPLE and literal.endswith(quotes):
        return cleandoc(literal[3:-3])
    try:
        value = ast.literal_eval(literal)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return ""
    return cleandoc(value) if isinstance(value, str) else ""


def _parameter(node: Node) -> Parameter:
    if node.type == "identifier":
        return Parameter(text_of(node))
    inner = node
    if node.type == "typed_parameter" and node.named_child_count:
        inner = node.named_children[0]
    name = node.child_by_field_name("name") or inner
    return Parameter(
        text_of(name).lstrip("*"),
        text_of(node.child_by_field_name("type")),
        optional=node.child_by_field_name("value") is not None,
        variadic=inner.type.endswith("splat_pattern"),
    )


def module_names(paths: Sequence[str], root: Path) -> dict[str, str]:
    """Return the module name of each Python file.

    A file in a package is named from the outermost package on; a package that
    reaches above the root is followed there. Other files are named by their folders
    from the root on, or from the last folder that is no identifier on, a leading
    source root left out.
    """
    folders = {str(PurePosixPath(p).parent) for p in paths if _is_init(p)}
    prefix = _packages_above(root) if "." in folders else []
    names = {}
    for path in paths:
        pure = PurePosixPath(path)
        parts = list(pure.parent.parts)
        start = len(parts)
        while start > 0 and "/".join(parts[:start]) in folders:
            start -= 1
        if start == 0 and "." in folders:
            named = [*prefix, *parts]
        elif start < len(parts):
            named = parts[start:]
        else:
            # No import can name a folder such as `user-api`, so names start below it.
            start = max((n for n, p in enumerate(parts, 1) if not p.isidentifier()),
                        default=0)  # fmt: skip
            named = parts[start:]
            named = named[1:] if named and named[0] in SOURCE_ROOTS else named
        if not _is_init(path):
            named = [*named, pure.stem]
        names[path] = ".".join(named) or pure.stem
    return names


def _is_init(path: str) -> bool:
    return PurePosixPath(path).stem == "__init__"


def _packages_above(root: Path) -> list[str]:
    folder = root.resolve()
    found: list[str] = []
    while (folder / "__init__.py").exists() and folder.name:
        found.insert(0, folder.name)
        folder = folder.parent
    return found


LANGUAGES = (Python(),)
