"""Texts that the Markdown parser panics over are read all the same."""

from __future__ import annotations

import sys

import pyromark
import pytest

from outcrop import IndexingConfig, MarkdownChunker, MarkdownSplitter, TokenCounter
from outcrop.chunking.metadata import PARSE_WARNING
from outcrop.markdown import Kind, parse
from outcrop.markdown.parser import (
    OPTIONS,
    plain_events,
    read_events,
    read_unplaced_events,
)
from outcrop.markdown.scan import scan
from outcrop.pipeline.mentions import _code
from outcrop.providers.extractive import read_prose
from promises import check_promises

PANICS = [
    "> Title\n>  {#id}\n> ---\n",
    "* r\n   {}\n  -",
    "* \\\n    {#id}\n  ===\n   \n",
    "1. a\n\n   b\n     {.c}\t \n   === \n",
    "> - a\n>    {#id}\n>   -\n",
    "> Title\r\n>  {#id}\r\n> ---\r\n",
    "* a\n   \x0b{}\n  =",
]
TASK_PANICS = [
    "- [\t] \\\n  =",
    "- [x] \\\n  =",
    "1) [x] \\\n   -",
    "- [x] \\\n  =\x0c",
    "> - [ ] \\\n>   ---\n> a",
]


def _panic(text: str) -> None:
    list(pyromark.events_with_range(text, options=OPTIONS))


@pytest.mark.parametrize("text", PANICS)
def test_the_parser_does_panic(text):
    with pytest.raises(BaseException, match="byte range"):
        _panic(text)


@pytest.mark.parametrize("text", TASK_PANICS)
def test_the_parser_does_panic_over_a_task(text):
    with pytest.raises(BaseException, match="slice index"):
        _panic(text)


@pytest.mark.parametrize("text", [*PANICS, *TASK_PANICS])
def test_such_a_text_is_chunked_and_nothing_reaches_the_terminal(text, capfd):
    chunker = MarkdownChunker()
    chunks = chunker.chunk(text)
    leaves = chunker.chunk_hierarchical(text).get_flat_chunks()
    splitter = MarkdownSplitter(IndexingConfig(), TokenCounter())
    sections = splitter.split(text, "a.md", "hash")
    assert capfd.readouterr() == ("", "")
    assert [chunk.content for chunk in chunks] == [text.rstrip()]
    assert [leaf.content for leaf in leaves] == [text.rstrip()]
    assert len(sections) == 1
    assert all("parse_warning" not in chunk.metadata for chunk in chunks)
    check_promises(text, chunks, chunker.config)


def test_titles_beside_such_a_text_lose_their_attributes_too():
    text = "# A {#a}\n\nC\t{#c} \x0c\n---\n\n## The `{}`\n"
    titles = [heading.title for heading in parse(PANICS[0] + text).headings]
    assert titles == ["A", "C", "The {}"]


@pytest.mark.parametrize(
    "heading",
    [
        "# a {x} #",
        "# \\{x}",
        "# a {x\\}",
        "# a {<x>}",
        "a {x\ny}\n---",
        "a\\b\n{}\n---",
        "`{` a}\n---",
        "# {a} {b}",
        "a {}\\\n-",
        "a\\\n{}\n-",
        "`\\\n{}\n-",
        "{}a\n=",
        "a\n+\n{}\n =",
        "[a\x0b]\n{}\n -",
        "[\u2028]\n{}\n -",
        "*\\\n {}\n=",
        "a\n2. [x] \\\n=",
        "\x0b $$a$$\n       { aa }\n   =",
    ],
)
def test_titles_beside_such_a_text_are_those_the_parser_gives_elsewhere(heading):
    (alone,) = parse(heading).headings
    (beside,) = parse(f"{PANICS[0]}\n{heading}").headings
    assert beside.title == alone.title


def test_an_indented_underline_outside_containers_keeps_attributes_readable():
    assert [heading.title for heading in parse("`\\\n{}\n =").headings] == ["`\\"]
    assert [heading.title for heading in parse("[^\n{}\n =").headings] == ["[^"]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("[^a]:~~~\n[\u2028]\n{}\n -", "[ ]"),
        ("```\n[^a]:\n```\n[a\x0b]\n{}\n -", "[a ]"),
        ("*\n[a]:a\n{}\n =", ""),
        ("-\n# 2a\n[2a]::/ab\n{}\n =\na", "2a"),
    ],
)
def test_braces_after_a_container_are_not_hidden(text, title):
    assert [heading.title for heading in parse(text).headings][:1] == [title]


def test_a_formula_above_braces_is_a_formula_after_a_list_too():
    document = parse("-\r\x0b $$a$$\r\n       { aa }\r\n   =")
    assert document.is_unbreakable(1)


def test_summaries_and_mentions_read_such_a_text(capfd):
    text = "Use `cart.add()` here.\n\n" + PANICS[0]
    assert read_prose(text).paragraphs == ["Use cart.add() here."]
    assert _code(text) == [("cart.add()", False)]
    assert capfd.readouterr() == ("", "")


def test_an_unforeseen_panic_is_read_without_attributes():
    streams = []

    def read(events):
        streams.append(events)
        if len(streams) == 1:
            _panic(PANICS[0])
        return list(events)

    events, is_plain = read_events("# A {#a}\n", read)
    assert not is_plain
    assert ({"Text": "A {#a}"}, {"start": 2, "end": 8}) in events


def test_a_panic_over_a_task_with_an_underline_is_caught():
    text = "# A {#a}\n\n- [x] \\\n  =\n"
    document = parse(text)
    assert [heading.title for heading in document.headings] == ["A"]
    chunks = MarkdownChunker().chunk(text)
    check_promises(text, chunks, MarkdownChunker().config)


def test_a_second_panic_makes_the_text_plain_paragraphs():
    def read(events):
        if type(events).__name__ == "Events":
            _panic(PANICS[0])
        return list(events)

    events, is_plain = read_events("# é\nb\n \n\nc", read)
    assert is_plain
    assert [event["Text"] for event, _ in events if "Text" in event] == ["# é\nb", "c"]
    assert [span["start"] for event, span in events if "Text" in event] == [0, 10]


def test_events_without_ranges_are_the_same_events():
    text = "# A {#a}\n\n- *é* `b`\n  c\n\n> [d](e) &amp; f\n"
    placed, _ = read_events(text, list, merge_text=True)
    assert read_unplaced_events(text, list) == [event for event, _ in placed]


def test_a_panic_without_ranges_makes_the_text_plain_paragraphs_too():
    def read(events):
        if type(events).__name__ == "Events":
            _panic(PANICS[0])
        return [event["Text"] for event in events if "Text" in event]

    assert read_unplaced_events("# é\nb\n \n\nc", read) == ["# é\nb", "c"]


def test_plain_paragraphs_tile_the_text():
    data = "# é\nb\n \n\n- c\n\n> d\n".encode()
    raw = scan(plain_events(data.decode()), data)
    assert list(raw.starts) == [0, 10, 15]
    assert set(raw.kinds) == {Kind.PARAGRAPH}


def test_chunks_of_plain_paragraphs_say_so(monkeypatch):
    module = sys.modules["outcrop.markdown.parse"]
    monkeypatch.setattr(module, "read_natively", lambda *_: None)
    monkeypatch.setattr(
        module, "read_events", lambda source, read: (read(plain_events(source)), True)
    )
    chunks = MarkdownChunker().chunk("# a\n\ntext\n")
    assert [chunk.content for chunk in chunks] == ["# a\n\ntext"]
    assert chunks[0].metadata["parse_warning"] == PARSE_WARNING


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, ValueError])
def test_other_exceptions_pass_through(error):
    def read(_events):
        raise error

    with pytest.raises(error):
        read_events("text", read)
