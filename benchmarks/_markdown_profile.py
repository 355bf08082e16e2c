"""Where the time of `MarkdownChunker.chunk` goes, stage by stage.

The stages are wrapped where the chunker looks them up, so what is timed is the very
code that runs in use. A stage inside another is listed below it and part of its share.
"""

from __future__ import annotations

import gc
from collections import defaultdict
from importlib import import_module
from time import process_time
from typing import TYPE_CHECKING, Any

from _markdown_worker import read_folder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

# (what it is, module, name in it); two spaces mark what is inside the stage above.
STAGES = (
    ("analyse", "outcrop.chunking.chunker", "analyse"),
    ("  parse", "outcrop.chunking.analysis", "parse"),
    ("    read the events", "outcrop.markdown.parse", "scan"),
    ("    find link definitions", "outcrop.markdown.parse", "_fill_gaps"),
    ("    bytes to code points", "outcrop.markdown.parse", "_to_code_points"),
    ("    link headings", "outcrop.markdown.parse", "_link_headings"),
    ("lay out", "outcrop.chunking.layout", "Layout.__init__"),
    (
        "apply the strategy",
        "outcrop.chunking.strategy",
        "BoundaryStrategy.drafts",
    ),
    ("merge small chunks", "outcrop.chunking.chunker", "merge_small"),
    (
        "move dangling headings",
        "outcrop.chunking.chunker",
        "keep_headings_with_text",
    ),
    (
        "split sections",
        "outcrop.chunking.chunker",
        "split_drafts",
    ),
    (
        "compute metadata",
        "outcrop.chunking.metadata",
        "MetadataRecalculator.recalculate_all",
    ),
    ("quote neighbours", "outcrop.chunking.chunker", "quote_neighbours"),
    ("check spans", "outcrop.chunking.chunker", "check_spans"),
)


def find_stage(module: str, name: str) -> tuple[Any, str, Callable[..., Any]]:
    """The object that holds a stage, its attribute there, and the stage itself."""
    holder: Any = import_module(module)
    *classes, attribute = name.split(".")
    for part in classes:
        holder = getattr(holder, part)
    return holder, attribute, getattr(holder, attribute)


def profile(folder: Path, limit: int, rounds: int) -> list[tuple[str, float]]:
    """CPU seconds of each stage over a folder, in the best of some rounds.

    Returns:
        Stage and seconds in order; the last row is the whole.
    """
    from outcrop import ChunkConfig, MarkdownChunker

    texts = [text for _, text in read_folder(str(folder))]
    chunk = MarkdownChunker(ChunkConfig(max_chunk_size=limit)).chunk
    best: list[tuple[str, float]] = []
    for _ in range(rounds):
        found = _one_round(chunk, texts)
        if not best or found[-1][1] < best[-1][1]:
            best = found
    return best


def _one_round(
    chunk: Callable[[str], Any], texts: list[str]
) -> list[tuple[str, float]]:
    spent: dict[str, float] = defaultdict(float)
    originals = []
    for title, module, name in STAGES:
        holder, attribute, stage = find_stage(module, name)
        originals.append((holder, attribute, stage))
        setattr(holder, attribute, _timed(stage, title, spent))
    try:
        gc.collect()
        started = process_time()
        for text in texts:
            chunk(text)
        whole = process_time() - started
    finally:
        for holder, attribute, stage in originals:
            setattr(holder, attribute, stage)
    return [*((title, spent[title]) for title, _, _ in STAGES), ("whole", whole)]


def _timed(
    stage: Callable[..., Any], title: str, spent: dict[str, float]
) -> Callable[..., Any]:
    def timed(*args: Any, **kwargs: Any) -> Any:
        started = process_time()
        try:
            return stage(*args, **kwargs)
        finally:
            spent[title] += process_time() - started

    return timed


def render_profile(found: list[tuple[str, float]], size: int) -> str:
    """A table of the shares."""
    whole = found[-1][1] or 1.0
    lines = ["| stage | CPU s | share | ms per MB |", "| --- | ---: | ---: | ---: |"]
    for title, seconds in found:
        indent = "· " * ((len(title) - len(title.lstrip())) // 2)
        lines.append(
            f"| {indent}{title.strip()} | {seconds:.3f} | {seconds / whole:.1%} "
            f"| {seconds * 1e9 / size:.1f} |"
        )
    return "\n".join(lines)
