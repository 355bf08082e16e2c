"""Work grows with the size of the document, and no faster: counted, not timed."""

from __future__ import annotations

import pytest

from outcrop import ChunkConfig, MarkdownChunker

LIMIT = 100  # words
SENTENCE = "The quick brown fox jumps over the lazy dog. "

SHAPES = {
    "one line": lambda n: SENTENCE * n,
    "paragraphs": lambda n: (SENTENCE * 4 + "\n\n") * (n // 4),
    "list": lambda n: f"- {SENTENCE}\n" * n,
    "nested list": lambda n: (f"- {SENTENCE}\n" + f"  - {SENTENCE}\n" * 3) * (n // 4),
    "sections": lambda n: (f"## Title\n\n{SENTENCE * 4}\n\n") * (n // 4),
    "one section": lambda n: "# Title\n\n" + (SENTENCE * 4 + "\n\n") * (n // 4),
    "headings": lambda n: "# One\n\n## Two\n\n### Three\n\n" * n,
    "table": lambda n: "| a | b |\n|---|---|\n" + f"| {SENTENCE} | x |\n" * n,
    "code": lambda n: "```\n" + f"{SENTENCE}\n" * n + "```\n",
    "quote": lambda n: f"> {SENTENCE}\n>\n" * n,
    "definitions": lambda n: "[ref]: https://example.org 'Title'\n" * n,
    "math": lambda n: f"{SENTENCE} $$x = y$$\n\n" * n,
}


class Recorder:
    """Counts words, and the work that is asked of it."""

    def __init__(self) -> None:
        self.lengths: list[int] = []

    def __call__(self, text: str) -> int:
        self.lengths.append(len(text))
        return len(text.split())


def _work(shape: str, size: int, mode: str) -> list[int]:
    recorder = Recorder()
    config = ChunkConfig(max_chunk_size=LIMIT, oversize_blocks=mode, length=recorder)
    assert MarkdownChunker(config).chunk(SHAPES[shape](size))
    return sorted(recorder.lengths)


@pytest.mark.parametrize("mode", ["keep", "split"])
@pytest.mark.parametrize("shape", SHAPES)
def test_measuring_grows_linearly(shape, mode):
    small, large = _work(shape, 100, mode), _work(shape, 800, mode)
    assert len(large) <= 8 * 1.25 * len(small) + 50
    assert sum(large) <= 8 * 1.25 * sum(small) + 50 * LIMIT * 10


@pytest.mark.parametrize("mode", ["keep", "split"])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_block_is_measured_whole_once_and_in_small_pieces_after_that(shape, mode):
    lengths = _work(shape, 400, mode)
    few_budgets = 8 * LIMIT * 5  # a word takes about five characters
    assert len([length for length in lengths if length > few_budgets]) <= 1


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("> " * 80_000 + "deep\n", 1),
        (">" * 80_000 + "deep\n", 1),
        ("- " * 10_000 + "deep\n", 1),
        ("1. " * 10_000 + "deep\n", 1),
        ("> - " * 10_000 + "deep\n", 1),
    ],
    ids=["spaced quotes", "quotes", "items", "numbers", "both"],
)
def test_deep_nesting_is_no_trouble(text, pieces):
    chunks = MarkdownChunker(ChunkConfig(max_chunk_size=len(text))).chunk(text)
    assert len(chunks) == pieces
    assert chunks[0].content == text.strip()
    cut = MarkdownChunker(ChunkConfig(max_chunk_size=1000)).chunk(text)
    assert "".join("".join(chunk.content.split()) for chunk in cut) == "".join(
        text.split()
    )


def test_a_list_that_goes_down_three_hundred_levels_again_and_again_is_cut():
    text = "".join("  " * (line % 300) + "- item\n" for line in range(10_000))
    chunks = MarkdownChunker(ChunkConfig(max_chunk_size=2000)).chunk(text)
    assert sum(chunk.content.count("- item") for chunk in chunks) == 10_000


@pytest.mark.parametrize(
    "text",
    ["word " * 1_000_000, "Some words. " * 200_000, "x" * 5_000_000, "文" * 5_000_000],
    ids=["words", "sentences", "one word", "unspaced"],
)
@pytest.mark.timeout(30)
def test_a_line_of_megabytes_is_cut(text):
    chunks = MarkdownChunker(ChunkConfig(max_chunk_size=4000)).chunk(text)
    assert all(len(chunk.content) <= 4000 for chunk in chunks)
    own = sum(chunk.end_offset - chunk.start_offset for chunk in chunks)
    assert own >= len(text) - text.count(" ")


def test_a_word_longer_than_the_limit_is_not_measured_again_and_again():
    calls = 0

    def length(text: str) -> int:
        nonlocal calls
        calls += 1
        return len(text)

    text = "x" * 20_000
    chunks = MarkdownChunker(ChunkConfig(max_chunk_size=50, length=length)).chunk(text)
    assert len(chunks) >= 400
    assert calls <= 20 * len(chunks)


# Each of these was once quadratic.
@pytest.mark.parametrize(
    "text",
    [
        "$$x$$ " * 170_000,
        "- " + "*a* b " * 170_000,
        "🇩" * 300_000,
    ],
    ids=["math in one line", "marks in one item", "flags in a row"],
)
@pytest.mark.timeout(30)
def test_many_small_things_on_one_line_are_cut_in_seconds(text):
    chunks = MarkdownChunker(ChunkConfig(max_chunk_size=2000)).chunk(text)
    assert all(len(chunk.content) <= 2000 for chunk in chunks)


@pytest.mark.parametrize("shape", ["table", "code"])
def test_splitting_at_half_the_size_grows_linearly(shape):
    """The work of one part does not grow with the square of its lines."""

    def work(size: int) -> int:
        recorder = Recorder()
        text = SHAPES[shape](size)
        limit = len(text.split()) // 2
        config = ChunkConfig(
            max_chunk_size=limit, oversize_blocks="split", length=recorder
        )
        chunks = MarkdownChunker(config).chunk(text)
        assert 1 < len(chunks) < 6
        return sum(recorder.lengths)

    assert work(3200) <= 8 * 1.5 * work(400)
