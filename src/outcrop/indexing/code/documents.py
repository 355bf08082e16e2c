"""Divides the files of an application into tasks, each with its part of the graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.indexing.code.facts import PackedFacts, pack_facts
from outcrop.indexing.code.files import CodeTask
from outcrop.indexing.files.kinds import SYMBOL

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from outcrop.codegraph import Graph
    from outcrop.codegraph.parsed import ParsedFile
    from outcrop.indexing.code.applications import ApplicationFiles
    from outcrop.indexing.files.content import Content
    from outcrop.model.node import Node

_NO_FACTS = PackedFacts([], [], [], [])


class CodeDocuments:
    """The documents of one application.

    The nodes of its graph have the paths of documents as their files. `contents` has
    the files that were read before, by path; each is taken out once.
    """

    def __init__(
        self, group: ApplicationFiles, graph: Graph, contents: dict[str, Content]
    ) -> None:
        self._contents = contents
        self._group = group
        self._graph = graph
        self._facts: dict[str, ParsedFile] = {
            group.document_path(path): facts for path, facts in graph.facts.items()
        }
        self._nodes: dict[str | None, list[Node]] = {}
        for node in graph.nodes:
            self._nodes.setdefault(node.file_path, []).append(node)

    def tasks(self, paths: Sequence[str]) -> Iterator[tuple[CodeTask, int]]:
        """Yield the tasks of files, each with its size in bytes."""
        for path in paths:
            file = self._group.files[path]
            facts, nodes = self._facts.get(path), self._nodes.get(path, [])
            task = CodeTask(
                application=self._group.name,
                path=path,
                lang=file.lang,
                file=str(file.file),
                modified_ns=file.modified_ns,
                text=None if facts is None else facts.text,
                digest="" if facts is None else facts.digest,
                content=self._contents.pop(path, None) if facts is None else None,
                facts=_NO_FACTS
                if facts is None
                else pack_facts(self._graph, nodes, facts.text),
            )
            yield task, file.size if facts is None else len(facts.text)

    def symbol_tasks(self) -> Iterator[tuple[CodeTask, int]]:
        """Yield the tasks of nodes without a file, as `tasks` does."""
        by_name: dict[str, list[Node]] = {}
        for node in self._nodes.get(None, []):
            by_name.setdefault(node.fqn, []).append(node)
        for name, nodes in by_name.items():
            facts = pack_facts(self._graph, nodes, "")
            task = CodeTask(
                application=self._group.name,
                path=name,
                kind=SYMBOL,
                lang=nodes[0].lang,
                facts=facts,
            )
            yield task, len(nodes)

    def digests(self) -> dict[str, str]:
        """Return the hashes of the files that the graph read, by path."""
        return {path: facts.digest for path, facts in self._facts.items()}
