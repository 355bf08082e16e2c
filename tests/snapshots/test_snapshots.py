"""What becomes of our documents, pinned.

Each document of `tests/documents` is cut with a few configurations. First the promises
are asserted; only then are the chunks compared with the JSON file beside this one that
has the document's name. After a wanted change, rewrite the files and read the diff:

    OUTCROP_UPDATE_SNAPSHOTS=1 python -m pytest tests/snapshots

A snapshot has a line for each chunk. It leaves out `content` and `headers`, which the
promises tie to the offsets and the path, and what is false, zero or empty; of the own
text it keeps the beginning, for the reader of a diff.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from outcrop import ChunkConfig, InvariantValidator, MarkdownChunker
from promises import check_promises

if TYPE_CHECKING:
    from outcrop import Chunk

UPDATE = "OUTCROP_UPDATE_SNAPSHOTS"
_HERE = Path(__file__).parent
_DOCUMENTS = sorted((_HERE.parent / "documents").glob("[a-z]*.md"))
_OPENING = 30


def _words(text: str) -> int:
    return len(text.split())


CONFIGS = {
    "small": ChunkConfig(max_chunk_size=200, overlap_size=0),
    "medium": ChunkConfig(max_chunk_size=700),
    "split": ChunkConfig(max_chunk_size=300, overlap_size=0, oversize_blocks="split"),
    "words": ChunkConfig(max_chunk_size=60, overlap_size=0, length=_words),
    "windows": ChunkConfig(max_chunk_size=250, overlap_size=0),
}
STRATEGIES = ("code_aware", "structural", "fallback")


def _read(path: Path, name: str) -> str:
    text = path.read_text(encoding="utf-8")
    return text.replace("\n", "\r\n") if name == "windows" else text


def _picture(chunk: Chunk) -> dict[str, Any]:
    own = chunk.content[len(chunk.prefix) :]
    fields = {
        "opening": own[:_OPENING],
        "span": [chunk.start_offset, chunk.end_offset],
        "prefix": chunk.prefix,
        "suffix": chunk.suffix,
        **chunk.metadata,
        "headers": None,
    }
    return {name: value for name, value in fields.items() if value}


def _dump(pictures: dict[str, list[dict[str, Any]]]) -> str:
    """JSON with a line for each chunk."""
    configs = []
    for name, chunks in pictures.items():
        lines = [f"  {json.dumps(chunk, ensure_ascii=False)}" for chunk in chunks]
        configs.append(f" {json.dumps(name)}: [\n" + ",\n".join(lines) + "\n ]")
    return "{\n" + ",\n".join(configs) + "\n}\n"


def _cut(text: str, config: ChunkConfig) -> list[Chunk]:
    """Chunks that keep every promise, twice the same."""
    chunks = MarkdownChunker(config).chunk(text)
    check_promises(text, chunks, config)
    result = InvariantValidator(config, strict=True).validate(chunks, text)
    assert result.valid, result.errors
    assert result.coverage == 1.0
    assert MarkdownChunker(config).chunk(text) == chunks
    return chunks


@pytest.mark.parametrize("path", _DOCUMENTS, ids=lambda path: path.stem)
def test_a_document_is_cut_as_it_was(path):
    pictures = {
        name: [_picture(chunk) for chunk in _cut(_read(path, name), config)]
        for name, config in CONFIGS.items()
    }
    snapshot = _HERE / f"{path.stem}.json"
    if os.environ.get(UPDATE):
        snapshot.write_text(_dump(pictures), encoding="utf-8")
    assert snapshot.is_file(), f"no snapshot yet: run with {UPDATE}=1"
    expected = json.loads(snapshot.read_text(encoding="utf-8"))
    for name, picture in pictures.items():
        assert picture == expected[name], f"{path.name} is cut differently: {name}"
    assert set(expected) == set(CONFIGS)


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("path", _DOCUMENTS, ids=lambda path: path.stem)
def test_a_forced_strategy_keeps_the_promises(path, strategy):
    for size in (100, 500):
        config = ChunkConfig(max_chunk_size=size, strategy=strategy)
        chunks = _cut(_read(path, "forced"), config)
        assert {chunk.metadata["strategy"] for chunk in chunks} == {strategy}


def test_every_snapshot_belongs_to_a_document():
    snapshots = {path.stem for path in _HERE.glob("*.json")}
    assert snapshots == {path.stem for path in _DOCUMENTS}
