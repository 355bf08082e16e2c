"""Routes that calls register: Django, Express, Go, Ktor, minimal ASP.NET."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING

from outcrop.codegraph.endpoints.handlers import find_handler
from outcrop.codegraph.endpoints.route import VERBS, Route, join_path, string_value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from outcrop.codegraph.facts import RouteFact
    from outcrop.codegraph.symbols import SymbolTable

_INCLUDE = re.compile(r"""include\(\s*["']([\w.]+)["']""")
_GO_PATTERN = re.compile(r"^(?:([A-Z]+) )?(?:[\w.:-]*)(/.*)$", re.DOTALL)
_DJANGO = frozenset({"path", "re_path", "url"})


def registered_routes(table: SymbolTable) -> Iterator[Route]:
    """Yield the routes that are registered by calls."""
    mounts = _mounts(table)
    for index, facts in enumerate(table.files):
        reader = _READERS.get(facts.lang)
        if reader is None or not facts.routes:
            continue
        module = table.modules[facts.path]
        outer = mounts.get(module, [""])
        groups = _groups(facts.routes)
        for fact in facts.routes:
            for method, path, handler in reader(fact, groups):
                number = fact.handler + table.starts[index] if fact.handler >= 0 else -1
                if number < 0 and handler:
                    number = find_handler(table, index, handler, fact.symbol)
                place = table.starts[index] + fact.symbol
                for prefix in outer:
                    yield Route(
                        method, join_path(prefix, path), number, place, fact.start,
                        fact.end, fact.line_start, fact.line_end,
                    )  # fmt: skip


def _groups(facts: list[RouteFact]) -> dict[str, str]:
    """Return the path that each router variable of a file stands under."""
    groups: dict[str, str] = {}
    for fact in facts:
        owner, _, verb = fact.callee.rpartition(".")
        first = string_value(fact.arguments[0]) if fact.arguments else None
        if first is None:
            continue
        if verb in {"Group", "MapGroup"} and fact.target:
            groups[fact.target] = join_path(groups.get(owner, ""), first)
        elif verb == "use" and len(fact.arguments) > 1:
            groups[fact.arguments[-1]] = first
    return groups


def _mounts(table: SymbolTable) -> dict[str, list[str]]:
    """Return the paths under which other files mount the routes of a module."""
    found: dict[str, list[str]] = {}
    for index, facts in enumerate(table.files):
        for fact in facts.routes:
            for module, prefix in _mounted(table, index, fact):
                found.setdefault(module, []).append(prefix)
    return {module: list(dict.fromkeys(paths)) for module, paths in found.items()}


def _mounted(
    table: SymbolTable, index: int, fact: RouteFact
) -> Iterator[tuple[str, str]]:
    facts = table.files[index]
    verb = fact.callee.rpartition(".")[2]
    if len(fact.arguments) < 2:  # noqa: PLR2004 - a path and what is mounted there
        return
    prefix = string_value(fact.arguments[0])
    if prefix is None:
        return
    if verb in _DJANGO:
        included = _INCLUDE.search(fact.arguments[1])
        if included:
            yield included.group(1), _django_path(prefix)
    elif verb == "use":
        name = fact.arguments[-1]
        required = re.match(r"""require\(["']([^"']+)["']\)""", name)
        paths = [i.path for i in facts.imports if i.alias == name]
        paths += [required.group(1)] if required else []
        for path in paths:
            module = _relative(table, table.modules[facts.path], path)
            if module:
                yield module, prefix


def _relative(table: SymbolTable, module: str, path: str) -> str:
    plain = posixpath.normpath(posixpath.join(posixpath.dirname(module), path))
    known = set(table.modules.values())
    for candidate in (plain, plain.removesuffix(".js"), f"{plain}/index"):
        if candidate in known:
            return candidate
    return ""


def _django_path(text: str) -> str:
    return "/" + text.lstrip("^/").rstrip("$")


def _django(fact: RouteFact, groups: dict[str, str]) -> Iterator[tuple[str, str, str]]:
    del groups
    if fact.callee.rpartition(".")[2] not in _DJANGO or len(fact.arguments) < 2:  # noqa: PLR2004
        return
    path = string_value(fact.arguments[0])
    if path is None or "include(" in fact.arguments[1]:
        return
    handler = re.sub(r"\.as_view\(.*", "", fact.arguments[1], flags=re.DOTALL)
    yield "ANY", _django_path(path), handler


def _express(fact: RouteFact, groups: dict[str, str]) -> Iterator[tuple[str, str, str]]:
    owner, _, verb = fact.callee.rpartition(".")
    path = string_value(fact.arguments[0])
    if verb == "use" or len(fact.arguments) < 2 or not owner or path is None:  # noqa: PLR2004
        return
    if not path.startswith(("/", "*")):
        return
    method = "ANY" if verb == "all" else verb.upper()
    yield method, join_path(groups.get(owner, ""), path), fact.arguments[-1]


def _go(fact: RouteFact, groups: dict[str, str]) -> Iterator[tuple[str, str, str]]:
    owner, _, verb = fact.callee.rpartition(".")
    written = string_value(fact.arguments[0])
    if written is None or len(fact.arguments) < 2:  # noqa: PLR2004 - path and handler
        return
    handler = fact.arguments[-1]
    if verb in {"HandleFunc", "Handle"}:
        found = _GO_PATTERN.match(written)
        if found:
            yield found.group(1) or "ANY", found.group(2), handler
    elif verb.upper() in VERBS or verb == "Any":
        outer = [
            string_value(first) or ""
            for callee, first in fact.around
            if callee.endswith(".Route")
        ]
        path = join_path(groups.get(owner, ""), *outer, written)
        yield "ANY" if verb == "Any" else verb.upper(), path, handler


def _ktor(fact: RouteFact, groups: dict[str, str]) -> Iterator[tuple[str, str, str]]:
    del groups
    names = [callee for callee, _ in fact.around]
    if not {"routing", "route"} & set(names) and fact.symbol == 0:
        return
    outer = [
        string_value(first) or "" for callee, first in fact.around if callee == "route"
    ]
    path = string_value(fact.arguments[0]) if fact.arguments else ""
    if path is not None and fact.handler >= 0:
        yield fact.callee.upper(), join_path(*outer, path), ""


def _minimal(fact: RouteFact, groups: dict[str, str]) -> Iterator[tuple[str, str, str]]:
    owner, _, verb = fact.callee.rpartition(".")
    path = string_value(fact.arguments[0]) if fact.arguments else None
    method = verb.removeprefix("Map").upper()
    if path is not None and method in VERBS:
        prefix = groups.get(owner, "")
        yield method, join_path(prefix, path), fact.arguments[-1]


_READERS: dict[
    str, Callable[[RouteFact, dict[str, str]], Iterator[tuple[str, str, str]]]
] = {
    "c-sharp": _minimal,
    "go": _go,
    "javascript": _express,
    "kotlin": _ktor,
    "python": _django,
    "tsx": _express,
    "typescript": _express,
}
