"""A document to read: Markdown as HTML that can neither run nor load anything."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from integration.http.served import GUIDE, HOSTILE
from outcrop.presentation.reading import render_reading

TAGS = {
    *("p", "em", "strong", "del", "li", "ul", "ol", "blockquote", "table", "thead"),
    *("tbody", "tr", "th", "td", "div", "a", "span", "i", "b", "code", "pre", "hr"),
    *("br", "sup", "details", "summary", "h1", "h2", "h3", "h4", "h5", "h6"),
}
ATTRIBUTES = {"class", "id", "href", "rel", "title", "start", "tabindex"}
VOID = {"br", "hr"}


class Elements(HTMLParser):
    """Collects elements, and checks that each of them is closed."""

    def __init__(self, source):
        super().__init__()
        self.tags, self.attributes, self.links, self.ids = [], set(), [], []
        self._open = []
        self.feed(source)
        self.close()
        assert not self._open

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes.update(name for name, _ in attrs)
        self.links += [value for name, value in attrs if name == "href"]
        self.ids += [value for name, value in attrs if name == "id"]
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag):
        assert self._open.pop() == tag


def read(text, anchors=(), links=None):
    known = links or {}
    return render_reading(text, anchors, lambda targets: known)


def test_the_usual_markdown_becomes_elements():
    html = read(GUIDE).html
    assert (
        '<h1 class="h" id="c1"><i id="s-harbour-guide"></i>Harbour guide</h1>' in html
    )
    assert "<code>reserve_berth</code>" in html
    assert '<th class="cell">length</th>' in html
    assert [node.title for node in read(GUIDE).nodes] == [
        *("Harbour guide", "Berths", "Fees", "Tides")
    ]
    assert [node.start_line for node in read(GUIDE).nodes] == [1, 5, 10, 17]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("*a* **b** ~~c~~", "<p><em>a</em> <strong>b</strong> <del>c</del></p>"),
        ("3. a\n4. b", '<ol start="3"><li>a</li><li>b</li></ol>'),
        ("- [x] a", "<ul><li>☑ a</li></ul>"),
        ("> a", "<blockquote><p>a</p></blockquote>"),
        ("a  \nb", "<p>a<br>b</p>"),
        ("a<br>b<kbd>c</kbd>", "<p>a<br>bc</p>"),
        ("<!-- c -->\n", ""),
        (
            "<p align=center><img alt='A & b' src=x></p>",
            '<p class="html">A &amp; b</p>',
        ),
        ("![An image](https://x/y.png)", "An image</span>"),
        ("![](https://x/y.png)", "y.png</span>"),
        ("$x$", '<code class="math">x</code>'),
        ("```py\nreturn 1\n```", '<span class="t-keyword">return</span>'),
        ("---\ntitle: T\n---\n", "<code>title: T\n</code>"),
        ("a[^1]\n\n[^1]: n\n", '<sup><a href="#f-1">1</a></sup>'),
        ("| a |\n|:-:|\n| b |", '<td class="cell center">b</td>'),
    ],
)
def test_a_construct_is_shown(text, shown):
    html = read(text).html
    assert shown in html
    Elements(html)


def test_headings_with_one_title_have_anchors_of_their_own():
    ids = Elements(read("# Same\n\n# Same\n\n# Set up {#own}\n").html).ids
    assert ids == ["c1", "s-same", "c2", "s-same-1", "c3", "s-own"]


def test_a_link_is_kept_only_if_it_has_an_address():
    text = "[a](x.md) [b](javascript:alert(1)) [c](<data:text/html,x>)"
    html = read(text, links={"x.md": "/documents/x.md"}).html
    assert Elements(html).links == ["/documents/x.md"]
    assert '<span class="dead" title="Not in the index">b</span>' in html
    assert "javascript" not in html


def test_a_chunk_is_anchored_at_the_block_it_starts_in():
    text = "# A\n\nÄ one.\n\n```\nx\ny\n```\n\n- a\n- b\n"
    places = [text.index(word) for word in ("# A", "Ä one", "y\n", "- b")]
    html = read(text, list(zip(places, "pqrs", strict=True))).html
    assert html.index('id="p"') < html.index("<h1")
    assert html.index("</h1>") < html.index('id="q"') < html.index("<p>Ä")
    assert html.index("one.</p>") < html.index('id="r"') < html.index("<pre")
    assert '<li><i class="at" id="s"></i>b</li>' in html


def test_nothing_of_a_hostile_document_runs_or_loads():
    elements = Elements(read(HOSTILE).html)
    assert set(elements.tags) <= TAGS
    assert elements.attributes <= ATTRIBUTES
    assert elements.links == []


_PIECES = st.sampled_from(
    [
        *(
            "# ",
            "- ",
            "1. ",
            "> ",
            "```",
            "~~~html\n",
            "\n",
            "\n\n",
            "    ",
            "| a | b |\n",
        ),
        *(
            "|---|---|\n",
            "*",
            "**",
            "`",
            "[a](",
            ")",
            "![",
            "]",
            "<b>",
            "</p>",
            "<script>",
        ),
        *(
            "<img src=x onerror=y>",
            "<!--",
            "-->",
            "&lt;",
            "\x00",
            "é",
            "[^1]",
            "[^1]: ",
            "$",
        ),
        *(
            "javascript:x",
            "https://x",
            "{#i}",
            "word ",
            '"',
            "'",
            "\\",
            "---\n",
            "<a href=x>",
        ),
    ]
)


@given(st.lists(_PIECES, max_size=40).map("".join))
def test_any_text_gives_closed_elements_of_the_fixed_set(text):
    elements = Elements(render_reading(text, [(0, "a")], dict.fromkeys).html)
    assert set(elements.tags) <= TAGS
    assert elements.attributes <= ATTRIBUTES
    assert "a" in elements.ids


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("<div>a <![foo[x]]> b</div>", ">a b<"),
        ("<div>a <![", "a &lt;!["),
        ("<div>a &lt; b &amp;", "a &lt; b &amp;"),
    ],
)
def test_html_that_no_parser_expects_is_shown_as_text(source, shown):
    assert shown in read(source).html


@pytest.mark.timeout(10)
def test_tags_that_are_never_closed_are_read_in_linear_time():
    assert "&lt;a &lt;a" in read("<div>" + "<a " * 16_000).html


def test_no_two_headings_have_the_same_anchor():
    html = read("# A\n\n# A\n\n# A-1\n\n# A\n").html
    assert [name for name in Elements(html).ids if name.startswith("s-")] == [
        "s-a",
        "s-a-1",
        "s-a-1-1",
        "s-a-2",
    ]
