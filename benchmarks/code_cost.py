"""What indexing a repository costs beside reading and cutting it.

    python benchmarks/code_cost.py matplotlib-3.9.2 sympy-1.13.3 Django-5.1

*Bare* is the least that anything which chunks the files has to do: tree-sitter parses
the code, the planner cuts it, documents are cut. Names, relations, words, embeddings and
the store come on top in *full*, which is `outcrop index` of a fresh copy. Both are
processor time of all processes, the server's included, so that other work on the machine
does not count. *Graph* is the time of the code graph within that, built by itself.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from _machine import describe_machine
from _processes import Watch
from tree_sitter import Parser

from outcrop import MarkdownChunker
from outcrop.codegraph import Graph, build
from outcrop.codegraph.languages import language
from outcrop.indexing.config import IndexConfig
from outcrop.indexing.documents.formats.rst import read_rst
from outcrop.indexing.documents.text_chunks import cut_plain_text
from outcrop.indexing.files.discover import SourceFile, discover
from outcrop.planning.protocols import SourceText
from outcrop.planning.strategies.adaptive import AdaptiveChunkStrategy
from outcrop.text.tokens import TokenCounter

if TYPE_CHECKING:
    from outcrop.model.node import Node

_TEXT_FACTOR = 2
"""How many times the tokens of a chunk of Markdown one of plain text holds."""


@dataclass(frozen=True, slots=True)
class Bare:
    """Processor seconds of reading and cutting."""

    files: int
    size_mb: float
    parse: float
    documents: float
    code: float

    @property
    def seconds(self) -> float:
        """All of it."""
        return self.parse + self.documents + self.code


def measure_bare(folder: Path) -> Bare:
    """Parse and cut the files of a repository in this process."""
    config = IndexConfig()
    found = discover([folder], folder, config)
    files = list(found.files.values())
    code = [file for file in files if file.lang and file.has_grammar]
    raw = {file.path: file.file.read_bytes() for file in files}
    started = time.process_time()
    for file in code:
        Parser(language(file.lang or "").tree_language).parse(raw[file.path])
    parsed = time.process_time()
    for file in files:
        if file.lang is None:
            _cut_document(file, raw[file.path].decode("utf-8", "replace"), config)
    cut = time.process_time()
    return Bare(
        files=len(files),
        size_mb=sum(map(len, raw.values())) / 1e6,
        parse=parsed - started,
        documents=cut - parsed,
        code=_plan_code(folder, code, config),
    )


def _cut_document(file: SourceFile, text: str, config: IndexConfig) -> None:
    if file.kind == "markdown":
        MarkdownChunker(config.chunking()).chunk_hierarchical(text)
        return
    limit, count = _TEXT_FACTOR * config.max_tokens, TokenCounter(config.encoding)
    for section in read_rst(text).sections(text):
        cut_plain_text(text[section.start : section.end], limit, count)


def _plan_code(folder: Path, files: list[SourceFile], config: IndexConfig) -> float:
    """Cut code by definitions that are known already."""
    names = [(file.path, file.lang or "") for file in files]
    graph = build(folder, level="local", files=names)
    nodes: dict[str, list[Node]] = {}
    for node in graph.nodes:
        nodes.setdefault(node.file_path or "", []).append(node)
    count = TokenCounter(config.encoding)
    strategy = AdaptiveChunkStrategy(config.max_code_tokens, count)
    started = time.process_time()
    for path, facts in graph.facts.items():
        source = SourceText(path=path, lang=facts.lang, text=facts.text)
        strategy.build_file(source, nodes.get(path, []), {})
    return time.process_time() - started


def measure_graph(folder: Path) -> tuple[float, Graph]:
    """Return the processor seconds of the graph with values followed, and the graph."""
    before = os.times()
    graph = build(folder)
    after = os.times()
    return sum(after[:4]) - sum(before[:4]), graph


def measure_full(folder: Path) -> tuple[float, float, int]:
    """Index a fresh copy; return processor seconds, memory in MB, and edges."""
    with tempfile.TemporaryDirectory(prefix="outcrop-bench-") as name:
        copy = Path(name) / "tree"
        shutil.copytree(folder, copy)
        Path(name).chmod(0o755)  # an embedded server may run as another user
        environment = {**os.environ, "HOME": name, "OUTCROP_STATE_DIR": name}
        # Installed packages are compiled, and so are those that each worker imports.
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        with Watch(name) as watch:
            done = subprocess.run(
                [sys.executable, "-m", "outcrop", "index", ".", "--json"],
                cwd=copy,
                env=environment,
                check=True,
                capture_output=True,
            )
        edges = json.loads(done.stdout)["graph"]["edges"]
        return watch.cpu_seconds, watch.peak_mb, edges


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--no-full", action="store_true", help="only bare and graph")
    given = parser.parse_args()
    print(describe_machine())
    print(
        "| project | files | MB | parse s | cut documents s | cut code s | bare s | graph"
        " s | edges | gave up | full s | full / bare | memory MB |"
    )
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|---|---:|---:|---:|")
    for folder in given.folders:
        print(_row(folder.resolve(), with_full=not given.no_full), flush=True)


def _row(folder: Path, *, with_full: bool) -> str:
    bare = measure_bare(folder)
    seconds, graph = measure_graph(folder)
    gave_up = "; ".join(item.reason for item in graph.report.fallbacks) or "no"
    row = (
        f"| {folder.name} | {bare.files} | {bare.size_mb:.1f} | {bare.parse:.2f} |"
        f" {bare.documents:.2f} | {bare.code:.2f} | {bare.seconds:.2f} |"
        f" {seconds:.1f} | {len(graph.edges)} | {gave_up} |"
    )
    if not with_full:
        return f"{row} | | |"
    full, peak, _ = measure_full(folder)
    return f"{row} {full:.1f} | {full / bare.seconds:.1f} | {peak:.0f} |"


if __name__ == "__main__":
    main()
