"""All definitions of a project in one table, with qualified names, ids and packages."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from outcrop.codegraph.languages import language
from outcrop.codegraph.names import bounded_name, make_id, nearest
from outcrop.codegraph.parsed import owner_name
from outcrop.model.edge import Edge, EdgeKind
from outcrop.model.node import Node, NodeKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from outcrop.codegraph.language import Language
    from outcrop.codegraph.parsed import ParsedFile, ParsedSymbol


_CALLABLE = frozenset({"FUNCTION", "METHOD"})
_NODE_KINDS = {str(kind): kind for kind in NodeKind} | {"LAMBDA": NodeKind.FUNCTION}
"""The kind of a symbol's node by that of the symbol."""


class SymbolTable:
    """The symbols of all files; a symbol's number is its place in `symbols`."""

    def __init__(
        self, files: Sequence[ParsedFile], modules: Mapping[str, str], application: str
    ) -> None:
        self.files = files
        self.modules = modules
        self.application = application
        self.starts: list[int] = []
        self.symbols: list[ParsedSymbol] = []
        self.file_of: list[int] = []
        self.parents: list[int] = []
        self.fqns: list[str] = []
        self._members: dict[int, dict[str, int]] = {}
        for index, facts in enumerate(files):
            self.starts.append(len(self.symbols))
            self._add(index, facts)
        self.ids = self._make_ids()

    def _add(self, index: int, facts: ParsedFile) -> None:
        start = len(self.symbols)
        spec = language(facts.lang)
        separator = spec.separator
        module = self.modules[facts.path]
        overloads = _overloads(facts) if spec.has_overloads else {}
        self.file_of += [index] * len(facts.symbols)
        self.symbols += facts.symbols
        for symbol in facts.symbols:
            parent = symbol.parent
            if parent < 0:
                self.parents.append(-1)
                self.fqns.append(bounded_name(module))
                continue
            above = self.fqns[start + parent]
            if parent == 0 and not spec.file_names_members:
                above = facts.package
            owner = owner_name(symbol) if symbol.modifiers else ""
            named = f"{owner}{separator}{symbol.name}" if owner else symbol.name
            fqn = f"{above}{separator}{named}" if above else named
            several = overloads and overloads[parent, owner, symbol.name] > 1
            if several and symbol.kind in _CALLABLE:
                types = ",".join(p.type or p.name for p in symbol.parameters)
                fqn += f"({types})"
            self.parents.append(start + parent)
            self.fqns.append(bounded_name(fqn))

    def _make_ids(self) -> list[str]:
        ids: list[str] = []
        for facts, start in zip(self.files, self.starts, strict=True):
            file = f"{self.application}\0{facts.lang}\0{facts.path}"
            seen: dict[str, int] = {}
            for number, symbol in enumerate(facts.symbols, start):
                key = f"{file}\0{symbol.kind}\0{self.fqns[number]}"
                times = seen[key] = seen.get(key, 0) + 1
                ids.append(make_id(key if times == 1 else f"{key}\0{times}"))
        return ids

    def member(self, module: int, name: str) -> int | None:
        """Return the last definition of a name in a module, which is a symbol."""
        if module not in self._members:
            symbols = self.files[self.file_of[module]].symbols
            self._members[module] = {
                symbol.name: module + place
                for place, symbol in enumerate(symbols)
                if symbol.parent == 0
            }
        return self._members[module].get(name)

    def nodes(self) -> list[Node]:
        """Return a node for each symbol that is a definition."""
        found: list[Node] = []
        for facts, start in zip(self.files, self.starts, strict=True):
            spec, module = language(facts.lang), self.modules[facts.path]
            if spec.file_is_module:
                found.append(self._module_node(start, facts, spec))
            found += [
                self._node(number, facts, _NODE_KINDS[symbol.kind], symbol.name, module)
                for number, symbol in enumerate(facts.symbols[1:], start + 1)
            ]
        return found

    def containers(self) -> Iterator[tuple[int, int]]:
        """Yield each symbol with the one that contains it, where that is a node too."""
        for facts, start in zip(self.files, self.starts, strict=True):
            is_node = language(facts.lang).file_is_module
            for number in range(start + 1, start + len(facts.symbols)):
                parent = self.parents[number]
                if parent > start or is_node:
                    yield number, parent

    def has_node(self, number: int) -> bool:
        """Whether a symbol is a node: the file of a language may be no namespace."""
        facts = self.files[self.file_of[number]]
        return self.parents[number] >= 0 or language(facts.lang).file_is_module

    def _module_node(self, number: int, facts: ParsedFile, spec: Language) -> Node:
        is_package = spec.is_package(facts.path)
        kind = NodeKind.PACKAGE if is_package else NodeKind.MODULE
        name = self.fqns[number].rpartition(spec.separator)[2]
        package = self.modules[facts.path].rpartition(spec.separator)[0]
        return self._node(number, facts, kind, name, package)

    def _node(
        self, number: int, facts: ParsedFile, kind: NodeKind, name: str, package: str
    ) -> Node:
        symbol = self.symbols[number]
        return Node(
            id=self.ids[number],
            application_id=self.application,
            kind=kind,
            lang=facts.lang,
            name=name,
            package_name=package,
            fqn=self.fqns[number],
            signature=symbol.signature or None,
            doc_comment=symbol.doc or None,
            source_code=facts.text[symbol.start : symbol.end],
            file_path=facts.path,
            line_start=symbol.line_start,
            line_end=symbol.line_end,
            start_offset=symbol.start,
            end_offset=symbol.end,
            annotations=symbol.annotations,
            visibility=symbol.visibility,
        )


def _overloads(facts: ParsedFile) -> Counter[tuple[int, str, str]]:
    """Count the functions of each name, by what they are members of."""
    return Counter(
        (s.parent, owner_name(s), s.name) for s in facts.symbols if s.kind in _CALLABLE
    )


def package_nodes(table: SymbolTable) -> tuple[list[Node], list[Edge]]:
    """Return the packages of a project, and the edges to what they contain."""
    nodes: dict[tuple[str, str], Node] = {}
    edges: list[Edge] = []
    modules = _package_files(table)
    for index, facts in enumerate(table.files):
        spec = language(facts.lang)
        start = table.starts[index]
        name = table.modules[facts.path]
        if spec.file_is_module:
            parent = name.rpartition(spec.separator)[0]
            above = nearest(modules.get((facts.lang, parent), {}), facts.path)
            if above is not None and above != start:
                edges.append(_contains(table.ids[above], table.ids[start]))
            continue
        if not name:
            continue
        family = spec.family or spec.name
        node = nodes.get((family, name))
        if node is None:
            node = nodes[family, name] = _package_node(table, facts.lang, name, family)
        edges += [
            _contains(node.id, table.ids[start + local])
            for local, symbol in enumerate(facts.symbols)
            if symbol.parent == 0
        ]
    return list(nodes.values()), edges


def _package_files(table: SymbolTable) -> dict[tuple[str, str], dict[str, int]]:
    """Return the symbols of modules by language and name, then by path."""
    found: dict[tuple[str, str], dict[str, int]] = {}
    for index, facts in enumerate(table.files):
        if language(facts.lang).file_is_module:
            files = found.setdefault((facts.lang, table.modules[facts.path]), {})
            files[facts.path] = table.starts[index]
    return found


def _package_node(table: SymbolTable, lang: str, name: str, family: str) -> Node:
    parent, last = language(lang).package_parts(name)
    return Node(
        id=make_id(f"{table.application}\0{family}\0PACKAGE\0{name}"),
        application_id=table.application,
        kind=NodeKind.PACKAGE,
        lang=lang,
        name=last,
        package_name=parent,
        fqn=name,
        signature=None,
        doc_comment=None,
        source_code=None,
        file_path=None,
        line_start=None,
        line_end=None,
    )


def _contains(src: str, dst: str) -> Edge:
    return Edge(src=src, dst=dst, kind=EdgeKind.CONTAINS)
