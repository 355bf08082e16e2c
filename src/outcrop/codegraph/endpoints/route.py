"""A web route: its path joined from parts, and the definition that handles it."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from outcrop.codegraph.names import nearest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outcrop.codegraph.parsed import ParsedFile, ParsedRoute
    from outcrop.codegraph.symbols import SymbolTable


DJANGO = frozenset({"path", "re_path", "url"})
"""Functions that register a route in Django."""
VERBS = frozenset({"GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD"})
KEYWORD = re.compile(r"^\w+=(?!=)")
"""How an argument starts that a call in Python gives by name."""
_STRING = re.compile(
    r"""^[A-Za-z@$]*(?:\"\"\"|'''|["'`])(.*?)(?:\"\"\"|'''|["'`])$""", re.DOTALL
)


class Route(NamedTuple):
    """A route and where it is written."""

    method: str
    path: str
    handler: int
    """The symbol that serves it, or -1."""
    place: int
    """The symbol whose code registers it."""
    start: int
    end: int
    line_start: int
    line_end: int


def string_value(text: str) -> str | None:
    """Return the value of a string literal; None for any other expression."""
    found = _STRING.match(text.strip())
    return found.group(1) if found else None


def keyword_arguments(fact: ParsedRoute) -> dict[str, str]:
    """Return what a call in Python gives by name: `prefix="/x"`."""
    return dict(a.split("=", 1) for a in fact.arguments if KEYWORD.match(a))


def join_path(*parts: str) -> str:
    """Return one path from the prefixes and the end of it."""
    kept = [part.strip("/") for part in parts if part.strip("/")]
    path = "/" + "/".join(kept)
    trailing = parts[-1].endswith("/") and kept and parts[-1].strip("/")
    return f"{path}/" if trailing else path


_HANDLERS = frozenset({"FUNCTION", "METHOD", "CLASS"})


class Handlers:
    """The definitions of a project that may handle a route."""

    def __init__(self, table: SymbolTable) -> None:
        self._table = table

    @cached_property
    def _by_name(self) -> dict[str, dict[str, int]]:
        """The definitions by qualified name, then by path.

        They are added from the last to the first, so that the first of a file is kept.
        """
        table = self._table
        found: dict[str, dict[str, int]] = {}
        for number in range(len(table.fqns) - 1, -1, -1):
            if table.symbols[number].kind in _HANDLERS:
                path = table.files[table.file_of[number]].path
                found.setdefault(table.fqns[number], {})[path] = number
        return found

    @cached_property
    def _methods(self) -> dict[tuple[str, str], list[int]]:
        """The methods by module and name."""
        table = self._table
        found: dict[tuple[str, str], list[int]] = {}
        for number, symbol in enumerate(table.symbols):
            if symbol.kind == "METHOD":
                module = table.modules[table.files[table.file_of[number]].path]
                found.setdefault((module, symbol.name), []).append(number)
        return found

    def find(self, index: int, written: str, symbol: int) -> int:
        """Return the symbol that an expression names, or -1.

        Args:
            index: The file that contains the expression.
            written: The expression.
            symbol: The definition that contains it, by its place in the file.
        """
        table, known = self._table, self._by_name
        facts = table.files[index]
        module = table.modules[facts.path]
        candidates = []
        number = table.starts[index] + symbol
        while number >= 0:
            candidates.append(f"{table.fqns[number]}.{written}")
            number = table.parents[number]
        candidates += [f"{module}.{written}", *_imported(facts, module, written)]
        handlers = (nearest(known[n], facts.path) for n in candidates if n in known)
        found = next(handlers, None)
        return self._method_of_variable(module, written) if found is None else found

    def _method_of_variable(self, module: str, written: str) -> int:
        """Return the method of a name where the file defines just one: `h.Show` in Go."""
        last = written.rpartition(".")[2]
        if last == written or not last.isidentifier():
            return -1
        found = self._methods.get((module, last), [])
        return found[0] if len(found) == 1 else -1


def _imported(facts: ParsedFile, module: str, written: str) -> Iterator[str]:
    """Yield the qualified names that an expression may have by an import of its file."""
    first, _, rest = written.partition(".")
    for alias, path, member in facts.imports:
        name = alias or path.rpartition("/")[2]
        if name == first:
            for target in modules_of(module, path, facts.lang, facts.path):
                parts = [target, "" if member in {"=", "default"} else member, rest]
                yield ".".join(part for part in parts if part)
                if member == "default":
                    yield f"{target}.{first}"


def modules_of(module: str, path: str, lang: str, file: str) -> list[str]:
    """Return the modules that an import in a module may mean."""
    if lang == "python":
        plain = path.lstrip(".")
        level = len(path) - len(plain)
        if not level:
            return [path]
        steps = level - 1 if file.endswith("__init__.py") else level
        base = module.split(".")
        base = base[: len(base) - steps] if steps else base
        return [".".join([*base, plain]) if plain else ".".join(base)]
    if path.startswith("."):
        import posixpath

        plain = posixpath.normpath(posixpath.join(posixpath.dirname(module), path))
        return [plain, plain.removesuffix(".js"), f"{plain}/index"]
    return [path]


def enclosing_function(facts: ParsedFile, fact: ParsedRoute) -> str:
    """Return the name of the function that registers a route; empty outside any."""
    number = fact.symbol
    while number > 0 and facts.symbols[number].kind == "LAMBDA":
        number = facts.symbols[number].parent
    return facts.symbols[number].name if number > 0 else ""


def django_path(text: str) -> str:
    """Return the path of one of Django's patterns."""
    return "/" + text.lstrip("^/").rstrip("$")
