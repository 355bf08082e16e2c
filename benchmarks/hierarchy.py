"""The tree of a document beside its flat chunks: time, the size of its fields, tokens.

    python benchmarks/hierarchy.py [FOLDER] [--write docs/benchmarks.md]

FOLDER holds Markdown. Time is CPU time, the best of some rounds in which both ways of
chunking take turns, so that whatever else the machine does meanwhile hits both alike.
"""

from __future__ import annotations

import argparse
import gc
import json
import shlex
import sys
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from itertools import cycle
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING

from _machine import describe_machine
from _markdown_report import insert, table
from _markdown_shapes import FACTORS, SHAPES
from tokens import time_chunking

from outcrop import ChunkConfig, MarkdownChunker

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from outcrop import Chunk

ROOT = Path(__file__).resolve().parent.parent
START = "<!-- hierarchy benchmark: start, written by benchmarks/hierarchy.py -->"
END = "<!-- hierarchy benchmark: end -->"

# The bounds this project holds itself to.
MOST_TIME = 1.3
MOST_SHARE = 0.15
MOST_TOKEN_TIME = 3.0

# What a leaf has that a flat chunk has not.
FIELDS = frozenset(
    {
        "children_ids", "hierarchy_level", "is_leaf", "next_sibling_id", "parent_id",
        "prev_sibling_id",
    }
)  # fmt: skip
LEAF_SIZES = range(800, 1001)

_CORPUS = ROOT / "../shared/corpus/markdown"
_JOINED = 16_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """Seconds of both ways over the same documents."""

    flat: float
    tree: float
    chunks: int
    nodes: int

    @property
    def ratio(self) -> float:
        """How many times as long the tree takes."""
        return self.tree / self.flat


def time_both(documents: Sequence[str], limit: int, rounds: int) -> Timing:
    """Chunk all documents flat and as trees, in turns."""
    chunker = MarkdownChunker(ChunkConfig(max_chunk_size=limit))
    flat: list[float] = []
    tree: list[float] = []
    chunks = nodes = 0
    for _ in range(rounds):
        gc.collect()
        start = process_time()
        chunks = sum(len(chunker.chunk(text)) for text in documents)
        flat.append(process_time() - start)
        gc.collect()
        start = process_time()
        nodes = sum(len(chunker.chunk_hierarchical(text).chunks) for text in documents)
        tree.append(process_time() - start)
    return Timing(flat=min(flat), tree=min(tree), chunks=chunks, nodes=nodes)


def share_of_fields(leaves: Sequence[Chunk]) -> float:
    """The share of the JSON of leaves that the hierarchy's own fields take."""
    whole = own = 0
    for leaf in leaves:
        values = asdict(leaf)
        size = len(json.dumps(values, ensure_ascii=False))
        values["metadata"] = {
            name: value for name, value in leaf.metadata.items() if name not in FIELDS
        }
        whole += size
        own += size - len(json.dumps(values, ensure_ascii=False))
    return own / whole if whole else 0.0


def find_leaves(documents: Sequence[str], overlap: int | None) -> list[Chunk]:
    """The leaves of 800 to 1000 characters that trees of the documents have."""
    config = ChunkConfig(max_chunk_size=max(LEAF_SIZES), overlap_size=overlap)
    chunker = MarkdownChunker(config)
    return [
        leaf
        for text in documents
        for leaf in chunker.chunk_hierarchical(text).get_flat_chunks()
        if len(leaf.content) in LEAF_SIZES
    ]


def join(documents: Sequence[str], size: int = _JOINED) -> str:
    """The documents one after the other, from the first again, up to a size."""
    parts: list[str] = []
    length = 0
    for text in cycle(documents):
        parts.append(text)
        length += len(text) + 2
        if length >= size:
            return "\n\n".join(parts)
    return ""


def render(documents: Sequence[str], rounds: int) -> Iterator[str]:
    """The tables, each as soon as it is measured."""
    whole = SHAPES["prose"].make(FACTORS[-1])
    sets = {
        SHAPES["prose"].title: [whole],
        f"{len(documents)} real documents": documents,
        "the same joined into one, 16 MB": [join(documents)],
    }
    rows = []
    for title, texts in sets.items():
        for limit in (1000, 4000):
            found = time_both(texts, limit, rounds)
            cells = (f"{limit}", f"{found.chunks:,}", f"{found.nodes:,}")
            times = (f"{found.flat:.2f}", f"{found.tree:.2f}", f"{found.ratio:.2f}×")
            rows.append([title, *cells, *times, _kept(found.ratio, MOST_TIME)])
    head = ["documents", "limit", "chunks", "nodes of the tree", "flat, CPU s"]
    yield table([*head, "tree, CPU s", "tree / flat", "≤ 1.3"], rows)
    rows = []
    for title, overlap in (("with quoted neighbours", None), ("without", 0)):
        leaves = find_leaves(documents, overlap)
        share = share_of_fields(leaves)
        figures = [f"{len(leaves):,}", f"{share:.1%}", _kept(share, MOST_SHARE)]
        rows.append([title, *figures])
    head = ["leaves of 800 to 1000 characters", "leaves", "hierarchy's fields in JSON"]
    yield table([*head, "≤ 15 %"], rows)
    characters, tokens = time_chunking(list(documents)).values()
    ratio = tokens / characters
    figures = [f"{characters:.2f}", f"{tokens:.2f}", f"{ratio:.2f}×"]
    row = ["real documents", *figures, _kept(ratio, MOST_TOKEN_TIME)]
    head = ["flat chunks", "1600 characters, CPU s", "400 tokens, CPU s"]
    yield table([*head, "tokens / characters", "≤ 3"], [row])


def _kept(value: float, bound: float) -> str:
    return "yes" if value <= bound else "**no**"


def describe_run(folder: Path, documents: Sequence[str]) -> str:
    command = shlex.join(["python", "benchmarks/hierarchy.py", *sys.argv[1:]])
    size = sum(len(text.encode()) for text in documents) / 1e6
    lines = [
        f"Command: `{command}`",
        f"Date: {datetime.now(UTC).date().isoformat()}",
        f"Machine: {describe_machine()}",
        f"Versions: outcrop {version('outcrop')}, splintr-rs {version('splintr-rs')}",
        f"Documents: {len(documents)} files of {folder.name}, {size:.1f} MB",
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
    files = sorted(options.folder.rglob("*.md"))
    documents = [path.read_bytes().decode(errors="replace") for path in files]
    if not any(text.strip() for text in documents):
        parser.error(f"there is no Markdown in {options.folder}")
    parts = [describe_run(options.folder, documents)]
    print(parts[0])
    for part in render(documents, options.rounds):
        print(f"\n{part}", flush=True)
        parts.append(part)
    if options.write:
        page = options.write.read_text("utf-8") if options.write.exists() else ""
        section = "\n\n".join(parts)
        options.write.write_text(insert(page, section, (START, END)), "utf-8")


if __name__ == "__main__":
    main()
