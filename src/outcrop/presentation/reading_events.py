"""The HTML of Markdown events that need more than a tag: code, HTML blocks, headings.

Whatever a document says is escaped. Nothing of its own HTML is kept but its text.
"""

from __future__ import annotations

import re

from outcrop.codegraph.colouring import language_called
from outcrop.presentation.document_html import coloured, escaped
from outcrop.presentation.text import Colours
from outcrop.text.html_parser import LinearHtmlParser

_MAX_HTML_CHARS = 50_000  # of a block; longer ones are shown as they are
_BREAKS = frozenset(["br", "dd", "div", "dt", "hr", "li", "p", "summary", "tr"])
_BREAKS |= {f"h{level}" for level in range(1, 7)}
_HIDDEN = frozenset(["script", "style", "template", "title"])
_NOT_IN_SLUG = re.compile(r"[^\w\- ]")


def slug_of(title: str) -> str:
    """Return the end of a link to a heading, as most hosts of Markdown make it."""
    return _NOT_IN_SLUG.sub("", title.strip().lower()).replace(" ", "-")


def code_block(code: str, info: str) -> str:
    """Return a block of code, with colours if its language can be read."""
    words = re.split(r"[\s,{]", info.strip().lstrip("{."), maxsplit=1)
    colours = Colours(code, language_called(words[0].rstrip("}")))
    shown = "".join(map(coloured, colours.segments(0, len(code))))
    return f'<pre class="block" tabindex="0"><code>{shown}</code></pre>'


def front_matter(text: str) -> str:
    """Return front matter, folded away."""
    return (
        '<details class="front"><summary>Front matter</summary>'
        f"<pre><code>{escaped(text)}</code></pre></details>"
    )


def image(alt: str, target: str) -> str:
    """Return what an image is about: no image is loaded, from here or from elsewhere."""
    name = alt.strip() or target.rpartition("/")[2]
    return f'<span class="image" title="Images are not shown">{escaped(name)}</span>'


def html_block(source: str) -> str:
    """Return the text of a block of HTML, without its elements."""
    if len(source) > _MAX_HTML_CHARS:
        return f'<pre class="block"><code>{escaped(source)}</code></pre>'
    text = _text_in(source)
    return f'<p class="html">{"<br>".join(map(escaped, text))}</p>' if text else ""


def inline_html(source: str) -> str:
    """Return what is left of a tag in a line: a line break, or the text of an image."""
    tag = source.lower()
    if tag.startswith("<br"):
        return "<br>"
    if tag.startswith("<img"):
        return " ".join(map(escaped, _text_in(source)))
    return ""


def _text_in(source: str) -> list[str]:
    reader = _TextReader()
    reader.read(source)
    lines = ("".join(reader.parts)).split("\n")
    return [line for each in lines if (line := " ".join(each.split()))]


class _TextReader(LinearHtmlParser):
    """Collects the text between tags, and what images say they show."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _HIDDEN:
            self._hidden += 1
        if tag in _BREAKS:
            self.parts.append("\n")
        if tag == "img":
            self.parts += [value for name, value in attrs if name == "alt" and value]

    def handle_endtag(self, tag: str) -> None:
        if tag in _HIDDEN:
            self._hidden = max(self._hidden - 1, 0)
        if tag in _BREAKS:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.parts.append(data)
