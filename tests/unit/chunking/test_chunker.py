"""The chunker as a whole: what it takes, what it gives."""

from __future__ import annotations

import pytest

from outcrop import Chunk, ChunkConfig, MarkdownChunker

TEXT = "# Title\n\nSome text.\n"


@pytest.mark.parametrize(
    "text", ["", " ", "\n\n", "\t \r\n", "\u00a0\u3000\u2028", "\x1c"]
)
def test_blank_text_gives_no_chunks(text):
    assert MarkdownChunker().chunk(text) == []


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (None, "the text to chunk must be a str, not NoneType"),
        (b"# Title", "the text to chunk must be a str, not bytes; decode it first"),
        (
            bytearray(b"x"),
            "the text to chunk must be a str, not bytearray; decode it first",
        ),
        (42, "the text to chunk must be a str, not int"),
        (["# Title"], "the text to chunk must be a str, not list"),
    ],
)
def test_what_is_no_text_is_refused_by_its_type(given, message):
    with pytest.raises(TypeError) as refusal:
        MarkdownChunker().chunk(given)
    assert str(refusal.value) == message


def test_a_small_document_is_one_chunk(cut):
    (chunk,) = cut(TEXT)
    assert isinstance(chunk, Chunk)
    assert chunk.content == "# Title\n\nSome text."
    assert (chunk.start_line, chunk.end_line) == (1, 3)
    assert (chunk.start_offset, chunk.end_offset) == (0, 19)
    assert chunk.prefix == chunk.suffix == ""


def test_space_around_the_text_is_left_out(cut):
    (chunk,) = cut("\n\n  \nSome text.  \n\n\n")
    assert chunk.content == "Some text."
    assert chunk.start_line == chunk.end_line == 4


def test_indent_before_the_first_character_is_kept(cut):
    (chunk,) = cut("\n\n    code\n")
    assert chunk.content == "    code"


def test_settings_are_optional_and_kept():
    assert MarkdownChunker().config == ChunkConfig()
    config = ChunkConfig(max_chunk_size=50)
    assert MarkdownChunker(config).config is config


def test_a_chunker_can_be_used_again():
    chunker = MarkdownChunker(ChunkConfig(max_chunk_size=60))
    first = chunker.chunk(f"{TEXT}\n" * 5)
    chunker.chunk("# Something else\n\n" + "word " * 50)
    assert chunker.chunk(f"{TEXT}\n" * 5) == first


def test_a_subclass_of_str_is_text():
    class Page(str):
        __slots__ = ()

    assert MarkdownChunker().chunk(Page(TEXT)) == MarkdownChunker().chunk(TEXT)


def test_chunks_cannot_be_changed():
    (chunk,) = MarkdownChunker().chunk(TEXT)
    with pytest.raises(AttributeError):
        chunk.content = "other"


@pytest.mark.parametrize(
    "text",
    [
        "\ufeff# Title\n\ntext\n",
        "\ufeff",
        "# a\x00b\n\n\x00\n",
        "# \udc80\n\ntext \ud800 more\n",
        "a\u2028b\u2029c\n",
        "# Title\r\rtext\r\r- item\r",
        "# Title\r\n\r\ntext\r\n",
        "text\n\n```\nunclosed\n",
        "\t- item\n\t\tcode\n",
        "e\u0301\u0301 👩‍👩‍👧 🇩🇪\n",
        "|a|\n|-|\n" * 3,
        "- " * 200 + "x\n",
        "> " * 200 + "x\n",
        "#\n##\n###\n",
        "\x0b\x0cx\x85",
        "[a]: b",
        "$$",
        "<!--",
        "---",
        "---\n---",
        "-\n-\n-",
    ],
)
@pytest.mark.parametrize("size", [1, 10, 60])
@pytest.mark.parametrize("oversize_blocks", ["keep", "split"])
def test_odd_text_keeps_every_promise(cut, text, size, oversize_blocks):
    assert cut(text, max_chunk_size=size, oversize_blocks=oversize_blocks)
