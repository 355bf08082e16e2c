"""Routes that annotations declare: FastAPI, Flask, Spring, NestJS, ASP.NET."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from outcrop.codegraph.endpoints.route import VERBS, Route, join_path, string_value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from outcrop.codegraph.endpoints.mounts import Mounts
    from outcrop.codegraph.symbols import SymbolTable

_SHAPE = re.compile(r"^[@\[]\s*([\w.:]+?)\s*(?:\((.*)\)\s*)?\]?$", re.DOTALL)
_STRINGS = re.compile(r"""["'`]([^"'`]*)["'`]""")
_METHODS_LIST = re.compile(r"methods\s*=\s*[\[({]([^\])}]*)[\])}]")
_REQUEST_METHOD = re.compile(r"(?:RequestMethod\.|HttpMethod\.)?\b([A-Z]+)\b")
_PATH_ARGUMENT = re.compile(r"""(?:value|path)\s*=\s*[\[{(]?\s*["']([^"']*)["']""")
MethodAndPath = tuple[str, str]
"""(method, path)"""


def annotated_routes(table: SymbolTable, mounts: Mounts) -> Iterator[Route]:
    """Yield the routes that functions and methods are annotated with."""
    for number, symbol in enumerate(table.symbols):
        if symbol.kind not in {"FUNCTION", "METHOD"} or not symbol.annotations:
            continue
        facts = table.files[table.file_of[number]]
        reader = _READERS.get(facts.lang)
        if reader is None:
            continue
        for method, path in reader(table, number, mounts):
            place = table.parents[number]
            yield Route(
                method, path, number, place, symbol.start, symbol.end,
                symbol.line_start, symbol.line_end,
            )  # fmt: skip


def _split(annotation: str) -> tuple[str, str]:
    found = _SHAPE.match(annotation.strip())
    return (found.group(1), found.group(2) or "") if found else ("", "")


def _first_string(arguments: str) -> str | None:
    named = _PATH_ARGUMENT.search(arguments)
    if named:
        return named.group(1)
    first = arguments.partition(",")[0].strip().lstrip("[{(").rstrip("]})")
    return string_value(first)


def _prefix(table: SymbolTable, number: int, name: str) -> str | None:
    """Return the path in an annotation of the class around; None where it has none."""
    found = None
    for annotation in table.symbols[table.parents[number]].annotations:
        written, arguments = _split(annotation)
        if written == name:
            found = _first_string(arguments) or ""
    return found


def _python(table: SymbolTable, number: int, mounts: Mounts) -> Iterator[MethodAndPath]:
    """`@app.get("/x")` and `@app.route("/x", methods=["POST"])`."""
    index = table.file_of[number]
    for annotation in table.symbols[number].annotations:
        name, arguments = _split(annotation)
        owner, _, verb = name.rpartition(".")
        path = _first_string(arguments)
        if not owner or path is None or not (path.startswith("/") or path == ""):
            continue
        methods: list[str] = []
        if verb.upper() in VERBS or verb == "websocket":
            methods = [verb]
        elif verb in {"route", "api_route"}:
            listed = _METHODS_LIST.search(arguments)
            methods = _STRINGS.findall(listed.group(1)) if listed else ["GET"]
        for prefix in mounts.paths(index, owner) if methods else ():
            for method in methods:
                yield method.upper(), join_path(prefix, path)


def _spring(table: SymbolTable, number: int, _: Mounts) -> Iterator[MethodAndPath]:
    """`@GetMapping("/x")` under the class's `@RequestMapping("/y")`."""
    prefix = _prefix(table, number, "RequestMapping") or ""
    for annotation in table.symbols[number].annotations:
        name, arguments = _split(annotation)
        path = join_path(prefix, _first_string(arguments) or "")
        verb = name.removesuffix("Mapping").upper()
        if name.endswith("Mapping") and verb in VERBS:
            yield verb, path
        elif name == "RequestMapping":
            rest = arguments.partition("method")[2]
            methods = [m for m in _REQUEST_METHOD.findall(rest) if m in VERBS]
            for method in methods or ["ANY"]:
                yield method, path


def _nest(table: SymbolTable, number: int, _: Mounts) -> Iterator[MethodAndPath]:
    """`@Get(":id")` under the class's `@Controller("cats")`."""
    prefix = _prefix(table, number, "Controller")
    if prefix is None:
        return
    for annotation in table.symbols[number].annotations:
        name, arguments = _split(annotation)
        if name.upper() in VERBS or name == "All":
            method = "ANY" if name == "All" else name.upper()
            yield method, join_path(prefix, _first_string(arguments) or "")


def _aspnet(table: SymbolTable, number: int, _: Mounts) -> Iterator[MethodAndPath]:
    """`[HttpGet("x")]` under the class's `[Route("api/[controller]")]`."""
    prefix = _prefix(table, number, "Route") or ""
    symbol, owner = table.symbols[number], table.symbols[table.parents[number]]
    routes = dict(map(_split, symbol.annotations))
    own = _first_string(routes.get("Route", "")) or ""
    for name, arguments in routes.items():
        verb = name.removeprefix("Http").upper()
        if name.startswith("Http") and verb in VERBS:
            written = _first_string(arguments) or own
            parts = [written] if written.startswith(("/", "~/")) else [prefix, written]
            path = join_path(*(part.removeprefix("~") for part in parts))
            path = path.replace("[controller]", owner.name.removesuffix("Controller"))
            yield verb, path.replace("[action]", symbol.name)


_READERS: dict[str, Callable[[SymbolTable, int, Mounts], Iterator[MethodAndPath]]] = {
    "c-sharp": _aspnet,
    "java": _spring,
    "kotlin": _spring,
    "python": _python,
    "tsx": _nest,
    "typescript": _nest,
}
