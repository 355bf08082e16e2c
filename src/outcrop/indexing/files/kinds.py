"""The kind of a file, by its name."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from typing import NamedTuple

from outcrop.codegraph.languages import language, language_of

CODE = "code"
SYMBOL = "symbol"  # the document of a node without a file
DOCUMENT_KINDS = {
    ".md": "markdown",
    ".markdown": "markdown",
    ".mdx": "markdown",
    ".txt": "text",
    ".rst": "text",
    ".adoc": "text",
    ".asciidoc": "text",
    ".org": "text",
    ".htm": "html",
    ".html": "html",
    ".ipynb": "notebook",
    ".docx": "docx",
    ".pdf": "pdf",
}
# Kinds that are not text, with the module of the extra `convert` that reads them.
BINARY_KINDS = {"docx": "mammoth", "pdf": "pypdf"}
_VERBATIM_KINDS = frozenset(["markdown", "text"])
# Kinds whose text is Markdown, or is made into it.
MARKDOWN_KINDS = frozenset(["markdown", "docx", "html", "notebook"])

# Languages without a supported grammar, by extension: indexed, but cut by lines.
_BY_EXTENSION = {
    ".asm": "assembly", ".bat": "batch", ".cfg": "ini",
    ".clj": "clojure", ".cljs": "clojure", ".cmake": "cmake", ".cr": "crystal",
    ".css": "css", ".cu": "cuda", ".d": "d", ".dart": "dart", ".ejs": "html",
    ".elm": "elm", ".erl": "erlang", ".ex": "elixir", ".exs": "elixir",
    ".f90": "fortran", ".fish": "fish", ".fs": "fsharp", ".gd": "gdscript",
    ".glsl": "glsl", ".gradle": "groovy", ".graphql": "graphql",
    ".groovy": "groovy", ".hcl": "hcl", ".hrl": "erlang", ".hs": "haskell",
    ".ini": "ini", ".j2": "jinja",
    ".jinja": "jinja", ".jinja2": "jinja", ".jl": "julia", ".json": "json",
    ".json5": "json", ".less": "less", ".lisp": "lisp", ".m": "objective-c",
    ".mk": "make", ".ml": "ocaml", ".mli": "ocaml", ".mm": "objective-c",
    ".nim": "nim", ".nix": "nix", ".pas": "pascal", ".pl": "perl",
    ".pm": "perl", ".prisma": "prisma", ".proto": "protobuf", ".ps1": "powershell",
    ".pug": "pug", ".purs": "purescript", ".pyx": "cython", ".r": "r", ".rkt": "racket",
    ".sass": "sass", ".scm": "scheme", ".scss": "scss", ".sol": "solidity",
    ".sql": "sql", ".svelte": "svelte", ".tcl": "tcl", ".tex": "latex",
    ".tf": "hcl", ".toml": "toml", ".v": "verilog", ".vb": "visual-basic",
    ".vhd": "vhdl", ".vim": "vim", ".vue": "vue", ".wgsl": "wgsl", ".xml": "xml",
    ".xsd": "xml", ".xsl": "xml", ".yaml": "yaml", ".yml": "yaml", ".zig": "zig",
}  # fmt: skip
_BY_NAME = {
    "cmakelists.txt": "cmake",
    "containerfile": "dockerfile",
    "dockerfile": "dockerfile",
    "gemfile": "ruby",
    "go.mod": "go-mod",
    "jenkinsfile": "groovy",
    "justfile": "just",
    "makefile": "make",
    "rakefile": "ruby",
    "vagrantfile": "ruby",
}
# Written by tools for tools, and not worth searching.
_GENERATED_NAMES = frozenset({
    "bun.lock", "cargo.lock", "composer.lock", "flake.lock", "gemfile.lock", "go.sum",
    "npm-shrinkwrap.json", "package-lock.json", "packages.lock.json", "pdm.lock",
    "pipfile.lock", "pnpm-lock.yaml", "poetry.lock", "uv.lock", "yarn.lock",
})  # fmt: skip
_GENERATED_ENDINGS = (
    *(".min.js", ".min.mjs", ".min.css", ".bundle.js", ".js.map", ".css.map"),
    *("_pb2.py", "_pb2_grpc.py", ".pb.go", ".g.dart", ".designer.cs"),
)
_DATA = frozenset({"json", "xml", "yaml"})

# Manifests that the names in code depend on.
MANIFESTS = frozenset({
    "cargo.toml", "go.mod", "jsconfig.json", "package.json", "tsconfig.base.json",
    "tsconfig.json",
})  # fmt: skip

GENERATED = "generated"
# Larger files of code are generated, and larger data files are not documentation.
MAX_CODE_BYTES = 2_000_000
MAX_DATA_BYTES = 100_000
# Size from which long lines show that a file is minified, and the length of such lines.
_MIN_MINIFIED_BYTES = 5_000
_MAX_BYTES_PER_LINE = 400


class FileKind(NamedTuple):
    """The kind of a file.

    Attributes:
        kind: `markdown`, `text`, `notebook`, `html`, `code` or `generated`.
        lang: The language of code.
        has_grammar: Whether the code graph reads it.
    """

    kind: str
    lang: str | None = None
    has_grammar: bool = False

    @property
    def max_bytes(self) -> int | None:
        """Maximum size of such a file; None if unlimited."""
        if self.kind != CODE:
            return None
        return MAX_DATA_BYTES if self.lang in _DATA else MAX_CODE_BYTES


def needs_convert(kind: str) -> bool:
    """Whether files of a kind need the extra `convert`, which is not installed."""
    module = BINARY_KINDS.get(kind)
    return module is not None and find_spec(module) is None


@cache
def _is_installed(lang: str) -> bool:
    """Whether the grammar of a language and tree-sitter are installed."""
    module, _ = language(lang).grammar
    return all(find_spec(name) is not None for name in (module, "tree_sitter"))


def is_minified(data: bytes) -> bool:
    """Whether a file of code is minified: its lines are too long."""
    size = len(data)
    return size > _MIN_MINIFIED_BYTES and size > _MAX_BYTES_PER_LINE * (
        data.count(b"\n") + 1
    )


def extension_of(name: str) -> str:
    """Return the extension that names the format of a file, in lower case.

    Sphinx publishes the sources of pages under names such as `page.rst.txt`.
    """
    lower = name.lower()
    published = lower.removesuffix(".txt")
    if published != lower:
        inner = _last_extension(published)
        if DOCUMENT_KINDS.get(inner) in _VERBATIM_KINDS:
            return inner
    return _last_extension(lower)


def _last_extension(name: str) -> str:
    dot = name.rfind(".")
    return name[dot:] if dot >= 0 else ""


def kind_of(name: str) -> FileKind | None:
    """Return the kind of a file by its name; None if it is not indexed."""
    lower = name.lower()
    if lower in _BY_NAME:
        return FileKind(CODE, _BY_NAME[lower])
    extension = extension_of(lower)
    document = DOCUMENT_KINDS.get(extension)
    if document is not None:
        return FileKind(document)
    if lower in _GENERATED_NAMES or lower.endswith(_GENERATED_ENDINGS):
        return FileKind(GENERATED)
    lang = language_of(lower)
    if lang is not None:
        return FileKind(CODE, lang, has_grammar=_is_installed(lang))
    other = _BY_EXTENSION.get(extension)
    return None if other is None else FileKind(CODE, other)
