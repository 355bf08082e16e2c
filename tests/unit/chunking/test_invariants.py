"""The validator finds every kind of damage, whoever did it."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from markdown_text import documents

from outcrop import Chunk, ChunkConfig, InvariantValidator, MarkdownChunker
from outcrop.chunking.invariants import check_spans
from outcrop.errors import InvariantError

CONFIG = ChunkConfig(max_chunk_size=200, min_chunk_size=1)
TEXT = """\
# Kettles

A kettle boils water for tea and for soup.

## Electric kettles

They are quick, and they switch themselves off when they are done.

```sh
kettle --boil --temperature 96 --quiet
kettle --status
```

## Stove kettles

They whistle when the water boils, which wakes the whole house.

- Fill it at most two thirds full.
- Never let it boil dry, not even once.

## Care

Descale it every few weeks with vinegar and hot water.
"""


@pytest.fixture
def chunks():
    return MarkdownChunker(CONFIG).chunk(TEXT)


def _validate(chunks, text=TEXT, *, strict=True, config=CONFIG):
    return InvariantValidator(config, strict=strict).validate(chunks, text)


def _shift(chunk, text, *, start=0, end=0):
    """A chunk whose span was moved, with the text that belongs to it."""
    first, last = chunk.start_offset + start, chunk.end_offset + end
    return replace(
        chunk,
        start_offset=first,
        end_offset=last,
        content=chunk.prefix + text[first:last],
    )


def test_what_the_chunker_makes_is_valid(chunks):
    for strict in (True, False):
        result = _validate(chunks, strict=strict)
        assert result.valid
        assert result.errors == result.warnings == []
        assert result.coverage == 1.0


def test_arguments_in_the_wrong_order_are_named(chunks):
    with pytest.raises(TypeError, match="the chunks and their text, a str, not list"):
        InvariantValidator(CONFIG).validate(TEXT, chunks)


def test_blank_text_without_chunks_is_valid():
    result = _validate([], " \n\n")
    assert result.valid
    assert result.coverage == 1.0


@pytest.mark.parametrize("text", ["", " \n\n", "hello"])
def test_chunks_of_another_text_are_found(chunks, text):
    for strict in (True, False):
        assert not _validate(chunks, text, strict=strict).valid


def test_a_heading_that_had_to_be_cut_is_not_dangling():
    text = "# A long heading text\n\nbody"
    config = ChunkConfig(max_chunk_size=7)
    assert _validate(MarkdownChunker(config).chunk(text), text, config=config).valid


@pytest.mark.parametrize("index", range(4))
def test_a_removed_chunk_is_found(chunks, index):
    del chunks[index]
    for strict in (True, False):
        result = _validate(chunks, strict=strict)
        assert not result.valid
        assert any("is in no chunk" in error for error in result.errors)
        assert result.coverage < 1.0


def test_no_chunks_at_all_are_found():
    result = _validate([])
    assert not result.valid
    assert result.coverage == 0.0


def test_an_altered_text_is_found(chunks):
    altered = chunks[1].content.replace("quick", "slow!")
    chunks[1] = replace(chunks[1], content=altered)
    for strict in (True, False):
        result = _validate(chunks, strict=strict)
        assert result.errors == ["chunk 1 is not the text of its span"]
        assert result.coverage < 1.0


def test_a_lost_word_is_found(chunks):
    chunks[-1] = _shift(chunks[-1], TEXT, end=-len("water."))
    result = _validate(chunks)
    assert not result.valid
    assert "is in no chunk: 'water.\\n'" in result.errors[0]


def test_chunks_out_of_order_are_found(chunks):
    chunks[0], chunks[1] = chunks[1], chunks[0]
    assert not _validate(chunks, strict=False).valid


def test_a_chunk_given_twice_is_found(chunks):
    result = _validate([chunks[0], *chunks], strict=False)
    assert not result.valid
    assert "already covered" in result.errors[0]


def test_a_heading_left_behind_is_dangling():
    text = "one two three\n\n## Title\n\nfour five six\n"
    first, second = MarkdownChunker(
        replace(CONFIG, max_chunk_size=30, overlap_size=0)
    ).chunk(text)
    moved = len("## Title\n\n")
    damaged = [
        _shift(first, text, end=moved),
        _shift(second, text, start=moved),
    ]
    strict = _validate(damaged, text)
    assert strict.errors == ["dangling headings at the end of chunks [0]"]
    lenient = _validate(damaged, text, strict=False)
    assert lenient.valid
    assert lenient.warnings == ["dangling headings at the end of chunks [0]"]
    assert lenient.coverage == strict.coverage


def test_a_heading_at_the_very_end_is_not_dangling():
    text = "one\n\n## Title\n"
    assert _validate(MarkdownChunker(CONFIG).chunk(text), text).valid


def test_a_chunk_over_the_limit_is_found(chunks):
    small = ChunkConfig(max_chunk_size=60)
    strict = _validate(chunks, config=small)
    assert not strict.valid
    assert "over the limit" in strict.errors[0]
    lenient = _validate(chunks, config=small, strict=False)
    assert lenient.valid
    assert lenient.warnings == strict.errors


def test_a_reason_excuses_a_chunk_over_the_limit():
    text = f"```\n{'x' * 300}\n```\n"
    chunks = MarkdownChunker(CONFIG).chunk(text)
    assert _validate(chunks, text).valid
    del chunks[0].metadata["oversize_reason"]
    assert not _validate(chunks, text).valid


def test_a_made_up_reason_excuses_nothing():
    text = "word " * 60
    (chunk,) = MarkdownChunker().chunk(text)
    chunk.metadata["oversize_reason"] = "section_integrity"
    assert not _validate([chunk], text).valid


def test_the_limit_is_measured_as_the_user_measures():
    text = "one two three four"
    chunks = MarkdownChunker().chunk(text)
    words = ChunkConfig(max_chunk_size=3, length=lambda piece: len(piece.split()))
    assert not _validate(chunks, text, config=words).valid


def test_a_cut_block_is_found_unless_cutting_is_allowed():
    code = "".join(f"line number {number}\n" for number in range(20))
    text = f"```\n{code}```\n"
    split = replace(CONFIG, oversize_blocks="split")
    chunks = MarkdownChunker(split).chunk(text)
    assert len(chunks) > 1
    assert _validate(chunks, text, config=split).valid
    result = _validate(chunks, text)
    assert "atomic blocks cut" in result.errors[0]


# Coverage


def test_coverage_is_the_share_of_lines_found():
    lines = [f"This is line number {number} of the text." for number in range(10)]
    text = "\n\n".join(lines)
    chunks = MarkdownChunker(ChunkConfig(max_chunk_size=45)).chunk(text)
    assert len(chunks) == 10
    result = _validate(chunks[:7], text)
    assert result.coverage == pytest.approx(0.7)


def test_low_coverage_is_a_warning():
    lines = [f"This is line number {number} of the text." for number in range(10)]
    text = "\n\n".join(lines)
    chunks = MarkdownChunker(ChunkConfig(max_chunk_size=45)).chunk(text)
    warnings = _validate(chunks[:7], text, strict=False).warnings
    assert warnings == ["content coverage 70.0% is below 95%"]


def test_repetition_does_not_raise_coverage(chunks):
    kept = [chunks[0], chunks[-1]]
    once = _validate(kept, strict=False).coverage
    twice = _validate(kept + kept, strict=False).coverage
    assert once == twice < 1.0


def test_a_lost_line_that_also_stands_elsewhere_is_lost():
    line = "This very line stands in the text twice."
    text = f"{line}\n\n{'word ' * 8}\n\n{line}\n"
    chunks = MarkdownChunker(ChunkConfig(max_chunk_size=45, strategy="fallback")).chunk(
        text
    )
    assert len(chunks) == 3
    assert _validate(chunks[:2], text).coverage == pytest.approx(2 / 3)


def test_short_lines_do_not_count():
    text = "short\n\nThis line is long enough to count.\n\nshort\n"
    chunks = MarkdownChunker(ChunkConfig(max_chunk_size=40)).chunk(text)
    assert _validate(chunks[1:2], text).coverage == 1.0


# The check inside chunk()


def test_spans_that_hold_everything_pass(chunks):
    check_spans(chunks, TEXT)


def test_a_loss_is_an_error_that_shows_the_text(chunks):
    with pytest.raises(InvariantError, match="offset 0 is in no chunk: '# Kettles"):
        check_spans(chunks[1:], TEXT)


def test_an_empty_span_is_an_error(chunks):
    chunks[0] = replace(chunks[0], end_offset=0)
    with pytest.raises(InvariantError, match="spans 0 to 0"):
        check_spans(chunks, TEXT)


# Time


def test_validating_takes_linear_time():
    def seconds(paragraphs: int) -> float:
        text = "\n\n".join(f"Paragraph number {n} of many." for n in range(paragraphs))
        chunks = MarkdownChunker(ChunkConfig(max_chunk_size=400)).chunk(text)
        start = time.process_time()
        assert (
            InvariantValidator(ChunkConfig(max_chunk_size=400))
            .validate(chunks, text)
            .valid
        )
        return time.process_time() - start

    small, large = seconds(7_000), seconds(70_000)  # 0.2 and 2 MB
    assert large < 40 * max(small, 0.02)


@settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))
@given(documents())
def test_strict_validation_passes_everything_the_chunker_makes(text: str) -> None:
    for size in (7, 30, 300):
        config = ChunkConfig(max_chunk_size=size)
        result = _validate(MarkdownChunker(config).chunk(text), text, config=config)
        assert result.valid, result.errors
        assert result.coverage == 1.0


SPLIT = ChunkConfig(max_chunk_size=60, min_chunk_size=1, oversize_blocks="split")
FENCE = "```py\n" + "".join(f"line_{number} = 1\n" for number in range(20)) + "```\n"
TABLE = "| a |\n|---|\n" + "".join(f"| row {number} |\n" for number in range(20))


def _damage(text, **changes):
    """The chunks of a split block, the second of them with another frame."""
    chunks = MarkdownChunker(SPLIT).chunk(text)
    chunk = chunks[1]
    own = text[chunk.start_offset : chunk.end_offset]
    frame = {"prefix": chunk.prefix, "suffix": chunk.suffix} | changes
    content = frame["prefix"] + own + frame["suffix"]
    chunks[1] = replace(chunk, content=content, **frame)
    return chunks


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        (FENCE, {"suffix": ""}),
        (FENCE, {"prefix": ""}),
        (FENCE, {"prefix": "10.-\n```py\n"}),
        (FENCE, {"suffix": "\n    ```"}),
        (TABLE, {"prefix": ""}),
        (TABLE, {"prefix": "    | a |\n|---|\n"}),
    ],
)
def test_a_part_that_is_no_such_block_by_itself_is_found(text, changes):
    result = _validate(_damage(text, **changes), text, config=SPLIT)
    assert [error for error in result.errors if "kind of block: chunks [1]" in error]


@pytest.mark.parametrize("text", [FENCE, TABLE, FENCE.removesuffix("```\n")])
def test_parts_that_are_such_blocks_by_themselves_are_fine(text):
    assert _validate(_damage(text), text, config=SPLIT).errors == []


def test_display_math_that_is_cut_is_found_in_split_mode_too():
    text = "$$\n" + "x = y + z\n" * 14 + "$$\n"
    chunks = MarkdownChunker(ChunkConfig(max_chunk_size=60, strategy="fallback")).chunk(
        text.replace("$$", "aa")
    )
    chunks = [
        replace(chunk, content=text[chunk.start_offset : chunk.end_offset])
        for chunk in chunks
    ]
    assert "atomic blocks cut" in str(_validate(chunks, text, config=SPLIT).errors)


# Chunks from elsewhere


def _foreign(chunk):
    """A chunk as another program would hand it over."""
    return Chunk(
        content=chunk.content,
        start_line=chunk.start_line,
        end_line=chunk.end_line,
        metadata={"oversize_reason": chunk.metadata.get("oversize_reason")},
    )


@pytest.mark.parametrize("size", [60, 90, 200, 4096])
def test_row_0_44_chunks_without_offsets_are_valid_if_they_hold_everything(size):
    config = replace(CONFIG, max_chunk_size=size)
    chunks = [_foreign(chunk) for chunk in MarkdownChunker(config).chunk(TEXT)]
    result = _validate(chunks, config=config)
    assert result.errors == []
    assert result.coverage == 1.0


def test_row_0_44_a_lost_chunk_without_offsets_is_found(chunks):
    foreign = [_foreign(chunk) for chunk in chunks]
    del foreign[1]
    for strict in (True, False):
        result = _validate(foreign, strict=strict)
        assert any("is in no chunk" in error for error in result.errors)
        assert result.coverage < 1.0


def test_row_0_44_a_text_that_is_not_there_is_found(chunks):
    foreign = [_foreign(chunk) for chunk in chunks]
    foreign[1] = replace(foreign[1], content="Nobody wrote this.")
    result = _validate(foreign, strict=False)
    assert "chunk 1 is not in the text: 'Nobody wrote this.'" in result.errors


def test_row_0_44_a_dangling_heading_without_offsets_is_found():
    text = "one two three\n\n## Title\n\nfour five six\n"
    pieces = ["one two three\n\n## Title", "four five six"]
    foreign = [
        Chunk(content=piece, start_line=1, end_line=1, metadata={}) for piece in pieces
    ]
    assert _validate(foreign, text).errors == [
        "dangling headings at the end of chunks [0]"
    ]


def test_row_0_44_equal_chunks_without_offsets_are_each_found():
    text = "same\n\nsame\n\nsame\n"
    foreign = [Chunk(content="same", start_line=1, end_line=1, metadata={})] * 3
    assert _validate(foreign, text).valid
    assert not _validate(foreign[:2], text).valid
