"""Each adapter beside the chunker itself: how much a framework's own objects cost.

    .venv-frameworks/bin/python benchmarks/adapters.py [FOLDER] [--write PAGE]

FOLDER holds Markdown. An adapter that makes a tree is held against the tree, one that
makes a list against the list. Time is CPU time, the best of some rounds in which all
take turns, so that whatever else the machine does meanwhile hits all alike.
"""

from __future__ import annotations

import argparse
import gc
import os
import shlex
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Any

os.environ.setdefault("HAYSTACK_TELEMETRY_ENABLED", "False")

from _machine import describe_machine
from _markdown_report import insert, table

from outcrop import ChunkConfig, MarkdownChunker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    # Documents in a framework's own form, made of paths and texts.
    Prepare = Callable[[Sequence[tuple[str, str]]], Sequence[Any]]
    Cut = Callable[[Any], Any]

ROOT = Path(__file__).resolve().parent.parent
START = "<!-- adapters benchmark: start, written by benchmarks/adapters.py -->"
END = "<!-- adapters benchmark: end -->"
MOST_TIME = 2.0  # the bound this project holds itself to
LIMITS = (1000, 4000)

# What adapters are held against.
LIST = "`MarkdownChunker.chunk`"
TREE = "`MarkdownChunker.chunk_hierarchical`"

_CORPUS = ROOT / "../shared/corpus/markdown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender:
    """A way to cut documents.

    Attributes:
        title: What the table calls it.
        beside: Title of what it is held against; empty for the chunker itself.
        documents: What it is given, made before the clock starts.
        cut: Cuts one of them and returns what it made.
    """

    title: str
    beside: str
    documents: Sequence[Any]
    cut: Cut


def contenders(texts: Sequence[tuple[str, str]], limit: int) -> Iterator[Contender]:
    """The chunker and every adapter of it, with the same settings."""
    chunker = MarkdownChunker(ChunkConfig(max_chunk_size=limit, overlap_size=0))
    plain = [text for _, text in texts]
    yield Contender(title=LIST, beside="", documents=plain, cut=chunker.chunk)
    yield Contender(
        title=TREE,
        beside="",
        documents=plain,
        cut=lambda text: chunker.chunk_hierarchical(text).chunks,
    )
    yield from _langchain(texts, limit)
    yield from _llamaindex(texts, limit)
    yield from _haystack(texts, limit)
    yield from _dify(plain, limit)


def _langchain(texts: Sequence[tuple[str, str]], limit: int) -> Iterator[Contender]:
    from langchain_core.documents import Document

    from outcrop.adapters.langchain import OutcropMarkdownSplitter

    given = [Document(page_content=t, metadata={"source": p}) for p, t in texts]
    for hierarchy, beside in ((False, LIST), (True, TREE)):
        splitter = OutcropMarkdownSplitter(limit, hierarchy=hierarchy)
        yield Contender(
            title="LangChain `OutcropMarkdownSplitter`" + ", sections" * hierarchy,
            beside=beside,
            documents=given,
            cut=lambda one, splitter=splitter: splitter.split_documents([one]),
        )


def _llamaindex(texts: Sequence[tuple[str, str]], limit: int) -> Iterator[Contender]:
    from llama_index.core import Document

    from outcrop.adapters.llamaindex import OutcropNodeParser

    given = [Document(text=t, id_=p, metadata={"file_path": p}) for p, t in texts]
    for hierarchy, beside in ((False, LIST), (True, TREE)):
        parser = OutcropNodeParser(chunk_size=limit, hierarchy=hierarchy)
        yield Contender(
            title="LlamaIndex `OutcropNodeParser`" + ", sections" * hierarchy,
            beside=beside,
            documents=given,
            cut=lambda one, parser=parser: parser.get_nodes_from_documents([one]),
        )


def _haystack(texts: Sequence[tuple[str, str]], limit: int) -> Iterator[Contender]:
    from haystack import Document

    from outcrop.adapters.haystack import OutcropDocumentSplitter

    given = [Document(content=t, meta={"file_path": p}) for p, t in texts]
    for hierarchy, beside in ((False, LIST), (True, TREE)):
        splitter = OutcropDocumentSplitter(limit, hierarchy=hierarchy)
        yield Contender(
            title="Haystack `OutcropDocumentSplitter`" + ", sections" * hierarchy,
            beside=beside,
            documents=given,
            cut=lambda one, splitter=splitter: splitter.run([one])["documents"],
        )


def _dify(plain: Sequence[str], limit: int) -> Iterator[Contender]:
    sys.path.insert(0, str(ROOT / "plugins" / "dify"))
    import structures

    for hierarchy, beside in ((False, LIST), (True, TREE)):
        settings = {"max_chunk_length": limit, "enable_hierarchy": hierarchy}
        yield Contender(
            title="Dify general" + ", hierarchy" * hierarchy,
            beside=beside,
            documents=[{"input_variable": text, **settings} for text in plain],
            cut=lambda one: structures.general(one).result,
        )


def measure(
    ways: Sequence[Contender], rounds: int
) -> tuple[dict[str, float], dict[str, int]]:
    """Seconds of the best round, and what was made, by title."""
    best: dict[str, float] = {}
    made: dict[str, int] = {}
    for _ in range(rounds):
        for way in ways:
            gc.collect()
            start = process_time()
            count = sum(len(way.cut(document)) for document in way.documents)
            seconds = process_time() - start
            best[way.title] = min(seconds, best.get(way.title, seconds))
            made[way.title] = count
    return best, made


def render(texts: Sequence[tuple[str, str]], rounds: int) -> Iterator[str]:
    """A table for each limit, as soon as it is measured."""
    for limit in LIMITS:
        ways = list(contenders(texts, limit))
        best, made = measure(ways, rounds)
        rows = [[way.title, f"{made[way.title]:,}", *_cells(way, best)] for way in ways]
        head = [f"at {limit} characters", "made", "CPU s", "over the chunker"]
        yield table([*head, f"≤ {MOST_TIME:g}"], rows)


def _cells(way: Contender, best: dict[str, float]) -> list[str]:
    seconds = best[way.title]
    if not way.beside:
        return [f"{seconds:.3f}", "–", "–"]
    ratio = seconds / best[way.beside]
    kept = "yes" if ratio <= MOST_TIME else "**no**"
    return [f"{seconds:.3f}", f"{ratio:.2f}×", kept]


def describe_run(folder: Path, texts: Sequence[tuple[str, str]]) -> str:
    command = shlex.join(["python", "benchmarks/adapters.py", *sys.argv[1:]])
    size = sum(len(text.encode()) for _, text in texts) / 1e6
    names = (
        "outcrop", "langchain-core", "langchain-text-splitters", "llama-index-core",
        "haystack-ai",
    )  # fmt: skip
    lines = [
        f"Command: `{command}`",
        f"Date: {datetime.now(UTC).date().isoformat()}",
        f"Machine: {describe_machine()}",
        f"Versions: {', '.join(f'{name} {version(name)}' for name in names)}",
        f"Documents: {len(texts)} files of {folder.name}, {size:.1f} MB",
    ]
    return "\n".join(f"- {line}" for line in lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    default = _CORPUS if _CORPUS.is_dir() else ROOT / "docs"
    parser.add_argument("folder", type=Path, nargs="?", default=default)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--write", type=Path, metavar="PAGE")
    options = parser.parse_args()
    texts = [
        (path.relative_to(options.folder).as_posix(), path.read_bytes().decode())
        for path in sorted(options.folder.rglob("*.md"))
    ]
    if not any(text.strip() for _, text in texts):
        parser.error(f"there is no Markdown in {options.folder}")
    parts = [describe_run(options.folder, texts)]
    print(parts[0])
    for part in render(texts, options.rounds):
        print(f"\n{part}", flush=True)
        parts.append(part)
    if options.write:
        page = options.write.read_text("utf-8") if options.write.exists() else ""
        section = "\n\n".join(parts)
        options.write.write_text(insert(page, section, (START, END)), "utf-8")


if __name__ == "__main__":
    main()
