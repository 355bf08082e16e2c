"""Documents of one shape and any size, to see how time and memory grow.

A shape is made of a unit of about a megabyte, or of a sixteenth of what it is known
for, taken once, four times and sixteen times. They are the same in every run.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import cache
from itertools import islice
from math import isqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

FACTORS = (1, 4, 16)

_MEGABYTE = 1_000_000
_OUTER = range(1, 6)  # heading levels above the deepest
_MILLION = _MEGABYTE // 16  # a million at the largest factor
_LATIN = (
    "the chunk of a document keeps its heading and every table stays whole while "
    "long sections are cut between paragraphs sentences or words so that readers "
    "find what they look for without opening the file itself"
)
_CYRILLIC = (
    "документ делится на части и каждая часть помнит свой заголовок таблицы не "
    "режутся а длинные разделы делятся между абзацами предложениями или словами"
)
_PARAGRAPH = "{sentence} {more}\n\n"
_HEADING = "{marks} {short}\n\n"
_ELEMENTS = {
    "prose": _PARAGRAPH,
    "cyrillic": _PARAGRAPH,
    "paragraph": _PARAGRAPH,
    "list": "- {sentence}\n",
    "table": "| {number} | {short} | {sentence} |\n",
    "line": "{sentence} ",
    "code": "    value_{number} = call({number})  # {short}\n",
    "definition": "[label {number}]: https://example.org/{number}\n",
    "math": "{sentence}\n\n$$\nx_{number} = {number}\n$$\n\n",
    "footnote": "[^{number}]: {sentence}\n\n",
    "fence": "```\nvalue {number}\n```\n\n",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A kind of document.

    Attributes:
        name: How options name it.
        title: How tables name it, at its largest.
        make: Gives the document that is `factor` units large.
        tool: Name of the tool that a hostile shape is measured with.
    """

    name: str
    title: str
    make: Callable[[int], str]
    tool: str = "outcrop"


def _sentences(words: list[str]) -> Iterator[str]:
    dice = random.Random(11)  # noqa: S311 - the same words in every run, no secret
    while True:
        sentence = " ".join(dice.choices(words, k=dice.randint(6, 18)))
        yield sentence.capitalize() + "."


@cache
def _unit(kind: str, size: int = _MEGABYTE) -> str:
    """As many whole elements of a kind as fit into `size` characters."""
    sentences = _sentences((_CYRILLIC if kind == "cyrillic" else _LATIN).split())
    elements: list[str] = []
    length = 0
    while length < size:
        number = len(elements)
        opens_section = kind == "prose" and number % 12 == 0
        sentence = next(sentences)
        element = (_HEADING if opens_section else _ELEMENTS[kind]).format(
            number=number,
            sentence=sentence,
            short=sentence[:30].strip(),
            more=" ".join(islice(sentences, 4)),
            marks="#" * (1 + number // 12 % 4),
        )
        elements.append(element)
        length += len(element)
    return "".join(elements[:-1])


def _table(factor: int) -> str:
    head = "| number | name | what it says |\n|---|---|---|\n"
    return head + _unit("table") * factor


def _nested_list(factor: int) -> str:
    depth = 700 * isqrt(factor)  # the indent grows too: text is quadratic in depth
    return "".join(f"{'  ' * level}- item {level}\n" for level in range(depth))


MAIN = (
    Shape(
        name="prose",
        title="prose under headings, 16 MB",
        make=lambda factor: _unit("prose") * factor,
    ),
    Shape(
        name="list",
        title="one list, 16 MB",
        make=lambda factor: _unit("list") * factor,
    ),
    Shape(name="table", title="one table, 16 MB", make=_table),
    Shape(
        name="line",
        title="one line, 16 MB",
        make=lambda factor: _unit("line") * factor,
    ),
)

HOSTILE = (
    Shape(
        name="quotes",
        title="80,000 nested quotes",
        make=lambda factor: ">" * (5_000 * factor) + " text",
    ),
    Shape(
        name="markers",
        title="a million list markers on one line",
        make=lambda factor: "- " * (_MILLION * factor) + "text",
    ),
    Shape(
        name="items",
        title="a million empty list items",
        make=lambda factor: "-\n" * (_MILLION * factor),
    ),
    Shape(name="nested-list", title="2,800 nested lists, 8 MB", make=_nested_list),
    Shape(
        name="unclosed-fence",
        title="an unclosed fence, 16 MB",
        make=lambda factor: "```python\n" + _unit("code") * factor,
    ),
    Shape(
        name="long-line",
        title="one line, 50 MB",
        make=lambda factor: _unit("line", 3_125_000) * factor,
    ),
    Shape(
        name="one-section",
        title="paragraphs without a heading, 16 MB",
        make=lambda factor: _unit("paragraph") * factor,
    ),
    Shape(
        name="cyrillic",
        title="Russian paragraphs, 16 MB",
        make=lambda factor: _unit("cyrillic", _MEGABYTE * 5 // 9) * factor,
    ),
    Shape(
        name="headings",
        title="a million headings",
        make=lambda factor: "# a\n" * (_MILLION * factor),
    ),
    Shape(
        name="fences",
        title="fences of one line, 16 MB",
        make=lambda factor: _unit("fence") * factor,
    ),
    Shape(
        name="definitions",
        title="link definitions, 16 MB",
        make=lambda factor: _unit("definition") * factor,
    ),
    Shape(
        name="math",
        title="display math, 16 MB",
        make=lambda factor: _unit("math") * factor,
    ),
    Shape(
        name="formulas",
        title="one paragraph with 200,000 display formulas",
        make=lambda factor: "a $$x$$ " * (12_500 * factor),
    ),
    Shape(
        name="footnotes",
        title="footnotes, 16 MB",
        make=lambda factor: _unit("footnote") * factor,
    ),
    Shape(
        name="html",
        title="one HTML block, 16 MB",
        make=lambda factor: "<div>\n" + _unit("code") * factor + "</div>\n",
    ),
    Shape(
        name="carriage-returns",
        title="lines ended by CR alone, 16 MB",
        make=lambda factor: _unit("prose").replace("\n", "\r") * factor,
    ),
    Shape(
        name="word",
        title="one word, 16 MB",
        make=lambda factor: "x" * (_MEGABYTE * factor),
    ),
    Shape(
        name="combining",
        title="one letter with 8 million accents",
        make=lambda factor: "a" + "\u0301" * (_MEGABYTE // 2 * factor),
    ),
    Shape(
        name="flags",
        title="320,000 regional indicators",
        make=lambda factor: "\U0001f1e9" * (20_000 * factor),
    ),
    Shape(
        name="full-stops",
        title="a million full stops",
        make=lambda factor: "." * (_MILLION * factor),
    ),
    Shape(
        name="blank-lines",
        title="two words, 16 million blank lines between",
        make=lambda factor: "one\n" + "\n" * (_MEGABYTE * factor) + "two\n",
    ),
    Shape(
        name="spaces",
        title="two words, 16 million spaces between",
        make=lambda factor: "one" + " " * (_MEGABYTE * factor) + "two\n",
    ),
    Shape(
        name="brackets",
        title="a million open brackets",
        make=lambda factor: "[" * (_MILLION * factor),
    ),
    Shape(
        name="fence-opener",
        title="a fence of 40,000 marks around 40,000 lines",
        make=lambda factor: "`" * (2_500 * factor) + "\n" + "x\n" * (2_500 * factor),
        tool="outcrop-split",
    ),
    Shape(
        name="table-head",
        title="a table of 40,000 rows under a head of 40,000 characters",
        make=lambda factor: (
            f"| {'h' * (2_500 * factor)} |\n| --- |\n" + "| x |\n" * (2_500 * factor)
        ),
        tool="outcrop-split",
    ),
    Shape(
        name="split-fence",
        title="a fence of one-letter lines, 16 MB",
        make=lambda factor: "```\n" + "x\n" * (_MEGABYTE // 2 * factor),
        tool="outcrop-split",
    ),
    Shape(
        name="fence-in-halves",
        title="a fence of one-letter lines, 16 MB, in halves",
        make=lambda factor: "```\n" + "x\n" * (_MEGABYTE // 2 * factor),
        tool="outcrop-halves",
    ),
    Shape(
        name="long-title",
        title="a title of 400 kB over 36,000 sections",
        make=lambda factor: (
            f"# {'t' * (25_000 * factor)}" + "\n\n## s\n\nx\n" * (2_250 * factor)
        ),
        tool="outcrop-tree",
    ),
    Shape(
        name="long-titles",
        title="five titles of 80 kB each over 24,000 sections",
        make=lambda factor: (
            "".join(f"{'#' * level} {'t' * (5_000 * factor)}\n\n" for level in _OUTER)
            + "###### s\n\nx\n\n" * (1_500 * factor)
        ),
        tool="outcrop-tree",
    ),
    Shape(
        name="nested-functions",
        title="8,000 nested JavaScript functions",
        make=lambda factor: "function f(){" * (500 * factor) + "}" * (500 * factor),
        tool="outcrop-graph",
    ),
)

SHAPES: dict[str, Shape] = {shape.name: shape for shape in (*MAIN, *HOSTILE)}
