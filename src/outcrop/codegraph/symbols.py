"""All definitions of a project in one table, with qualified names, ids and packages."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from outcrop.codegraph.languages import language
from outcrop.codegraph.names import bounded_name, make_id
from outcrop.codegraph.nearest import nearest
from outcrop.codegraph.parsed import owner_name
from outcrop.model.edge import Edge, EdgeKind
from outcrop.model.node import Node, NodeKind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from outcrop.codegraph.parsed import ParsedFile, ParsedSymbol


_CALLABLE = frozenset({"FUNCTION", "METHOD"})


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
        overloads = Counter(
            (s.parent, owner_name(s), s.name)
            for s in facts.symbols
            if s.kind in _CALLABLE
        )
        for symbol in facts.symbols:
            if symbol.parent < 0:
                fqn = module
            else:
                above = self.fqns[start + symbol.parent]
                if symbol.parent == 0 and not spec.file_names_members:
                    above = facts.package
                owner = owner_name(symbol)
                named = f"{owner}{separator}{symbol.name}" if owner else symbol.name
                fqn = f"{above}{separator}{named}" if above else named
                several = overloads[symbol.parent, owner, symbol.name] > 1
                if several and symbol.kind in _CALLABLE and spec.has_overloads:
                    types = ",".join(p.type or p.name for p in symbol.parameters)
                    fqn += f"({types})"
            self.symbols.append(symbol)
            self.file_of.append(index)
            self.parents.append(start + symbol.parent if symbol.parent >= 0 else -1)
            self.fqns.append(bounded_name(fqn))

    def _make_ids(self) -> list[str]:
        seen: Counter[str] = Counter()
        ids = []
        for number, symbol in enumerate(self.symbols):
            facts = self.files[self.file_of[number]]
            key = "\0".join(
                (
                    self.application,
                    facts.lang,
                    facts.path,
                    symbol.kind,
                    self.fqns[number],
                )
            )
            seen[key] += 1
            if seen[key] > 1:
                key += f"\0{seen[key]}"
            ids.append(make_id(key))
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
        return [
            self._node(number)
            for number in range(len(self.symbols))
            if self.has_node(number)
        ]

    def has_node(self, number: int) -> bool:
        """Whether a symbol is a node: the file of a language may be no namespace."""
        facts = self.files[self.file_of[number]]
        return self.parents[number] >= 0 or language(facts.lang).file_is_module

    def _node(self, number: int) -> Node:
        symbol = self.symbols[number]
        facts = self.files[self.file_of[number]]
        is_module = symbol.parent < 0
        module = self.modules[facts.path]
        kind = "FUNCTION" if symbol.kind == "LAMBDA" else symbol.kind
        separator = language(facts.lang).separator
        if is_module and language(facts.lang).is_package(facts.path):
            kind = "PACKAGE"
        fqn = self.fqns[number]
        return Node(
            id=self.ids[number],
            application_id=self.application,
            kind=NodeKind(kind),
            lang=facts.lang,
            name=fqn.rpartition(separator)[2] if is_module else symbol.name,
            package_name=module.rpartition(separator)[0] if is_module else module,
            fqn=fqn,
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
