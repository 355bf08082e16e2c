"""Where routers are mounted: the prefixes of the paths of their routes.

A router is known by the file and the name it has there. What mounts it may stand in
another file, under a router that is itself mounted somewhere, so the paths before a
route are found by going up from mount to mount.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from outcrop.codegraph.endpoints.route import (
    DJANGO,
    django_path,
    enclosing_function,
    join_path,
    keyword_arguments,
    modules_of,
    string_value,
)
from outcrop.codegraph.names import nearest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outcrop.codegraph.parsed import ParsedRoute
    from outcrop.codegraph.symbols import SymbolTable

Router = tuple[int, str]
"""(file, name in it); an empty name is whatever router the file exports, a name with
parentheses the routers that a function makes."""

_MODULE = re.compile(r"""["']([\w.]+)["']""")
_REQUIRED = re.compile(r"""require\(["']([^"']+)["']\)""")
_CHAINED = re.compile(r"""\.(?:MapGroup|Group|route)\(\s*["'`]([^"'`]*)["'`]""")
_GROUPS = frozenset({"Group", "MapGroup"})
_ROUTER_TYPES = re.compile(
    r"RouterGroup|IRouter|IRoutes|gin\.Engine|chi\.(?:Router|Mux)|echo\.(?:Group|Echo)"
)


MAX_PREFIXES = 256
"""Prefixes of one router: routers that are mounted twice, one under the other, have
twice as many with each step."""
MAX_MOUNTS = 100
"""Routers under one another that are followed."""


class Mount(NamedTuple):
    """A router under another."""

    parent: Router
    prefix: str
    replaces: bool
    """Whether the prefix replaces the router's own."""


class Mounts:
    """All mounts of a project."""

    def __init__(self, table: SymbolTable) -> None:
        self.table = table
        self._files: dict[str, dict[str, int]] = {}
        for index, facts in enumerate(table.files):
            named = self._files.setdefault(table.modules[facts.path], {})
            named[facts.path] = index
        self._own: dict[Router, str] = {}
        self._mounts: dict[Router, list[Mount]] = {}
        for index, facts in enumerate(table.files):
            for fact in facts.routes:
                for router, mount in self._read(index, fact):
                    self._mounts.setdefault(router, []).append(mount)
        self._pass_groups()

    def paths(self, index: int, owner: str, function: str = "") -> list[str]:
        """Return the prefixes that a route may have.

        Args:
            index: The file of the route.
            owner: The expression of the router that the route belongs to.
            function: The name of the function that contains it.
        """
        first = owner.partition(".")[0].strip("() ")
        chained = _CHAINED.findall(owner)
        keys = [(index, first), (index, f"{function}()"), (index, "")]
        known = (key for key in keys if key in self._mounts or key in self._own)
        router = next(known, (index, ""))
        found = islice(self._up(router, frozenset()), MAX_PREFIXES)
        return list(dict.fromkeys(join_path(path, *chained) for path in found))

    def _up(self, router: Router, seen: frozenset[Router]) -> Iterator[str]:
        own = self._own.get(router, "")
        if router in seen or len(seen) > MAX_MOUNTS:
            yield own
            return
        mounts = self._mounts.get(router)
        if not mounts and router[1]:
            # A variable that nothing mounts may be what the whole file exports.
            exported = (router[0], "")
            mounts = self._mounts.get(exported)
        if not mounts:
            yield own
            return
        for parent, prefix, replaces in mounts:
            for above in self._up(parent, seen | {router}):
                yield join_path(above, prefix, "" if replaces and prefix else own)

    # reading

    def _read(self, index: int, fact: ParsedRoute) -> Iterator[tuple[Router, Mount]]:
        owner, _, verb = fact.callee.rpartition(".")
        parent = (index, owner.partition(".")[0])
        lang = self.table.files[index].lang
        if lang == "python":
            yield from self._read_python(index, fact, parent, verb)
        elif verb in _GROUPS and fact.target and fact.arguments:
            prefix = join_path(*_CHAINED.findall(owner), _text(fact.arguments[0]))
            yield (index, fact.target), Mount(parent, prefix, replaces=False)
        elif verb == "Mount" and len(fact.arguments) > 1:
            child = fact.arguments[1].partition("(")[0]
            for router in self._functions(child):
                yield router, Mount(parent, _text(fact.arguments[0]), replaces=False)
        elif verb == "use" and fact.arguments:
            for router in self._resolve(index, fact.arguments[-1]):
                yield router, Mount(parent, _text(fact.arguments[0]), replaces=False)
        elif lang == "kotlin":
            outer = [_text(first) for callee, first in fact.around if callee == "route"]
            inside = any(callee in {"route", "routing"} for callee, _ in fact.around)
            above = (index, f"{enclosing_function(self.table.files[index], fact)}()")
            for router in self._functions(verb, "receiver:") if inside else ():
                if router != above:
                    yield router, Mount(above, join_path(*outer, ""), replaces=False)

    def _read_python(
        self, index: int, fact: ParsedRoute, parent: Router, verb: str
    ) -> Iterator[tuple[Router, Mount]]:
        named = keyword_arguments(fact)
        prefix = self._constant(index, named.get("url_prefix") or named.get("prefix"))
        if verb in {"APIRouter", "Blueprint"} and fact.target:
            self._own[index, fact.target] = prefix
        elif verb in {"include_router", "register_blueprint"} and fact.arguments:
            replaces = verb == "register_blueprint"
            for router in self._resolve(index, fact.arguments[0]):
                yield router, Mount(parent, prefix, replaces)
        elif verb in DJANGO and len(fact.arguments) > 1:
            included = fact.arguments[1]
            if not included.startswith(("include(", "urls.include(")):
                return
            prefix = django_path(_text(fact.arguments[0]))
            above = (index, fact.target or "urlpatterns")
            module = _MODULE.search(included)
            file = self._file(module.group(1), index) if module else None
            if file is not None:
                yield (file, "urlpatterns"), Mount(above, prefix, replaces=False)
            else:
                inner = included.partition("(")[2].strip("() ,")
                for router in self._resolve(index, inner):
                    yield router, Mount(above, prefix, replaces=False)

    def _constant(self, index: int, written: str | None) -> str:
        if written is None:
            return ""
        value = string_value(written)
        if value is not None:
            return value
        pattern = rf"""^{re.escape(written.strip())}\s*(?::[^=\n]+)?=\s*["']([^"']*)"""
        found = re.search(pattern, self.table.files[index].text, re.MULTILINE)
        return found.group(1) if found else ""

    def _resolve(
        self, index: int, written: str, seen: frozenset[Router] = frozenset()
    ) -> list[Router]:
        """Return the routers that an expression may name."""
        table = self.table
        facts = table.files[index]
        required = _REQUIRED.match(written)
        first, _, rest = written.partition("(")[0].partition(".")
        paths = [(required.group(1), "", "")] if required else [
            (i.path, i.member, rest) for i in facts.imports if i.alias == first
        ]  # fmt: skip
        found: list[Router] = []
        for path, member, end in paths:
            for module in modules_of(
                table.modules[facts.path], path, facts.lang, facts.path
            ):
                asked = seen | {(index, first)}
                found += self._in_module(module, index, member, end, asked)
        return found or [(index, first)]

    def _file(self, module: str, asking: int) -> int | None:
        """Return the file of a module, the one nearest to the file that names it."""
        path = self.table.files[asking].path
        return nearest(self._files.get(module, {}), path)

    def _in_module(
        self, module: str, asking: int, member: str, rest: str,
        seen: frozenset[Router],
    ) -> list[Router]:  # fmt: skip
        inner = self._file(f"{module}.{member}", asking) if member else None
        if inner is not None:
            return [(inner, rest)]
        index = self._file(module, asking)
        if index is None:
            return []
        if self.table.files[index].lang != "python":
            return [(index, "")]
        name = member or rest
        imported = any(i.alias == name for i in self.table.files[index].imports)
        if imported and (index, name) not in seen:
            return self._resolve(index, name, seen)
        return [(index, name)]

    def _functions(self, name: str, mark: str = "") -> list[Router]:
        """Return the routers that functions of a name are given or make."""
        last = name.rpartition(".")[2]
        return [
            (self.table.file_of[number], f"{last}()")
            for number, symbol in enumerate(self.table.symbols)
            if symbol.name == last
            and symbol.kind in {"FUNCTION", "METHOD"}
            and (not mark or any(m.startswith(mark) for m in symbol.modifiers))
        ]

    def _pass_groups(self) -> None:
        """Follow groups that Go hands to functions which add routes to them."""
        groups = [router for router in self._mounts if router[1].isidentifier()]
        if not groups or all(facts.lang != "go" for facts in self.table.files):
            return
        taking = [
            (number, symbol)
            for number, symbol in enumerate(self.table.symbols)
            if any(_ROUTER_TYPES.search(p.type) for p in symbol.parameters)
        ]
        for number, symbol in taking:
            call = re.compile(rf"\b{re.escape(symbol.name)}\(([^()]*)\)")
            for index, facts in enumerate(self.table.files):
                if facts.lang != "go" or symbol.name not in facts.text:
                    continue
                for given in call.findall(facts.text):
                    words = [word.strip() for word in given.split(",")]
                    for router in groups:
                        if router[0] == index and router[1] in words:
                            child = (self.table.file_of[number], f"{symbol.name}()")
                            mount = Mount(router, "", replaces=False)
                            self._mounts.setdefault(child, []).append(mount)


def _text(written: str) -> str:
    return string_value(written) or ""
