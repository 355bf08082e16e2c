"""A section over the limit is cut without losing its heading or its words."""

from __future__ import annotations

from itertools import pairwise

import pytest


def _rules(chunks) -> list[str]:
    return [chunk.metadata["boundary"]["rule"] for chunk in chunks]


def _sentence(number: int) -> str:
    return f"This is sentence number {number} of the text."


ITEMS = "".join(
    f"- Item number {number} says something short.\n" for number in range(8)
)


# Text around lists


def test_text_before_between_and_behind_lists_survives(cut):
    text = (
        f"# Lists\n\nBefore the lists.\n\n{ITEMS}\nBetween the lists.\n\n"
        f"{ITEMS.replace('-', '*')}\nBehind the lists.\n\nThe very last words.\n"
    )
    chunks = cut(text, max_chunk_size=120)
    together = "\n".join(chunk.content for chunk in chunks)
    for line in text.splitlines():
        assert line in together


def test_a_list_is_cut_between_items(cut, own):
    chunks = cut(f"# L\n\n{ITEMS}", max_chunk_size=120, strategy="structural")
    assert len(chunks) > 2
    assert all(text.startswith("- Item") for text in own(chunks)[1:])
    assert set(_rules(chunks)[1:]) == {"list_item"}


def test_a_numbered_list_is_cut_between_items(cut, own):
    items = "".join(f"{n}. Step number {n} of many.\n" for n in range(1, 12))
    chunks = cut(f"# Steps\n\n{items}", max_chunk_size=100)
    assert all(text[0].isdigit() for text in own(chunks)[1:])


def test_a_long_paragraph_before_a_list_does_not_swallow_items(cut, own):
    text = f"# L\n\n{' '.join(map(_sentence, range(6)))}\n\n{ITEMS}"
    chunks = cut(text, max_chunk_size=150)
    for piece in own(chunks):
        assert piece.count("\n- Item") == piece.count("says something short.") - (
            1 if piece.startswith("- Item") else 0
        )


# Nested items


def test_nested_items_stay_with_their_parent_while_they_fit(cut, own):
    item = "- Parent {0}\n  - child {0} one\n  - child {0} two\n"
    text = "".join(item.format(number) for number in range(6))
    chunks = cut(text, max_chunk_size=110)
    assert len(chunks) > 1
    for piece in own(chunks):
        assert piece.startswith("- Parent")
        assert piece.count("child") == 2 * piece.count("Parent")


def test_an_item_too_large_is_cut_between_its_nested_items(cut, own):
    children = "".join(f"  - child number {number} here\n" for number in range(10))
    chunks = cut(f"- Parent\n{children}", max_chunk_size=100)
    assert len(chunks) > 1
    assert own(chunks)[0].startswith("- Parent\n  - child number 0")
    assert all(piece.startswith("  - child") for piece in own(chunks)[1:])
    assert set(_rules(chunks)[1:]) == {"nested_list_item"}


def test_an_item_too_large_is_cut_between_its_paragraphs(cut, own):
    paragraphs = "\n\n".join(f"  {_sentence(number)}" for number in range(6))
    chunks = cut(f"- First.\n\n{paragraphs}\n", max_chunk_size=100)
    assert set(_rules(chunks)[1:]) == {"paragraph"}
    assert all(piece.startswith("  This") for piece in own(chunks)[1:])


def test_an_item_of_one_long_text_is_cut_between_sentences(cut, own):
    text = f"- {' '.join(map(_sentence, range(8)))}\n"
    chunks = cut(text, max_chunk_size=100)
    assert set(_rules(chunks)[1:]) == {"sentence"}
    assert all(piece.endswith("text.") for piece in own(chunks))
    assert not any(chunk.metadata["allow_oversize"] for chunk in chunks)


def test_an_item_that_fits_alone_is_not_cut_to_fill_the_chunk_before(cut, own):
    long = "- " + " ".join(map(_sentence, range(2))) + "\n"  # 80 characters
    text = f"- Short item.\n{long}{long}"
    for piece in own(cut(text, max_chunk_size=110)):
        assert piece.startswith("- ")
        assert piece.endswith(".")
        assert piece.count("sentence number 0") == piece.count("sentence number 1")


# Paragraphs, sentences, words, characters


def test_paragraphs_are_cut_apart_first(cut, own):
    text = "# P\n\n" + "\n\n".join(map(_sentence, range(6)))
    chunks = cut(text, max_chunk_size=100, strategy="structural")
    assert set(_rules(chunks)[1:]) == {"paragraph"}
    assert own(chunks)[1].startswith("This is")


def test_a_paragraph_too_long_is_cut_between_sentences(cut, own):
    chunks = cut(" ".join(map(_sentence, range(8))), max_chunk_size=100)
    assert set(_rules(chunks)[1:]) == {"sentence"}
    assert all(piece.endswith(".") for piece in own(chunks))


def test_a_sentence_too_long_is_cut_between_words(cut, own):
    words = [f"word{number}" for number in range(60)]
    chunks = cut(" ".join(words), max_chunk_size=50)
    assert set(_rules(chunks)[1:]) == {"word"}
    assert " ".join(own(chunks)).split() == words


def test_a_word_too_long_is_cut_between_clusters(cut, own):
    chunks = cut("e\u0301" * 60, max_chunk_size=25)
    assert set(_rules(chunks)[1:]) == {"grapheme"}
    assert all(piece.startswith("e") for piece in own(chunks))


def test_a_cluster_too_long_is_cut_between_code_points(cut, own):
    chunks = cut("e" + "\u0301" * 60, max_chunk_size=25)
    assert set(_rules(chunks)[1:]) == {"code_point"}
    assert "".join(own(chunks)) == "e" + "\u0301" * 60


def test_one_character_at_a_time_is_possible(cut, own):
    assert own(cut("ab\r\ncd", max_chunk_size=1)) == ["a", "b", "c", "d"]


def test_a_list_of_definitions_is_cut_between_lines(cut, own):
    text = "".join(f"[ref-{n}]: https://example.org/{n} 'A. B'\n" for n in range(9))
    chunks = cut(text, max_chunk_size=100)
    assert set(_rules(chunks)[1:]) == {"line"}
    assert all(piece.startswith("[ref-") for piece in own(chunks))


@pytest.mark.parametrize(
    ("sentence", "mark"),
    [
        ("Это предложение номер семь, т.е. не первое.", "."),
        ("これは七番目の文です。", "。"),
        ("这是第七个句子！", "！"),
    ],
)
def test_sentences_of_other_languages_are_cut_at_theirs(cut, own, sentence, mark):
    glue = " " if mark == "." else ""
    chunks = cut(glue.join([sentence] * 12), max_chunk_size=60)
    assert len(chunks) > 1
    assert set(_rules(chunks)[1:]) == {"sentence"}
    assert all(piece.endswith(mark) for piece in own(chunks))


def test_a_quote_is_cut_between_its_paragraphs(cut, own):
    text = "\n>\n".join(f"> {_sentence(number)}" for number in range(6))
    chunks = cut(text, max_chunk_size=100)
    assert all(piece.startswith("> This") for piece in own(chunks))


def test_parts_are_filled_rather_than_crumbled(cut):
    text = "\n\n".join(map(_sentence, range(40)))
    *full, _ = cut(text, max_chunk_size=400, strategy="structural")
    assert min(len(chunk.content) for chunk in full) > 350


def test_the_last_part_is_no_crumb(cut):
    text = "# A\n\n" + "\n\n".join(map(_sentence, range(4))) + "\n\nEnd.\n"
    for size in (90, 100, 130, 140, 175):
        chunks = cut(text, max_chunk_size=size, strategy="structural")
        assert len(chunks[-1].content) > size // 8


# Headings


def test_several_headings_in_a_row_go_with_the_first_body(cut, own):
    body = "\n\n".join(map(_sentence, range(6)))
    chunks = cut(f"# A\n\n## B\n\n### C\n\n{body}\n", max_chunk_size=100)
    assert own(chunks)[0].startswith(
        "# A\n\n## B\n\n### C\n\nThis is sentence number 0"
    )


def test_each_later_part_repeats_the_headings_of_its_section(cut):
    body = "\n\n".join(map(_sentence, range(6)))
    first, *later = cut(f"# A\n\n## B\n\n{body}\n", max_chunk_size=120)
    assert first.prefix == ""
    assert len(later) > 1
    assert {chunk.prefix for chunk in later} == {"# A\n\n## B\n\n"}


def test_later_parts_say_so(cut):
    body = "\n\n".join(map(_sentence, range(6)))
    text = f"# A\n\n{body}\n"
    chunks = cut(text, max_chunk_size=120)
    assert [c.metadata["continued_from_header"] for c in chunks] == [
        index > 0 for index in range(len(chunks))
    ]
    assert [c.metadata["split_index"] for c in chunks] == list(range(len(chunks)))
    assert {c.metadata["original_section_size"] for c in chunks} == {len(text)}


def test_the_lines_of_a_later_part_include_its_repeated_heading(cut):
    body = "\n\n".join(map(_sentence, range(6)))
    chunks = cut(f"text\n\n# A\n\n{body}\n", max_chunk_size=100, min_chunk_size=1)
    assert [chunk.start_line for chunk in chunks] == [1] + [3] * (len(chunks) - 1)
    for before, after in pairwise(chunks):
        assert before.end_line < after.end_line


def test_parts_of_two_sections_repeat_their_own_headings(cut):
    body = "\n\n".join(map(_sentence, range(4)))
    chunks = cut(f"# A\n\n{body}\n\n# B\n\n{body}\n", max_chunk_size=100)
    prefixes = [chunk.prefix for chunk in chunks]
    assert set(prefixes) == {"", "# A\n\n", "# B\n\n"}
    assert prefixes.index("# A\n\n") < prefixes.index("# B\n\n")


def test_a_heading_whose_body_is_one_oversize_block_goes_with_it(cut):
    text = f"text\n\n## Code\n\n```\n{'x' * 300}\n```\n\ntext\n"
    chunks = cut(text, max_chunk_size=100, min_chunk_size=1)
    (large,) = [chunk for chunk in chunks if chunk.metadata["allow_oversize"]]
    assert large.content.startswith("## Code\n\n```\nxxx")
    assert large.content.endswith("```")


def test_the_last_heading_without_a_body_ends_the_last_chunk(cut):
    text = "# A\n\n" + "\n\n".join(map(_sentence, range(6))) + "\n\n## End\n"
    chunks = cut(text, max_chunk_size=100)
    assert chunks[-1].content.endswith("## End")


def test_a_heading_too_long_for_a_chunk_is_cut_like_text(cut, own):
    title = " ".join(f"word{number}" for number in range(30))
    chunks = cut(f"# {title}\n\nbody\n", max_chunk_size=60)
    assert " ".join(own(chunks)).split() == f"# {title} body".split()


# Blocks that are never cut


@pytest.mark.parametrize(
    ("block", "reason"),
    [
        ("```py\n{0}\n```", "code_block_integrity"),
        ("~~~\n{0}\n~~~", "code_block_integrity"),
        ("````\n```\n{0}\n```\n````", "code_block_integrity"),
        ("    {0}", "code_block_integrity"),
        ("<div>\n{0}\n</div>", "code_block_integrity"),
        ("<!-- {0} -->", "code_block_integrity"),
        ("$$\n{0}\n$$", "code_block_integrity"),
        ("| a |\n|---|\n| {0} |", "table_integrity"),
        ("- ```\n  {0}\n  ```", "list_item_integrity"),
        ("1.     {0}", "list_item_integrity"),
        ("> ```\n> {0}\n> ```", "code_block_integrity"),
        ("> | a |\n> |---|\n> | {0} |", "table_integrity"),
        ("- | a |\n  |---|\n  | {0} |", "table_integrity"),
    ],
)
def test_an_atomic_block_stays_whole_and_gives_its_reason(cut, own, block, reason):
    source = block.format("x = 1; " * 30)
    text = f"# H\n\nBefore it.\n\n{source}\n\nBehind it.\n"
    chunks = cut(text, max_chunk_size=100, min_chunk_size=1)
    (large,) = [chunk for chunk in chunks if chunk.metadata["allow_oversize"]]
    assert large.metadata["oversize_reason"] == reason
    assert source.strip() in large.content
    assert "Before it." not in large.content
    assert "Behind it." not in large.content


def test_front_matter_stays_whole(cut):
    text = "---\n" + "".join(f"key{n}: value\n" for n in range(20)) + "---\n\ntext\n"
    first, second = cut(text, max_chunk_size=100, min_chunk_size=1)
    assert first.metadata["oversize_reason"] == "code_block_integrity"
    assert second.content == "text"


def test_a_block_in_an_item_with_text_before_it_is_parted_from_that_text(cut, own):
    text = f"- Run this:\n\n  ```\n  {'x' * 200}\n  ```\n\n  Then rest.\n"
    chunks = cut(text, max_chunk_size=100, min_chunk_size=1)
    assert own(chunks)[0] == "- Run this:"
    assert own(chunks)[2].strip() == "Then rest."
    assert chunks[1].metadata["oversize_reason"] == "code_block_integrity"


def test_a_block_that_fits_alone_is_not_oversize(cut):
    text = f"# H\n\n{_sentence(1)}\n\n```\n{'x' * 80}\n```\n\n{_sentence(2)}\n"
    chunks = cut(text, max_chunk_size=100, min_chunk_size=1)
    assert not any(chunk.metadata["allow_oversize"] for chunk in chunks)


def test_a_block_that_fits_only_without_its_headings_repeats_fewer(cut):
    text = f"# A rather long title\n\n## B\n\n{_sentence(1)}\n\n```\n{'x' * 83}\n```\n"
    chunks = cut(text, max_chunk_size=100, min_chunk_size=1)
    assert chunks[-1].content == f"## B\n\n```\n{'x' * 83}\n```"


def test_a_tolerance_keeps_what_is_slightly_too_large(cut):
    text = "# A\n\n" + "\n\n".join(map(_sentence, range(3)))  # 123 characters
    assert len(cut(text, max_chunk_size=110)) > 1
    (chunk,) = cut(text, max_chunk_size=110, oversize_tolerance=0.2)
    assert len(chunk.content) == 123


@pytest.mark.parametrize("strategy", ["code_aware", "structural", "fallback"])
def test_row_1_21_a_chunk_within_the_tolerance_says_so(cut, strategy):
    text = "# A\n\n" + "\n\n".join(map(_sentence, range(3)))
    (chunk,) = cut(text, max_chunk_size=110, oversize_tolerance=0.2, strategy=strategy)
    assert chunk.metadata["allow_oversize"] is True
    assert chunk.metadata["oversize_reason"] == "within_tolerance"


def test_row_1_21_a_tolerance_that_is_not_needed_is_not_mentioned(cut):
    (chunk,) = cut("# A\n\ntext\n", max_chunk_size=110, oversize_tolerance=0.2)
    assert chunk.metadata["allow_oversize"] is False
    assert "oversize_reason" not in chunk.metadata


def test_row_1_21_a_tolerance_in_words_is_measured_in_words(cut):
    (chunk,) = cut(
        "one two three four five six",
        max_chunk_size=5,
        oversize_tolerance=0.2,
        length=lambda text: len(text.split()),
    )
    assert chunk.metadata["oversize_reason"] == "within_tolerance"


def test_what_exceeds_the_tolerance_is_cut_to_the_maximum(cut):
    text = "\n\n".join(map(_sentence, range(12)))
    chunks = cut(
        text, max_chunk_size=110, oversize_tolerance=0.2, strategy="structural"
    )
    assert max(len(chunk.content) for chunk in chunks[:-1]) <= 110


# Other measures


def test_a_limit_in_words_is_kept(cut):
    text = "# A title\n\n" + " ".join(map(_sentence, range(30)))
    chunks = cut(text, max_chunk_size=25, length=lambda piece: len(piece.split()))
    assert max(len(chunk.content.split()) for chunk in chunks) <= 25
    assert all(chunk.prefix == "# A title\n\n" for chunk in chunks[1:])


def test_a_measure_whose_parts_do_not_add_up_is_kept(cut):
    def length(piece: str) -> int:  # joining costs more than its parts
        return len(piece) + 3 * piece.count("\n\n")

    text = "\n\n".join(map(_sentence, range(20)))
    chunks = cut(text, max_chunk_size=150, length=length)
    assert max(length(chunk.content) for chunk in chunks) <= 150


@pytest.mark.parametrize("newline", ["\r\n", "\r"])
def test_line_ends_survive_every_cut(cut, newline):
    text = (f"# A\n\n{ITEMS}\n" + " ".join(map(_sentence, range(6)))).replace(
        "\n", newline
    )
    chunks = cut(text, max_chunk_size=100)
    rest = text
    for chunk in chunks:
        own_text = text[chunk.start_offset : chunk.end_offset]
        assert not own_text.startswith("\n")
        assert not own_text.endswith("\r")
        _, _, rest = rest.partition(own_text)
    assert rest.strip() == ""
