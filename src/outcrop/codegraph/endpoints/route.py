"""A web route: its path joined from parts, and the definition that handles it."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from outcrop.codegraph.nearest import nearest

if TYPE_CHECKING:
    from outcrop.codegraph.parsed import ParsedFile, ParsedRoute
    from outcrop.codegraph.symbols import SymbolTable


DJANGO = frozenset({"path", "re_path", "url"})
"""Functions that register a route in Django."""
VERBS = frozenset({"GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD"})
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


def join_path(*parts: str) -> str:
    """Return one path from the prefixes and the end of it."""
    kept = [part.strip("/") for part in parts if part.strip("/")]
    path = "/" + "/".join(kept)
    trailing = parts[-1].endswith("/") and kept and parts[-1].strip("/")
    return f"{path}/" if trailing else path


_HANDLERS = frozenset({"FUNCTION", "METHOD", "CLASS"})


@lru_cache(maxsize=4)
def _by_name(table: SymbolTable) -> dict[str, dict[str, int]]:
    """Return the definitions that may handle a route, by name, then by path.

    They are added from the last to the first, so that the first of a file is kept.
    """
    found: dict[str, dict[str, int]] = {}
    for number in range(len(table.fqns) - 1, -1, -1):
        if table.symbols[number].kind in _HANDLERS:
            path = table.files[table.file_of[number]].path
            found.setdefault(table.fqns[number], {})[path] = number
    return found


def find_handler(table: SymbolTable, index: int, written: str, symbol: int) -> int:
    """Return the symbol that an expression names, or -1.

    Args:
        table: All symbols.
        index: The file that contains the expression.
        written: The expression.
        symbol: The definition that contains it, by its place in the file.
    """
    known = _by_name(table)
    facts = table.files[index]
    module = table.modules[facts.path]
    start = table.starts[index]
    candidates = []
    number = start + symbol
    while number >= 0:
        candidates.append(f"{table.fqns[number]}.{written}")
        number = table.parents[number]
    candidates.append(f"{module}.{written}")
    first, _, rest = written.partition(".")
    for alias, path, member in facts.imports:
        name = alias or path.rpartition("/")[2]
        if name == first:
            for target in modules_of(module, path, facts.lang, facts.path):
                parts = [target, "" if member in {"=", "default"} else member, rest]
                candidates.append(".".join(part for part in parts if part))
                if member == "default":
                    candidates.append(f"{target}.{first}")
    handlers = (nearest(known[n], facts.path) for n in candidates if n in known)
    found = next(handlers, None)
    return _method_of_variable(table, index, written) if found is None else found


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


def _method_of_variable(table: SymbolTable, index: int, written: str) -> int:
    """Return the method of a name where the file defines just one: `h.Show` in Go."""
    last = written.rpartition(".")[2]
    if last == written or not last.isidentifier():
        return -1
    module = table.modules[table.files[index].path]
    found = [
        number
        for number, symbol in enumerate(table.symbols)
        if symbol.name == last
        and symbol.kind == "METHOD"
        and table.modules[table.files[table.file_of[number]].path] == module
    ]
    return found[0] if len(found) == 1 else -1


def enclosing_function(facts: ParsedFile, fact: ParsedRoute) -> str:
    """Return the name of the function that registers a route; empty outside any."""
    number = fact.symbol
    while number > 0 and facts.symbols[number].kind == "LAMBDA":
        number = facts.symbols[number].parent
    return facts.symbols[number].name if number > 0 else ""


def django_path(text: str) -> str:
    """Return the path of one of Django's patterns."""
    return "/" + text.lstrip("^/").rstrip("$")
