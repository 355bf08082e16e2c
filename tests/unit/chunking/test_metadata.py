"""What a chunk says of itself."""

from __future__ import annotations

import json

import pytest

from outcrop.chunking import metadata

ALWAYS = {
    "allow_oversize": bool,
    "boundary": dict,
    "chunk_id": str,
    "content_type": str,
    "continued_from_header": bool,
    "end_line": int,
    "fence_count": int,
    "header_level": int,
    "header_path": str,
    "headers": list,
    "indexable": bool,
    "section_tags": list,
    "start_line": int,
    "strategy": str,
}
SOMETIMES = {
    "dangling_header_fixed": bool,
    "fence_balance_error": bool,
    "header_moved_from_id": str | None,
    "merge_reason": str,
    "next_content": str,
    "original_section_size": int,
    "oversize_reason": str,
    "previous_content": str,
    "split_index": int,
}
TYPES = ALWAYS | SOMETIMES
GUIDE = """\
Welcome.

# Guide

Opening words.

## Setup

### Linux

Use the package.

### Windows

Use the installer.

## Usage

Run it.
"""


@pytest.fixture
def sections(cut):
    """Chunks of a text, one for each section."""

    def run(text, **settings):
        return cut(text, min_chunk_size=1, strategy="structural", **settings)

    return run


# Fields


def test_every_chunk_has_the_same_fields(cut):
    for chunk in cut(GUIDE, max_chunk_size=40):
        assert set(ALWAYS) <= set(chunk.metadata) <= set(TYPES)


def test_every_field_has_its_type(cut):
    text = f"{GUIDE}\n# Moved\n\n{'word ' * 20}\n\n```\n{'x' * 90}\n```\n\n```\ny\n"
    seen = set()
    for strategy in ("structural", "fallback"):
        for chunk in cut(text, max_chunk_size=80, strategy=strategy):
            for name, value in chunk.metadata.items():
                assert isinstance(value, TYPES[name]), name
                seen.add(name)
    assert seen == set(TYPES)


def test_metadata_is_json(cut):
    text = f"{GUIDE}\n```\nx\n\n| a |\n|---|\n"
    for chunk in cut(text, max_chunk_size=40, oversize_blocks="split"):
        assert json.loads(json.dumps(chunk.metadata)) == chunk.metadata


def test_lines_are_those_of_the_chunk(cut):
    for chunk in cut(GUIDE, max_chunk_size=40):
        assert chunk.metadata["start_line"] == chunk.start_line
        assert chunk.metadata["end_line"] == chunk.end_line


def test_every_chunk_of_a_flat_list_is_indexable(cut):
    assert all(chunk.metadata["indexable"] is True for chunk in cut(GUIDE))


def test_chunks_do_not_share_their_lists(sections):
    first, second, *_ = sections("# A\n\n" + "word " * 40, max_chunk_size=60)
    first.metadata["headers"].append("changed")
    assert second.metadata["headers"] == ["A"]


# Context


def test_the_path_is_that_of_the_first_text(sections):
    paths = [chunk.metadata["header_path"] for chunk in sections(GUIDE)]
    assert paths == [
        "/__preamble__",
        "/Guide",
        "/Guide/Setup/Linux",
        "/Guide/Setup/Windows",
        "/Guide/Usage",
    ]


def test_headers_and_levels_belong_to_the_path(sections):
    headers = [chunk.metadata["headers"] for chunk in sections(GUIDE)]
    assert headers[0] == []
    assert headers[2] == ["Guide", "Setup", "Linux"]
    levels = [chunk.metadata["header_level"] for chunk in sections(GUIDE)]
    assert levels == [0, 1, 3, 3, 2]


def test_a_slash_in_a_title_breaks_no_list_of_headers(sections):
    (chunk,) = sections("# Input/Output\n\n## A/B\n\ntext\n")
    assert chunk.metadata["headers"] == ["Input/Output", "A/B"]
    assert chunk.metadata["header_path"] == "/Input/Output/A/B"


def test_titles_in_the_path_are_plain_text(sections):
    text = "# The `run` [guide](x) 🚀 {#id}\n\ntext\n"
    (chunk,) = sections(text)
    assert chunk.metadata["header_path"] == "/The run guide 🚀"


def test_tags_are_the_headings_further_on(cut):
    (chunk,) = cut(GUIDE)
    assert chunk.metadata["section_tags"] == [
        "Guide",
        "Setup",
        "Linux",
        "Windows",
        "Usage",
    ]


def test_headings_that_open_the_chunk_are_no_tags(cut):
    (chunk,) = cut("# A\n\n## B\n\ntext\n\n## C\n\nmore\n")
    assert chunk.metadata["headers"] == ["A", "B"]
    assert chunk.metadata["section_tags"] == ["C"]


def test_a_chunk_of_headings_alone_has_the_path_of_the_last(cut):
    (chunk,) = cut("# A\n\n## B\n")
    assert chunk.metadata["headers"] == ["A", "B"]
    assert chunk.metadata["section_tags"] == []


def test_a_later_part_has_the_path_of_its_section(cut):
    chunks = cut("# A\n\n## B\n\n" + "word " * 60, max_chunk_size=100)
    assert len(chunks) > 2
    assert {chunk.metadata["header_path"] for chunk in chunks} == {"/A/B"}


def test_a_document_without_headings_is_all_preamble_by_path(cut):
    (chunk,) = cut("Just text.\n")
    assert chunk.metadata["header_path"] == "/__preamble__"
    assert chunk.metadata["content_type"] == "text"


# Kind of content


@pytest.mark.parametrize(
    ("text", "strategy", "expected"),
    [
        ("plain\n", None, "text"),
        ("# A\n\n## B\n\ntext\n\n## C\n", None, "section"),
        ("```\nx\n```\n", None, "code"),
        ("# A\n\n```\nx\n```\n\n    y\n", None, "code"),
        ("    x\n", None, "code"),
        ("| a |\n|---|\n", None, "table"),
        ("# A\n\n| a |\n|---|\n", "structural", "table"),
        ("# A\n\ntext\n\n```\nx\n```\n", None, "text"),
        ("# A\n\ntext\n\n```\nx\n```\n", "structural", "section"),
        ("# A\n", None, "text"),
    ],
)
def test_the_content_type_is_told(cut, text, strategy, expected):
    (chunk,) = cut(text, strategy=strategy)
    assert chunk.metadata["content_type"] == expected


def test_text_before_the_first_heading_is_a_preamble(sections):
    first, second, *_ = sections(GUIDE)
    assert first.metadata["content_type"] == "preamble"
    assert second.metadata["content_type"] == "section"


# Fences


def test_fences_are_counted_in_pairs(cut):
    (chunk,) = cut("```\na\n```\n\n- ~~~\n  b\n  ~~~\n\n    indented\n")
    assert chunk.metadata["fence_count"] == 4
    assert "fence_balance_error" not in chunk.metadata


def test_backticks_in_text_and_code_are_no_fences(cut):
    (chunk,) = cut("Use ``` here.\n\n````\n```\n````\n")
    assert chunk.metadata["fence_count"] == 2


def test_an_unclosed_fence_is_told(cut):
    (chunk,) = cut("text\n\n```\nx\n")
    assert chunk.metadata["fence_count"] == 1
    assert chunk.metadata["fence_balance_error"] is True


def test_only_the_chunk_with_the_unclosed_fence_tells(cut):
    text = f"# A\n\n```\na\n```\n\n{'word ' * 20}\n\n# B\n\n```\nb\n"
    first, *_, last = cut(text, max_chunk_size=100, min_chunk_size=1)
    assert "fence_balance_error" not in first.metadata
    assert last.metadata["fence_balance_error"] is True


# Ids


def _ids(chunks) -> dict[str, str]:
    return {chunk.content: chunk.chunk_id for chunk in chunks}


def test_ids_are_eight_hex_digits(sections):
    for chunk in sections(GUIDE):
        assert len(chunk.chunk_id) == 8
        assert int(chunk.chunk_id, 16) >= 0


def test_ids_are_the_same_every_time(sections):
    assert _ids(sections(GUIDE)) == _ids(sections(GUIDE))


def test_an_id_does_not_change_when_text_elsewhere_does(sections):
    before = _ids(sections(GUIDE))
    changed = GUIDE.replace("Opening words.", "Other words,\n\nand more of them.")
    after = _ids(sections(f"New first words.\n\n{changed}\n\n# Appendix\n\nEnd.\n"))
    unchanged = set(before) & set(after)
    assert len(unchanged) == 3
    assert all(before[content] == after[content] for content in unchanged)


def test_an_id_changes_with_the_text(sections):
    (one,) = sections("# A\n\none\n")
    (two,) = sections("# A\n\ntwo\n")
    assert one.chunk_id != two.chunk_id


def test_an_id_does_not_depend_on_repeated_headings(cut):
    body = "\n\n".join(f"Paragraph number {n} of the section here." for n in range(5))
    one = cut(f"# A\n\n{body}", max_chunk_size=100)
    two = cut(f"# B\n\n{body}", max_chunk_size=100)
    assert one[1].content != two[1].content
    assert one[1].chunk_id == two[1].chunk_id


def test_equal_texts_have_ids_of_their_own(sections):
    chunks = sections("# A\n\nsame\n\n" * 5)
    assert len({chunk.content for chunk in chunks}) == 1
    assert len({chunk.chunk_id for chunk in chunks}) == 5


def test_the_nth_equal_text_has_the_same_id_whatever_stands_between(sections):
    plain = sections("# A\n\nsame\n\n" * 3)
    mixed = sections("# A\n\nsame\n\n# X\n\nother\n\n" * 3)
    same = [chunk.chunk_id for chunk in mixed if "same" in chunk.content]
    assert same == [chunk.chunk_id for chunk in plain]


# Parts


def test_a_section_that_is_whole_has_no_part_number(sections):
    for chunk in sections(GUIDE):
        assert not {"split_index", "original_section_size"} & set(chunk.metadata)
        assert chunk.metadata["continued_from_header"] is False


def test_parts_are_numbered_anew_in_every_section(sections):
    text = "".join(f"# {title}\n\n{'word ' * 30}\n\n" for title in "AB")
    numbers = [
        (chunk.metadata["headers"][0], chunk.metadata["split_index"])
        for chunk in sections(text, max_chunk_size=100)
    ]
    assert numbers == [("A", 0), ("A", 1), ("B", 0), ("B", 1)]


def test_the_size_before_the_split_is_that_of_the_section(sections):
    section = f"# A\n\n{'word ' * 30}\n\n"
    first, *_ = sections(section + "# B\n\ntext\n", max_chunk_size=100)
    assert first.metadata["original_section_size"] == len(section)


# Collisions


def test_a_collision_of_short_ids_gets_more_digits(monkeypatch):
    class Digest:
        def __init__(self, data: bytes) -> None:
            self._data = data

        def hexdigest(self) -> str:
            return "c0ffee00" + self._data.hex().ljust(56, "0")

    monkeypatch.setattr(metadata, "sha256", Digest)
    ids = metadata.ChunkIds()
    given = [ids.assign(b"chunk", text) for text in ("one", "two", "one")]
    assert given[0] == "c0ffee00"
    assert len(set(given)) == 3
    assert all(len(one) > 8 for one in given[1:])


def test_roles_keep_equal_texts_apart():
    ids = metadata.ChunkIds()
    assert ids.assign(b"chunk", "text") != ids.assign(b"section", "text")
