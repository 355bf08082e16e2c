"""What one file says, without any other file: the values that workers send back.

Everything here is built of tuples, lists, dicts, strings and numbers, so that it
crosses a process boundary cheaply and can be kept until the file changes, as bytes.

The shape of a file is all that names and relations are worked out from. Two versions of
a file with the same shape have the same nodes and edges, at other places: a comment, a
docstring or a blank line does not change the shape.
"""

from __future__ import annotations

import io
import marshal
import pickle
import zlib
from hashlib import blake2b
from typing import Any, NamedTuple, NoReturn

from outcrop.codegraph.flow.file_flow import FileFlow, pack_flow, unpack_flow

# Later versions of the format write references, which differ for equal values.
_PLAIN_FORMAT = 2
_FASTEST = 1


class Parameter(NamedTuple):
    """A parameter of a function, as written."""

    name: str
    type: str = ""
    optional: bool = False
    """It has a default value, so a call may leave it out."""
    variadic: bool = False
    """It takes any number of arguments."""


class ParsedSymbol(NamedTuple):
    """A definition in a file. The first symbol of a file is the file itself."""

    kind: str
    """A `NodeKind`, or `LAMBDA` for a function without a name."""
    name: str
    parent: int
    """Index of the enclosing symbol; -1 for the file."""
    start: int
    end: int
    line_start: int
    line_end: int
    signature: str
    doc: str
    annotations: tuple[str, ...]
    visibility: str
    parameters: tuple[Parameter, ...]
    returns: str
    """The declared type: of the result, or of the field."""
    bases: tuple[tuple[str, str], ...]
    """(`extends` or `implements`, type as written) of a class."""
    modifiers: tuple[str, ...]


class ParsedImport(NamedTuple):
    """A name that an import brings into a file."""

    alias: str
    """The local name; `*` where all names are brought in."""
    path: str
    """What is imported, as the language writes it."""
    member: str = ""
    """The member of `path` that is meant; empty for `path` itself."""


class ParsedRoute(NamedTuple):
    """A call that may register a route."""

    callee: str
    arguments: tuple[str, ...]
    target: str
    """The variable that the result is assigned to."""
    around: tuple[tuple[str, str], ...]
    """(callee, first argument) of the calls around it, outermost first."""
    symbol: int
    """The definition that contains it."""
    handler: int
    """The function without a name that it is given, or -1."""
    start: int
    end: int
    line_start: int
    line_end: int


class ParsedCode(NamedTuple):
    """The code of a file in a language with declared types.

    Expressions are plain tuples, described in `typed.reader`, so that they cross a
    process boundary as they are.
    """

    variables: list[tuple[str, tuple[Any, ...] | None, int]]
    """(declared type, initial value, symbol it is declared in) of each variable."""
    calls: list[tuple[int, tuple[Any, ...]]]
    """(symbol, expression) of each call site."""
    exports: list[tuple[str, ...]]
    """What the language's dialect reads: exports, implementations."""
    results: dict[int, tuple[Any, ...]]
    """Function -> what it returns, where its type does not say."""
    assigned: dict[tuple[int, str], tuple[tuple[Any, ...], int]]
    """(class or file, field) -> what it is first set to, and in which symbol."""


class ParsedFile(NamedTuple):
    """All that is known of a file alone."""

    path: str
    lang: str
    digest: str
    text: str
    package: str
    """The package the file declares itself to be in, where the language has that."""
    symbols: list[ParsedSymbol]
    imports: list[ParsedImport]
    body: Any
    """What the resolver needs: a `FileFlow` or a `ParsedCode`; None where neither is
    read."""
    routes: list[ParsedRoute]
    """Calls that may register web routes."""
    has_errors: bool
    fallback: str
    """Why less than everything was read; empty where all was."""


def pack(facts: ParsedFile) -> tuple[Any, ...]:
    """Turn facts into plain tuples, which `marshal` can write."""
    symbols = [
        (*symbol[:11], tuple(map(tuple, symbol[11])), *symbol[12:])
        if symbol[11]
        else tuple(symbol)
        for symbol in facts.symbols
    ]
    imports = [tuple(fact) for fact in facts.imports]
    routes = [tuple(fact) for fact in facts.routes]
    is_flow = isinstance(facts.body, FileFlow)
    body = facts.body
    if body is not None:
        body = pack_flow(body) if is_flow else tuple(body)
    return (is_flow, *facts[:5], symbols, imports, body, routes, *facts[9:])


def unpack(row: tuple[Any, ...]) -> ParsedFile:
    """Undo `pack`."""
    is_flow, *packed = row
    symbols = [_unpack_symbol(row) for row in packed[5]]
    imports = list(map(ParsedImport._make, packed[6]))
    body = packed[7]
    if body is not None:
        body = unpack_flow(body) if is_flow else ParsedCode._make(body)
    routes = list(map(ParsedRoute._make, packed[8]))
    return ParsedFile._make((*packed[:5], symbols, imports, body, routes, *packed[9:]))


def _unpack_symbol(row: tuple[Any, ...]) -> ParsedSymbol:
    if row[11]:
        row = (*row[:11], tuple(map(Parameter._make, row[11])), *row[12:])
    # As `_make` does, without its checks: there are tens of thousands.
    return tuple.__new__(ParsedSymbol, row)


def owner_name(symbol: ParsedSymbol) -> str:
    """Return the type that a symbol says it belongs to, though written outside."""
    for modifier in symbol.modifiers:
        if modifier.startswith("owner:"):
            return modifier[6:]
    return ""


class KeptFacts(NamedTuple):
    """The facts of a file without its text."""

    digest: str
    """Fingerprint of the file's content."""
    shape: str
    """The same for versions of the file with the same names and relations."""
    data: bytes
    """What `load_facts` reads."""


def keep_facts(facts: ParsedFile) -> KeptFacts:
    """Turn facts into bytes."""
    packed = pack(facts._replace(text=""))
    data = zlib.compress(pickle.dumps(packed, pickle.HIGHEST_PROTOCOL), _FASTEST)
    return KeptFacts(facts.digest, _shape(packed), data)


def load_facts(data: bytes) -> ParsedFile:
    """Undo `keep_facts`; the text is empty."""
    return unpack(_PlainUnpickler(io.BytesIO(zlib.decompress(data))).load())


def _shape(packed: tuple[Any, ...]) -> str:
    _, _, lang, _, _, package, symbols, imports, body, routes, *rest = packed
    # Without their places, and the documentation of symbols.
    symbols = [(*row[:3], row[7], *row[9:]) for row in symbols]
    routes = [row[:6] for row in routes]
    key = (lang, package, symbols, imports, body, routes, rest)
    data = marshal.dumps(key, _PLAIN_FORMAT)
    return blake2b(data, digest_size=16).hexdigest()


class _PlainUnpickler(pickle.Unpickler):
    """Reads plain values only: bytes from a database must not name code to run."""

    def find_class(self, module: str, name: str) -> NoReturn:
        raise pickle.UnpicklingError(f"facts hold plain values, not {module}.{name}")
