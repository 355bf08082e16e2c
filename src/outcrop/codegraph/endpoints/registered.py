"""Routes that calls register: Django, Express, Go, Ktor, minimal ASP.NET."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from outcrop.codegraph.endpoints.route import (
    DJANGO,
    KEYWORD,
    VERBS,
    Handlers,
    Route,
    django_path,
    enclosing_function,
    join_path,
    keyword_arguments,
    string_value,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from outcrop.codegraph.endpoints.mounts import Mounts
    from outcrop.codegraph.parsed import ParsedRoute
    from outcrop.codegraph.symbols import SymbolTable

_GO_PATTERN = re.compile(r"^(?:([A-Z]+) )?(?:[\w.:-]*)(/.*)$", re.DOTALL)
_AS_VIEW = re.compile(r"\.as_view\(.*", re.DOTALL)


def registered_routes(table: SymbolTable, mounts: Mounts) -> Iterator[Route]:
    """Yield the routes that are registered by calls."""
    handlers = Handlers(table)
    for index, facts in enumerate(table.files):
        reader = _READERS.get(facts.lang)
        if reader is None or not facts.routes:
            continue
        for fact in facts.routes:
            owner = _owner(fact, facts.lang)
            function = enclosing_function(facts, fact)
            for method, path, handler in reader(fact):
                number = fact.handler + table.starts[index] if fact.handler >= 0 else -1
                if number < 0 and handler:
                    number = handlers.find(index, handler, fact.symbol)
                place = table.starts[index] + fact.symbol
                for prefix in mounts.paths(index, owner, function):
                    yield Route(
                        method, join_path(prefix, path), number, place, fact.start,
                        fact.end, fact.line_start, fact.line_end,
                    )  # fmt: skip


def _owner(fact: ParsedRoute, lang: str) -> str:
    """Return the router that a route belongs to: in Django, the list that contains it."""
    owner, _, verb = fact.callee.rpartition(".")
    if lang == "python" and verb in DJANGO:
        return fact.target or "urlpatterns"
    return owner


def _python(fact: ParsedRoute) -> Iterator[tuple[str, str, str]]:
    if fact.callee.rpartition(".")[2] in {"add_url_rule", "add_api_route"}:
        yield from _added(fact)
    else:
        yield from _django(fact)


def _added(fact: ParsedRoute) -> Iterator[tuple[str, str, str]]:
    """`app.add_url_rule("/x", view_func=f)`, `router.add_api_route("/x", f)`."""
    path = string_value(fact.arguments[0]) if fact.arguments else None
    named = keyword_arguments(fact)
    plain = [a for a in fact.arguments[1:] if not KEYWORD.match(a)]
    last = plain[-1] if plain else ""
    handler = _AS_VIEW.sub("", named.get("view_func") or named.get("endpoint") or last)
    listed = re.findall(r"[\"'](\w+)[\"']", named.get("methods", ""))
    for method in listed or ["GET"]:
        if path is not None:
            yield method.upper(), path, handler


def _django(fact: ParsedRoute) -> Iterator[tuple[str, str, str]]:
    if fact.callee.rpartition(".")[2] not in DJANGO or len(fact.arguments) < 2:  # noqa: PLR2004
        return
    path = string_value(fact.arguments[0])
    if path is None or "include(" in fact.arguments[1]:
        return
    outer = [
        django_path(string_value(first) or "")
        for callee, first in fact.around
        if callee.rpartition(".")[2] in DJANGO
    ]
    handler = _AS_VIEW.sub("", fact.arguments[1])
    yield "ANY", join_path(*outer, django_path(path)), handler


def _express(fact: ParsedRoute) -> Iterator[tuple[str, str, str]]:
    owner, _, verb = fact.callee.rpartition(".")
    if verb == "use" or not owner or not fact.arguments:
        return
    method = "ANY" if verb == "all" else verb.upper()
    path = string_value(fact.arguments[0])
    if ".route(" in owner and path is None:
        # The path was given before, and is part of the owner.
        yield method, "", fact.arguments[-1]
    elif path is not None and len(fact.arguments) > 1 and path.startswith(("/", "*")):
        yield method, path, fact.arguments[-1]


def _go(fact: ParsedRoute) -> Iterator[tuple[str, str, str]]:
    verb = fact.callee.rpartition(".")[2]
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
        path = join_path(*outer, written)
        yield "ANY" if verb == "Any" else verb.upper(), path, handler


def _ktor(fact: ParsedRoute) -> Iterator[tuple[str, str, str]]:
    names = [callee for callee, _ in fact.around]
    if not {"routing", "route"} & set(names) and fact.symbol == 0:
        return
    outer = [
        string_value(first) or "" for callee, first in fact.around if callee == "route"
    ]
    path = string_value(fact.arguments[0]) if fact.arguments else ""
    if path is not None and fact.handler >= 0 and fact.callee.upper() in VERBS:
        yield fact.callee.upper(), join_path(*outer, path), ""


def _minimal(fact: ParsedRoute) -> Iterator[tuple[str, str, str]]:
    verb = fact.callee.rpartition(".")[2]
    path = string_value(fact.arguments[0]) if fact.arguments else None
    method = verb.removeprefix("Map").upper()
    if path is not None and method in VERBS:
        yield method, path, fact.arguments[-1]


_READERS: dict[str, Callable[[ParsedRoute], Iterator[tuple[str, str, str]]]] = {
    "c-sharp": _minimal,
    "go": _go,
    "javascript": _express,
    "kotlin": _ktor,
    "python": _python,
    "tsx": _express,
    "typescript": _express,
}
