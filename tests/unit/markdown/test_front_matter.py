"""Front matter: found at the start of a document, and read without a full parser."""

from __future__ import annotations

import pytest

from outcrop.markdown import Kind, parse
from outcrop.markdown.front_matter import (
    MAX_CHARS,
    FrontMatter,
    front_matter_length,
    read_front_matter,
    read_title,
)

EMPTY = FrontMatter()
SAME = FrontMatter(
    title="Rootless mode",
    description="Run as a user.",
    keywords=("docker", "security"),
    tags=("Engine", "two words"),
    aliases=("/rootless/",),
)


@pytest.mark.parametrize(
    "text",
    [
        (
            "---\ntitle: Rootless mode\ndescription: Run as\n  a user.\nkeywords: docker, security\n"
            "tags: [Engine, two words]\naliases:\n- /rootless/\n---\n\nText\n"
        ),
        (
            '+++\ntitle = "Rootless mode"\ndescription = """Run as\na user."""\n'
            'keywords = ["docker", "security"]\ntags = ["#Engine", "two words"]\n'
            'aliases = "/rootless/"\n[params]\ntitle = "other"\n+++\nText\n'
        ),
        (
            '{"title": "Rootless mode", "description": "Run as a user.", "weight": 3,\n'
            ' "keywords": ["docker", "security"], "tags": ["Engine", "two words"],\n'
            ' "aliases": ["/rootless/"]}\n\nText\n'
        ),
    ],
    ids=["yaml", "toml", "json"],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_yaml_toml_and_json_say_the_same(text, newline, mark):
    text = mark + text.replace("\n", newline)
    assert read_front_matter(text) == SAME
    assert read_title(text) == SAME.title
    document = parse(text)
    assert [Kind(kind) for kind in document.blocks.kinds] == [
        Kind.FRONT_MATTER,
        Kind.PARAGRAPH,
    ]
    assert text[document.blocks.starts[1] :].strip() == "Text"
    assert document.title == "Rootless mode"


@pytest.mark.parametrize(
    ("source", "title"),
    [
        ("sidebar_label: S\nlinkTitle: L\ntitle: T", "T"),
        ("name: N\nh1: H", "H"),
        ("name: N\nlinkTitle: L", "L"),
        ("Title: T", "T"),
        ("title:\nsidebar_label: S", "S"),
        ("title: 2024", "2024"),
        ("title: [a, b]", ""),
        ("title: {a: b}\nname: N", "N"),
    ],
)
def test_a_title_has_several_names(source, title):
    text = f"---\n{source}\n---\n"
    assert read_front_matter(text).title == title
    assert read_title(text) == title


@pytest.mark.parametrize("tags", ["a b", "a, b", "'#a, #b'", "[a, b]", "[b, a, b]"])
def test_tags_are_a_list_or_a_text(tags):
    assert sorted(read_front_matter(f"---\ntags: {tags}\n---\n").tags) == ["a", "b"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "text",
        "---",
        "---\ntitle: never closed\n",
        "text\n---\ntitle: x\n---\n",
        "+++\ntitle = never quoted\n+++\n",
        '+++\ntitle = "x"\n',
        '{"title": "x"',
        '{"title": "x"} and text',
        '["title"]',
        "{% include x %}\n",
        '{"a":' * 20_000,
    ],
)
def test_what_cannot_be_read_says_nothing(text):
    assert read_front_matter(text) == EMPTY
    assert not read_title(text)


@pytest.mark.parametrize(
    "text", ["+++\n\nprose\n\n+++\n", '{"title": "x"} and text', "{ braces }\n"]
)
def test_text_that_only_looks_like_front_matter_is_text(text):
    assert Kind.FRONT_MATTER not in parse(text).blocks.kinds


def test_broken_toml_is_front_matter_without_a_title():
    document = parse("+++\ntitle = ???\n# no heading\n+++\n\n## Heading\n")
    assert document.blocks.kinds[0] == Kind.FRONT_MATTER
    assert [heading.title for heading in document.headings] == ["Heading"]
    assert document.title == ""


def test_a_block_over_the_limit_is_not_read():
    filler = f"x = '{'y' * MAX_CHARS}'\n"
    assert read_front_matter(f"+++\ntitle = 'T'\n{filler}+++\n") == EMPTY


def test_no_value_is_too_odd_for_the_database():
    found = read_front_matter('{"title": "a\\u0000b \\ud800c", "tags": [1, null, {}]}')
    assert found == FrontMatter(title="a b \ufffdc", tags=("1",))


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ("## A\n\nx\n", ["T", "A"]),
        ("## A\n\n### B\n\nx\n", ["T", "A", "B"]),
        ("# H\n\n## A\n\nx\n", ["H", "A"]),
        ("## A\n\nx\n\n# Later\n", ["Later"]),
    ],
)
def test_a_title_stands_above_all_headings_unless_there_is_an_h1(body, path):
    document = parse(f"---\ntitle: T\n---\n\n{body}")
    assert document.path(len(document.headings) - 1) == path


@pytest.mark.timeout(5)
@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_an_opening_that_is_never_closed_costs_no_time(end):
    text = "+++" + end + f"a{end}{end}" * 5000
    assert front_matter_length(text) == 0
    assert read_front_matter(text).title == ""
