"""A file that is indexed window by window is stored exactly as one read as a whole."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from markdown_text import documents, texts_with_headings

from outcrop.indexing.config import IndexConfig
from outcrop.indexing.documents.markdown_chunks import WholeTextNeededError
from outcrop.indexing.documents.prepare import Task, prepare_bytes
from outcrop.indexing.large_files import open_streamed

_SETTINGS = settings(
    max_examples=80, deadline=None, suppress_health_check=list(HealthCheck)
)
_ROOT = Path(__file__).parents[2]
_OWN = sorted([*_ROOT.glob("docs/**/*.md"), *_ROOT.glob("tests/documents/*.md")])

# Front matter, sections without text or opening words, and titles that come twice.
_PIECES = st.sampled_from(
    [
        *("# A", "## B", "### C", "#### D", "## B\n\nWords.", "Under\n====="),
        *("<!-- note -->", "[x]: u", "---", "![](badge)", "Words and words."),
        *("```\ncode\n```", "- a\n- b", "| a |\n|---|\n| b |", "Long " * 300),
        *("# A\n\n## B\n\n### C\n\nDeep.", "### C [x]\n\nText.", "#", "## "),
        *(" ## Indented\n\nText.", "> # Quoted", "Under\n---", "###### Six\n\nText."),
    ]
)
_FRONT = st.sampled_from(
    ["", "", "---\ntitle: T\ntags: [a]\n---\n\n", "+++\ntitle = 'T'\n+++\n", "\ufeff"]
)


@st.composite
def _outlines(draw: st.DrawFn) -> str:
    """Texts with headings of all levels, some of them without any text."""
    pieces = draw(st.lists(_PIECES, min_size=1, max_size=60))
    end = draw(st.sampled_from(["\n\n", "\n\n", "\r\n\r\n", "\n"]))
    return draw(_FRONT) + end.join(pieces) + draw(st.sampled_from(["", "\n", "\n\n "]))


def _check(folder: Path, data: bytes, window: int, config: IndexConfig) -> int:
    file = folder / "large.md"
    file.write_bytes(data)
    task = Task(path="docs/large.md", file=str(file), kind="markdown", modified_ns=5)
    whole = prepare_bytes(task, data, config)
    chunks: list[Any] = []
    sections: list[Any] = []
    parts = 0
    with open_streamed(task, config, window) as streamed:
        for part in streamed.parts():
            chunks += part.chunks
            sections += part.sections
            parts += 1
        document = streamed.document()
    chunks.sort(key=lambda chunk: chunk.chunk_index)
    assert chunks == whole.chunks
    assert [list(c.metadata) for c in chunks] == [
        list(c.metadata) for c in whole.chunks
    ]
    assert sections == whole.sections
    assert document == whole.document
    return parts


@given(texts_with_headings() | _outlines() | documents(), st.integers(20, 3000))
@example("# A\n\n## B\n\n## C\n\n# A\n\n## B\n\nText.\n\n## C\n\nText.\n", 20)
@example(
    "## B\n\nText.\n\n# Late title\n\nText.\n\n## B\n\nText.\n\n## B\n\nText.\n", 20
)
@_SETTINGS
def test_a_streamed_document_equals_the_whole_one(
    tmp_path_factory: pytest.TempPathFactory, text: str, window: int
) -> None:
    folder = tmp_path_factory.getbasetemp()
    config = IndexConfig(max_tokens=16 + window % 40, summaries="extractive")
    data = text.encode("utf-8", "replace").replace(b"\0", b"?")
    with suppress(WholeTextNeededError):
        _check(folder, data, window, config)


@pytest.mark.parametrize("window", [60, 1000, 8000])
def test_our_own_documents_are_stored_alike_in_windows_of_any_size(tmp_path, window):
    config = IndexConfig(summaries="extractive")
    several = 0
    for path in _OWN:
        with suppress(WholeTextNeededError):
            several += _check(tmp_path, path.read_bytes(), window, config) > 2
    assert several, "no document was cut into windows"
