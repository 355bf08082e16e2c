"""The description of a language that a graph is built from.

A language is a subclass of `Language` in a module under `languages/`, and a query file
`symbols.scm` that finds its definitions. The captures of the query:

- the definition itself, named by its kind: `@class`, `@interface`, `@enum`,
  `@function`, `@method`, `@field`, `@lambda`, `@package`;
- `@module`, a namespace inside a file; `@object`, a value with members of its own;
- `@name`, its name; `@body`, what the signature leaves out.

The defaults below suit most languages; a language overrides the others.
"""

from __future__ import annotations

import re
from functools import cached_property
from importlib import import_module, resources
from inspect import cleandoc
from textwrap import dedent
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from outcrop.codegraph.syntax_tree import child_of, text_of
from outcrop.errors import MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import tree_sitter

    from outcrop.codegraph.parsed import Parameter, ParsedImport, ParsedSymbol
    from outcrop.codegraph.source import Source
    from outcrop.codegraph.typed.dialect import Dialect

Level = Literal["flow", "typed", "structural"]
Capture = tuple[str, "tree_sitter.Node", "tree_sitter.Node | None",
                 "tree_sitter.Node | None"]  # fmt: skip
"""(capture, definition, name, body) of a definition that was found."""

# How comments are marked.
_LINE_MARKERS = ("///", "//!", "//", "#!", "---", "--", "#")
_BLOCK = re.compile(r"^/\*[*!]?(?!/)|\*+/$")
_STAR = re.compile(r"^[ \t]*\*(?: |$)?", re.MULTILINE)
_PACKAGE_NAMES = (
    "identifier", "package_identifier", "qualified_identifier", "scoped_identifier",
)  # fmt: skip


class Language:
    """A language that definitions, and mostly calls too, can be read from."""

    name: ClassVar[str]
    extensions: tuple[str, ...]
    grammar: ClassVar[tuple[str, str]]
    """Module and function that give the grammar."""
    extra: ClassVar[str] = "code"
    """The extra that installs the grammar."""
    level: ClassVar[Level] = "structural"
    separator: ClassVar[str] = "."
    """What joins the parts of a qualified name."""
    comment_types: ClassVar[frozenset[str]] = frozenset({"comment"})
    wrapper_types: ClassVar[frozenset[str]] = frozenset()
    """Nodes around a definition that belong to it, as an `export` does."""
    annotation_types: ClassVar[frozenset[str]] = frozenset()
    """Annotations or attributes inside a definition, which its signature leaves out."""
    package_types: ClassVar[tuple[str, ...]] = ()
    """Nodes that declare the package or namespace of a file."""
    default_visibility: ClassVar[str] = "public"
    """Who may use a definition where nothing is written."""
    doc_prefixes: ClassVar[tuple[str, ...]] = ()
    """How a documentation comment starts; any comment where empty."""
    file_is_module: ClassVar[bool] = True
    """Whether a file is a namespace of its own."""
    file_names_members: ClassVar[bool] = True
    """Whether the name of the file is part of the names of what it defines."""
    has_overloads: ClassVar[bool] = False
    """Whether functions of one name differ by their parameters."""
    query_folders: tuple[str, ...] = ()
    """Folders below `languages/` that hold its queries; its own where empty."""
    route_marks: ClassVar[tuple[bytes, ...]] = ()
    """Words without one of which a file registers no web routes."""
    route_calls: ClassVar[re.Pattern[bytes] | None] = None
    """How the calls look that may register routes; any call where it is None."""
    implicit_this: ClassVar[bool] = True
    """Whether a bare name may be a member of the enclosing type."""
    scopes_are_bodies: ClassVar[bool] = False
    """Whether decorators, defaults and bases belong to the scope around."""
    family: ClassVar[str] = ""
    """Languages of one family call each other; each is its own by default."""

    @cached_property
    def tree_language(self) -> tree_sitter.Language:
        """Load the grammar.

        Raises:
            MissingExtraError: The wheel with the grammar is not installed.
        """
        module, function = self.grammar
        try:
            from tree_sitter import Language as TreeLanguage

            return TreeLanguage(getattr(import_module(module), function)())
        except ImportError as exc:
            raise MissingExtraError(f"reading {self.name} code", self.extra) from exc

    def readable(self, data: bytes) -> bytes:
        """Return a text of the same length that the grammar reads better, or the same.

        Args:
            data: The text of a file in UTF-8.
        """
        return data

    @cached_property
    def query(self) -> tree_sitter.Query:
        """Load the query that finds the definitions."""
        from tree_sitter import Query

        return Query(self.tree_language, self.query_text("symbols.scm"))

    def query_text(self, name: str) -> str:
        """Return the text of a query: that of the files of a name, joined.

        Args:
            name: The file name, in each of the language's query folders.
        """
        own = type(self).__module__.rpartition(".")[2]
        root = resources.files("outcrop.codegraph.languages")
        files = [root / folder / name for folder in self.query_folders or (own,)]
        return "\n".join(file.read_text("utf-8") for file in files if file.is_file())

    def definitions(self, root: tree_sitter.Node, source: Source) -> list[Capture]:
        """Return the definitions of a file, as its query finds them."""
        from tree_sitter import QueryCursor

        del source
        found: list[Capture] = []
        for _, captures in QueryCursor(self.query).matches(root):
            names, bodies = captures.pop("name", None), captures.pop("body", None)
            name = names[0] if names else None
            body = bodies[0] if bodies else None
            for capture, nodes in captures.items():
                found += [(capture, node, name, body) for node in nodes]
        return found

    def extent(self, node: tree_sitter.Node) -> tree_sitter.Node:
        """Return the node that spans the definition with all that belongs to it."""
        parent = node.parent
        while parent is not None and parent.type in self.wrapper_types:
            node, parent = parent, parent.parent
        return node

    def doc(self, node: tree_sitter.Node, body: tree_sitter.Node | None) -> str:
        """Return the documentation of a definition, without marker syntax."""
        del body
        comments: list[str] = []
        # Some grammars put the comment above a body before it, not into it.
        while node.prev_sibling is None and node.parent is not None:
            if node.parent.parent is None or node.parent.start_byte != node.start_byte:
                break
            node = node.parent
        below, above = node, node.prev_sibling
        while above is not None and self._documents(above, below):
            comments.append(text_of(above))
            below, above = above, above.prev_sibling
        return clean_comment(comments[::-1]) if comments else ""

    def _documents(self, above: tree_sitter.Node, below: tree_sitter.Node) -> bool:
        # A line comment may own its newline, in which case it ends on the next row.
        if above.type not in self.comment_types:
            return False
        if below.start_point.row - above.end_point.row > 1:
            return False
        before = above.prev_sibling
        if before is not None and before.end_point.row == above.start_point.row:
            return before.type in self.comment_types or not before.is_named
        return not self.doc_prefixes or text_of(above).startswith(self.doc_prefixes)

    def signature_start(self, node: tree_sitter.Node) -> int:
        """Return the byte where the signature of a definition starts."""
        for child in node.children if self.annotation_types else ():
            if child.type in self.annotation_types or "comment" in child.type:
                continue
            if child.type != "modifiers":
                return child.start_byte
            for word in child.children:
                if word.type not in self.annotation_types:
                    return word.start_byte
        return node.start_byte

    def annotations(self, node: tree_sitter.Node) -> tuple[str, ...]:
        """Return the decorators, annotations or attributes as written."""
        del node
        return ()

    def modifiers(self, node: tree_sitter.Node) -> tuple[str, ...]:
        """Return words such as `static` and `abstract` that qualify a definition."""
        del node
        return ()

    def visibility(self, name: str, modifiers: Sequence[str], *, member: bool) -> str:
        """Return who may use a definition."""
        del name, member
        for word in ("private", "protected", "internal", "public"):
            if word in modifiers:
                return word
        return self.default_visibility

    def parameters(self, node: tree_sitter.Node) -> tuple[Parameter, ...]:
        """Return the parameters of a function."""
        del node
        return ()

    def returns(self, node: tree_sitter.Node) -> str:
        """Return the declared type of a result or of a field, or nothing."""
        del node
        return ""

    def bases(self, node: tree_sitter.Node) -> tuple[tuple[str, str], ...]:
        """Return (`extends` or `implements`, type) for each base of a class."""
        del node
        return ()

    def refine(self, kind: str, node: tree_sitter.Node, parent: str) -> str:
        """Return the final kind of a definition; empty where it is not a definition.

        Args:
            kind: The kind that the query gave.
            node: The definition.
            parent: The kind of the definition around it.
        """
        del node
        if kind == "FUNCTION" and parent in {"CLASS", "INTERFACE", "ENUM"}:
            return "METHOD"
        return kind

    def belongs_to_type(self, node: tree_sitter.Node) -> bool:
        """Whether a parameter of a constructor defines a field of its class."""
        del node
        return False

    def owner(self, node: tree_sitter.Node) -> str:
        """Return the name of a type that owns a definition written outside it."""
        del node
        return ""

    def dialect(self) -> Dialect:
        """Return the rules by which calls are resolved."""
        from outcrop.codegraph.typed.dialect import Dialect

        return Dialect()

    def module_names(
        self, files: Sequence[tuple[str, str]], root: Path
    ) -> dict[str, str]:
        """Return the qualified name of each file as a namespace.

        Args:
            files: (path, package that the file declares) of each file.
            root: The folder the paths are relative to.
        """
        del root
        return {
            path: package if not self.file_is_module else path.rpartition(".")[0]
            for path, package in files
        }

    def package_parts(self, name: str) -> tuple[str, str]:
        """Return the package around a package, and its own last name."""
        parent, _, last = name.rpartition(self.separator)
        return parent, last

    def is_package(self, path: str) -> bool:
        """Whether a file is the module of a package."""
        del path
        return False

    def package(self, root: tree_sitter.Node) -> str:
        """Return the package that a file declares, or nothing."""
        declared = child_of(root, *self.package_types) if self.package_types else None
        if declared is None:
            return ""
        name = declared.child_by_field_name("name")
        return text_of(name or child_of(declared, *_PACKAGE_NAMES))

    def read(
        self, root: tree_sitter.Node, source: Source, symbols: Sequence[ParsedSymbol],
        places: dict[int, int],
    ) -> tuple[list[ParsedImport], Any]:  # fmt: skip
        """Return imports and whatever this language's resolver needs of a file.

        Args:
            root: The tree of the file.
            source: Its text.
            symbols: Its definitions.
            places: The id of a definition's node to its index in `symbols`.
        """
        del root, source, symbols, places
        return [], None


class TypedLanguage(Language):
    """A language read by handlers, one for each type of syntax node."""

    level = "typed"
    code_module: ClassVar[str]
    """Module with `HANDLERS` (node type -> reader) and `BLOCKS` (nodes with a scope).

    Imported on the first read: most runs read few of the languages.
    """
    field_callers: ClassVar[bool] = False
    """Whether calls in a field's initial value outside any type belong to the field."""

    def read(
        self, root: tree_sitter.Node, source: Source, symbols: Sequence[ParsedSymbol],
        places: dict[int, int],
    ) -> tuple[list[ParsedImport], Any]:  # fmt: skip
        """Return imports, variables and calls."""
        from outcrop.codegraph.typed.reader import TypedReader

        code = import_module(self.code_module)
        reader = TypedReader(
            source.data, symbols, places, code.HANDLERS, code.BLOCKS,
            field_callers=self.field_callers,
        )  # fmt: skip
        reader.visit_all(root.named_children)
        return reader.imports, reader.finish()


def clean_comment(comments: Sequence[str]) -> str:
    """Return the text of adjacent comments, marker syntax removed."""
    return dedent("\n".join(_clean_one(comment) for comment in comments)).strip()


def _clean_one(comment: str) -> str:
    comment = comment.strip("\r\n")
    if comment.startswith("/*"):
        inner = _BLOCK.sub("", _BLOCK.sub("", comment.strip()))
        return cleandoc(_STAR.sub("", inner))
    return "\n".join(map(_clean_line, comment.splitlines()))


def _clean_line(line: str) -> str:
    line = line.strip()
    for marker in _LINE_MARKERS:
        if line.startswith(marker):
            return line[len(marker) :].removeprefix(" ").rstrip()
    return line
