"""Cutting a text that is read piece by piece."""

from __future__ import annotations

import io
import tracemalloc
from itertools import islice

import pytest

from outcrop import BaseStrategy, Chunk, ChunkConfig, MarkdownChunker
from outcrop.chunking.metadata import ChunkIds
from outcrop.chunking.streaming.ids import CompactChunkIds
from outcrop.errors import InputError

_SECTION = (
    "## Section {n}\n\n" + "A sentence of section {n}, which says a little. " * 20
)


def _sections(count: int) -> str:
    return "\n\n".join(_SECTION.format(n=n) for n in range(count))


class _Pipe:
    """A reader that cannot go back, and gives less than it is asked for."""

    def __init__(self, text: str) -> None:
        self._pieces = iter([text[at : at + 700] for at in range(0, len(text), 700)])

    def read(self, size: int, /) -> str:
        assert size > 0
        return next(self._pieces, "")


class _Sections:
    """A text of any number of sections that is never in memory as a whole."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._next = 0

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._next

    def seek(self, place: int) -> None:
        self._next = place

    def read(self, size: int, /) -> str:
        assert size > 0
        if self._next >= self._count:
            return ""
        text = _SECTION.format(n=self._next) + "\n\n"
        self._next += 1
        return text


def test_a_stream_starts_where_the_reader_stands():
    reader = io.StringIO("skipped\n# A\n\nText.\n")
    reader.readline()
    (chunk,) = MarkdownChunker().chunk_stream(reader)
    assert chunk.content == "# A\n\nText."
    assert chunk.start_offset == 0


def test_a_reader_that_cannot_seek_gives_the_same_chunks():
    text = _sections(40)
    chunker = MarkdownChunker(ChunkConfig(max_chunk_size=600))
    assert list(chunker.chunk_stream(_Pipe(text), window_chars=2000)) == chunker.chunk(
        text
    )


def test_a_file_is_read_with_its_line_ends(tmp_path):
    text = _sections(20).replace("\n", "\r\n")
    path = tmp_path / "a.md"
    path.write_bytes(text.encode())
    chunker = MarkdownChunker(ChunkConfig(max_chunk_size=600))
    with path.open(encoding="utf-8", newline="") as file:
        assert list(chunker.chunk_stream(file, window_chars=2000)) == chunker.chunk(
            text
        )


@pytest.mark.parametrize("text", ["", " \n\t\n"])
def test_a_blank_text_has_no_chunks(text):
    assert list(MarkdownChunker().chunk_stream(io.StringIO(text))) == []


def test_chunks_come_before_the_text_is_read_to_its_end():
    reader = _Sections(2_000)
    chunks = MarkdownChunker().chunk_stream(reader, window_chars=20_000)
    assert len(list(islice(chunks, 5))) == 5
    assert reader.tell() < 100


def test_memory_does_not_grow_with_the_text():
    def peak(count: int) -> int:
        tracemalloc.start()
        chunker = MarkdownChunker()
        chunks = chunker.chunk_stream(_Sections(count), window_chars=20_000)
        assert sum(1 for _ in chunks) > count // 5
        used = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return used

    peak(100)  # loads what is loaded once
    assert peak(1_500) < 1.3 * peak(300)


class _Paragraphs(_Sections):
    """A text without headings."""

    def read(self, size: int, /) -> str:
        return super().read(size).removeprefix("## ")


def test_memory_does_not_grow_with_a_text_without_headings():
    def peak(count: int) -> int:
        tracemalloc.start()
        chunks = MarkdownChunker().chunk_stream(_Paragraphs(count), window_chars=20_000)
        assert sum(1 for _ in chunks) > count // 5
        used = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return used

    peak(100)
    assert peak(1_000) < 1.3 * peak(200)


@pytest.mark.parametrize("strategy", [None, "fallback", "blocks", "code_aware"])
def test_a_text_without_headings_is_cut_at_paragraphs(strategy):
    paragraphs = ["Some words of it. " * (n % 7 + 1) for n in range(200)]
    paragraphs[50] = "```\ncode\n```"
    text = "\n\n".join(paragraphs)
    config = ChunkConfig(max_chunk_size=300, strategy=strategy)
    chunker = MarkdownChunker(config)
    stream = chunker.chunk_stream(io.StringIO(text), window_chars=1_000)
    assert list(stream) == chunker.chunk(text)


def test_a_list_without_headings_is_cut_as_a_whole():
    text = "- an item of a list\n" * 500
    chunker = MarkdownChunker(ChunkConfig(max_chunk_size=100))
    chunks = chunker.chunk_stream(io.StringIO(text), window_chars=200)
    assert list(chunks) == chunker.chunk(text)


def test_a_strategy_of_the_caller_is_given_the_whole_text():
    class Halves(BaseStrategy):
        name = "halves"
        priority = 0

        def can_handle(self, analysis, config):
            return True

        def apply(self, md_text, analysis, config) -> list[Chunk]:
            half = md_text.index("## Section 5")
            return [
                self.create_chunk(md_text, 0, half),
                self.create_chunk(md_text, half, len(md_text)),
            ]

    text = _sections(10)
    chunker = MarkdownChunker(ChunkConfig(max_chunk_size=9000), [Halves()])
    chunks = list(chunker.chunk_stream(io.StringIO(text), window_chars=500))
    assert chunks == chunker.chunk(text)
    assert {chunk.metadata["strategy"] for chunk in chunks} == {"halves"}


def test_a_reader_of_bytes_is_rejected():
    with pytest.raises(InputError, match="gave bytes"):
        list(MarkdownChunker().chunk_stream(io.BytesIO(b"# A\n")))


def test_a_window_below_one_character_is_rejected():
    with pytest.raises(ValueError, match="window_chars is 0"):
        MarkdownChunker().chunk_stream(io.StringIO(""), window_chars=0)


def test_compact_ids_are_those_of_the_chunker():
    plain, compact = ChunkIds(), CompactChunkIds()
    texts = [f"text {n % 7_000}" for n in range(20_000)]
    ids = [compact.assign(b"chunk", text) for text in texts]
    assert ids == [plain.assign(b"chunk", text) for text in texts]
    assert len(set(ids)) == len(ids)


def test_compact_ids_are_longer_where_two_texts_have_the_same_first_digits(monkeypatch):
    # With one byte instead of four, collisions are everywhere.
    monkeypatch.setattr("outcrop.chunking.metadata._ID_DIGITS", 2)
    monkeypatch.setattr("outcrop.chunking.streaming.ids._KEY_BYTES", 1)
    monkeypatch.setattr("outcrop.chunking.streaming.ids._KEY_DIGITS", 2)
    plain, compact = ChunkIds(), CompactChunkIds()
    texts = [f"text {n % 300}" for n in range(900)]
    assert [compact.assign(b"chunk", text) for text in texts] == [
        plain.assign(b"chunk", text) for text in texts
    ]


@pytest.mark.parametrize("line", ["\n", "word word word word\n"])
@pytest.mark.timeout(10)
def test_a_bracket_that_is_never_closed_takes_linear_time(line):
    text = "# Title\n\n[a][" + line * (200_000 // len(line))
    streamed = MarkdownChunker().chunk_stream(io.StringIO(text))
    assert [*streamed] == MarkdownChunker().chunk(text)
