"""HTML is read in linear time, whatever it says."""

from __future__ import annotations

import pytest

from outcrop.text.html_parser import LinearHtmlParser


class Reader(LinearHtmlParser):
    def __init__(self):
        super().__init__()
        self.parts = []

    def handle_data(self, data):
        self.parts.append(data)


def read(text):
    reader = Reader()
    reader.read(text)
    return "".join(reader.parts)


@pytest.mark.parametrize(
    "piece",
    [
        *("<a ", '<a b="', "<a b='", "<a/", "<b", "<!--", "<![foo", "</a "),
        *("<!-- >", "-->'<a b='", '<p>"<a b="', "<title><!----"),
    ],
)
@pytest.mark.parametrize("end", ["", ">", "> end"])
def test_what_never_ends_takes_linear_time(piece, end):
    """At this size, reading on from each piece takes half a minute."""
    read(piece * 20_000 + end)


def test_a_tag_that_does_not_end_hides_no_other():
    text = "<p title='x>one" + "<a b='>" * 61 + "two<b>three</b> & <i"
    assert read(text).endswith("twothree & <i")


def test_many_tags_that_do_not_end_leave_long_ones_that_do():
    long = f"<img alt='{'x' * 900}'>"
    assert read("<a b='\">" * 40 + f"one{long}two").endswith("onetwo")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a <![foo[x]]> b", "a  b"),
        ("a <![if gte]> b", "a  b"),
        ("a <!-- x > y --> b", "a  b"),
        ("a &lt; b <c", "a < b <c"),
        ("a &amp", "a &"),
    ],
)
def test_text_is_what_browsers_show(text, shown):
    assert read(text) == shown
