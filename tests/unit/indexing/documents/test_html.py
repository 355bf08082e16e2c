"""HTML becomes Markdown whose places are lines of the file."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outcrop.indexing.config import IndexConfig
from outcrop.indexing.documents.formats.html import read_html
from outcrop.indexing.documents.prepare import Task, prepare_bytes

PAGE = """\
<!doctype html>
<html><head>
<title>Tides &amp; moon</title>
<meta name="description" content="When the water rises">
<style>h1 { color: red }</style>
<script>var x = "<h1>no</h1>";</script>
</head><body>
<h2>High <em>water</em></h2>
<p>It comes
twice a day.</p>
<pre><code class="language-sh"># not a heading

tide --now</code></pre>
<ul><li><p>first</p></li><li>second</li></ul>
<table><tr><th>port<td>hour</tr></table>
<p># 1 in sales</p>
</body></html>
"""


def prepare(text):
    task = Task(path="a.html", file="a.html", kind="html", modified_ns=1)
    return prepare_bytes(task, text.encode(), IndexConfig(max_tokens=60))


def test_headings_code_and_lists_are_kept_and_scripts_are_not():
    assert read_html(PAGE).text == (
        "# Tides & moon\n\n## High water\n\nIt comes twice a day.\n\n"
        "```sh\n# not a heading\n\ntide --now\n```\n\n"
        "- first\n\n- second\n\nport | hour\n\n\\# 1 in sales\n\n"
    )


def test_places_are_lines_of_the_file():
    found = read_html(PAGE)
    lines = found.text.split("\n")
    source = PAGE.split("\n")
    for word in ("High", "It comes", "# not", "tide --now", "first", "port", "sales"):
        at = next(n for n, line in enumerate(lines, 1) if word in line)
        assert word.split()[0] in source[found.place(at) - 1]


def test_a_table_is_a_table_of_markdown():
    found = read_html(
        "<table><caption>Ports</caption><thead>\n<tr><th>port</th><th><p>hour</p></th></tr>"
        "</thead>\n<tr>\n<td>Brest | Ouest</td><td><p>3</p><ul><li>am</li></ul></td></tr>\n"
        "<tr><td colspan=2>closed</table>"
    )
    assert found.text == (
        "Ports\n\n| port | hour |\n| --- | --- |\n| Brest \\| Ouest | 3 am |\n"
        "| closed |  |\n\n"
    )
    assert [found.place(n) for n in range(3, 7)] == [2, 2, 4, 5]


@pytest.mark.parametrize("cell", ["<td>a", "<td colspan=20>a"])
def test_a_row_that_is_wider_than_many_others_does_not_widen_them(cell):
    page = f"<table><tr>{cell * 1_000}{'<tr><td>b' * 1_000}</table>"
    found = read_html(page)
    assert found.text.count("| b |\n") == 1_000
    assert len(found.text) < 10 * len(page)
    assert prepare(page).problem == ""


def test_a_table_that_lays_a_page_out_is_its_parts():
    found = read_html(
        "<table><tr><td>menu<td><h1>Tides</h1><p>Read <pre>x = 1</pre>"
        "<table><tr><td>a<td>b<tr><td>c<td>d</table>end</table>"
    )
    assert found.text == (
        "menu\n\n# Tides\n\nRead\n\n```\nx = 1\n```\n\n"
        "| a | b |\n| --- | --- |\n| c | d |\n\nend\n\n"
    )
    long = read_html(f"<table><tr><td>menu<td>{'word ' * 300}<tr><td>x<td>y</table>")
    assert long.text.startswith("menu | word word")


def test_navigation_and_links_to_headings_are_left_out():
    found = read_html(
        "<nav><h3>Menu</h3><nav>x</nav><a>Home</a></nav><h1>Tides<a>¶</a></h1>"
        "<div role=navigation><div><h3>Contents</h3></div><p>Tides</div><p>High."
    )
    assert found.text == "# Tides\n\nHigh.\n\n"


@pytest.mark.parametrize(
    "links",
    [
        (
            '<div class="navheader"><table><tr><th colspan="2">Tide</th></tr><tr>'
            '<td><a href="a.html">Prev</a></td><td><a href="b.html">Next</a></td></tr>'
            "</table><hr></div>"
        ),
        '<ul class="docnav top"><li class="previous"><a href="a">Prev</a></li></ul>',
        '<div class="nav-panel"><p>Next: <a href="b">Ebb</a></p></div>',
        '<div id="nav-path" class="navpath"><ul><li>include</li></ul></div>',
        '<div class="topNav"><ul><li>Package</li></ul></div>',
        '<div class="toc"><p>Table of Contents<dl><dt>1.1. Ebb</dt></dl></div>',
    ],
)
def test_links_to_neighbouring_pages_and_contents_are_left_out(links):
    page = f"<body>{links}<h1>Tide</h1><p>High at noon.</p>{links}</body>"
    assert read_html(page).text == "# Tide\n\nHigh at noon.\n\n"


def test_a_first_heading_that_says_the_title_is_the_title():
    page = """<title>12.4. Tide
gauges</title>
<p>A banner</p>
<h2>12.4.&nbsp;Tide gauges</h2>
<h3>Set up</h3>"""
    found = read_html(page)
    assert found.text == "A banner\n\n# 12.4. Tide gauges\n\n### Set up\n\n"
    assert found.places[2] == 4


def test_a_title_is_added_above_another_first_heading():
    page = "<title>Tide</title><h2>Ebb</h2><h2>Tide</h2>"
    assert read_html(page).text == "# Tide\n\n## Ebb\n\n## Tide\n\n"


def test_a_link_to_its_own_place_leaves_no_mark_in_the_text():
    found = read_html(
        '<li><b>port</b><a href="#port">¶</a> – where; <a href="#x">#1</a>'
    )
    assert found.text == "- port – where; #1\n\n"


def test_a_term_stays_in_one_paragraph_with_its_definition():
    found = read_html(
        "<dl>\n<dt>-p</dt>\n<dt>--port</dt>\n<dd><p>The port.</p><p>By name.</p></dd>\n"
        "<dt>--hour</dt><dd><pre>3</pre></dd><dt>=</dt><dd>--</dd><dt>end</dt></dl><p>Text."
    )
    assert found.text == (
        "-p\n--port\nThe port.\n\nBy name.\n\n--hour\n\n```\n3\n```\n\n"
        "=\n\n--\n\nend\n\nText.\n\n"
    )
    assert found.places[:4] == [2, 3, 4, 4]


@pytest.mark.parametrize("definition", ["--", "==", "-- | --"])
def test_a_definition_makes_no_heading_or_table_of_its_term(definition):
    page = f"<h1>Ports</h1><dl><dt>a | b<dd>{definition}</dl>"
    assert read_html(page).text.startswith("# Ports\n\na | b\n\n")
    assert {chunk.section_path for chunk in prepare(page).chunks} == {("Ports",)}


@pytest.mark.parametrize(
    "text", ["<p>High.</p><nav>Menu<p>Low.", "<nav>Menu</nav>", "<div role=search>x"]
)
def test_navigation_that_does_not_end_or_is_all_is_kept(text):
    assert "Menu" in read_html(text).text or "x" in read_html(text).text


def test_the_end_of_code_has_the_place_of_its_last_line():
    assert read_html("<pre>a\nb</pre>").places[:4] == [1, 1, 2, 2]


def test_an_h1_comes_before_the_title_of_the_page():
    found = read_html("<title>Site - Tides</title><h1>Tides</h1>")
    assert found.text == "# Tides\n\n"


def test_a_page_has_sections_and_words_of_its_description():
    prepared = prepare(PAGE)
    assert prepared.document.title == "Tides & moon"
    assert prepared.chunks[-1].section_path == ("Tides & moon", "High water")
    assert prepared.document.metadata == {"description": "When the water rises"}
    assert any("rise" in chunk.terms for chunk in prepared.chunks)


@pytest.mark.parametrize(
    "text", ["", "<", "<pre>", "</p></p>", "<script>", "<!--", "<svg></svg></svg>x"]
)
def test_malformed_html_is_read_as_far_as_it_goes(text):
    assert not prepare(text).problem


_PIECES = st.sampled_from(
    ["<p>", "</p>", "<pre>", "</pre>", "<li>", "<h1>", "</h1>", "<br>", "<td>", "<script>", "<table>", "</table>", "<tr>", "</td>", "<caption>", "<dl>", "</dl>", "<dt>", "<dd>", "<a href='#'>", "==", "<nav>", "</nav>", "<div role=search>", "</div>", "¶",
     "</script>", "&amp;", "&#0;", "<title>", "</title>", "# x", "```", "\r", "\n", "a b",
     "<!--", "-->", "<![CDATA[", "<code class='language-x y'>", "\u2028", "---", "+++"]
)  # fmt: skip


@given(st.lists(_PIECES | st.text(max_size=9), max_size=20).map("".join))
@settings(deadline=None)
def test_any_text_is_read(text):
    text = text.encode("utf-8", "replace").decode().replace("\0", "")
    found = read_html(text)
    assert len(found.places) > found.text.count("\n") - 1
    prepared = prepare(text)
    assert not prepared.problem
    last = text.count("\n") + 1
    assert all(1 <= c.start_line <= c.end_line <= last for c in prepared.chunks)
