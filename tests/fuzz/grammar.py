"""Documents built from a grammar: every block of Markdown, nested in every container.

Blocks are lists of lines. A container puts its marks before the lines of the blocks
inside it, sometimes sloppily: a mark is left out, a tab replaces spaces, an indent is
one column off. What comes out is often not what was meant, which is the point.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

Lines = list[str]

_WORDS = (
    "a", "word", "e.g.", "v1.2", "End.", "Stop!", "Really?", "http://a.b/c?d=e.",
    "Да.", "Нет?", "これは文です。", "次です！", "中文", "한국어", "עברית", "é", "e\u0301",
    "👩‍👩‍👧", "🇩🇪🇫🇷", "👍🏽", "\u00a0", "\u2028", "\u0085", "\u200b", "\ufeff", "\x00",
    "\udc80", "\ud83d", "`code`", "`a|b`", "``", "`", "**bold**", "*", "_a_", "~~gone~~",
    "[link](u)", "[ref]", "[^1]", "![img](u)", "<b>", "<!--", "-->", "&amp;", "$x$",
    "$$y$$", "$$", "$", "#", "{#id}", "{.c}", "|", "\\|", "\\", "\t", "\x0c", "\x0b",
    "1.", "-", "+", ">", "===", "---", "<http://x.y>", "a" * 60, "long-" * 9, "word " * 15,
)  # fmt: skip
_CODE = (
    "x = 1", "", "", "# not a heading", "    deep", "\tdeep", "```", "~~~", "````",
    "| a | b |", "- b", "> q", "```x", "   ```", "---", "$$", "</div>", "[a]: b", " ",
    "def f():", "y = 'é中👍🏽'", "a" * 50, "one two three four five six seven",
)  # fmt: skip
_ATTRIBUTES = ("{#id}", "{.c}", "{#id .c k=v}", "{}", "{#", "{ #a }", " {#id}  ")
_HTML = (
    ["<div>", "# no heading", "</div>"], ["<!-- # no", "", "heading -->"], ["<!-- open"],
    ["<script>", "", "# x", "</script>"], ["<pre>", "", "a", "</pre>"], ["<?php", "", "?>"],
    ["<![CDATA[", "", "# z", "]]>"], ["<!DOCTYPE x>"], ["</p>"], ["<custom-tag>"], ["<é>"],
    ["<table>", "<tr><td>", "", "a", "", "</td></tr>", "</table>"], ["<br/> text"],
)  # fmt: skip
_MATH = (
    ["$$", "x = 1", "$$"], ["$$", "x", "", "# no", "$$"], ["$$ y $$"], ["$$"], ["$$$$"],
    ["text $$z$$ more"], ["$$ open"], ["$$", "a", "$$", "---"], ["$$x$$ $$y$$"],
    ["$$ " + "x + " * 20 + "1 $$"],
)  # fmt: skip
_DEFINITIONS = (
    ["[ref]: http://example.org"], ["[a]: b", "[c]: d 'e'"], ["[x]:", "  /url", "  'title"],
    ["[ref]: <>"], ["[f\\]o]: u"], ["[a]: b 'c", "", "d'"], ["   [late]: x"],
    ["Term", ": Definition"],
)  # fmt: skip
_FRONT = (
    ["---", "title: x", "# c", "---"], ["---", "a: b", "..."], ["---", "", "---"],
    ["---", "open: yes"], ["\ufeff---", "a: b", "---"], ["+++", "a = 1", "+++"],
    [" ---", "a: b", "---"],
)  # fmt: skip
_BULLETS = ("-", "*", "+")
_NUMBERS = ("1.", "1)", "0.", "2)", "10.", "123456789.", "1234567890.", "01.", "-1.")
_GAPS = (1, 1, 1, 1, 1, 2, 3, 4, 5, 6)
_MAX_DEPTH = 4
_LARGE_SHARE = 0.004


class Grammar:
    """Builds one document after another from a source of randomness."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._leaves: tuple[Callable[[], Lines], ...] = (
            self._paragraph, self._paragraph, self._atx, self._setext, self._fence,
            self._fence, self._indented, self._table, self._html, self._math,
            self._rule, self._definition, self._stray, self._blank,
        )  # fmt: skip
        self._containers: tuple[Callable[[int], Lines], ...] = (
            self._quote, self._list, self._list, self._footnote,
        )  # fmt: skip

    def document(self) -> str:
        """Return a document, mostly a small one."""
        random = self._random
        lines: Lines = []
        if random.random() < 0.05:
            lines += random.choice(_FRONT)
        most = 60 if random.random() < _LARGE_SHARE else random.choice((2, 4, 8))
        lines += self._blocks(random.randint(1, most), 0)
        text = self._joined(lines)
        if random.random() < 0.02:
            text = "\ufeff" + text
        return text

    def _joined(self, lines: Lines) -> str:
        random = self._random
        style = random.random()
        last = "" if random.random() < 0.2 else "\n"
        if style < 0.8:
            return "\n".join(lines) + last
        if style < 0.95:
            return "\n".join(lines).replace("\n", random.choice(("\r\n", "\r"))) + last
        ends = ("\n", "\r\n", "\r", "\n\n")
        return "".join(line + random.choice(ends) for line in lines)

    def _blocks(self, count: int, depth: int) -> Lines:
        random = self._random
        lines: Lines = []
        for _ in range(count):
            lines += self._block(depth)
            lines += [""] * random.choice((0, 1, 1, 1, 2))
        return lines

    def _block(self, depth: int) -> Lines:
        random = self._random
        if depth < _MAX_DEPTH and random.random() < 0.3:
            lines = random.choice(self._containers)(depth)
        else:
            lines = random.choice(self._leaves)()
        if random.random() < 0.12:
            indent = random.choice((" ", "  ", "   ", "    ", "\t", " \t"))
            lines = [indent + line for line in lines]
        return lines

    def _text(self, most: int = 8) -> str:
        random = self._random
        return " ".join(random.choices(_WORDS, k=random.randint(1, most)))

    def _paragraph(self) -> Lines:
        random = self._random
        lines = [self._text() for _ in range(random.choice((1, 1, 2, 3, 5)))]
        if random.random() < 0.1:
            lines[-1] += random.choice(("  ", "\\", "\t", " "))
        return lines

    def _atx(self) -> Lines:
        random = self._random
        marks = "#" * random.choice((1, 1, 2, 2, 3, 4, 5, 6, 7))
        title = random.choice(("", self._text(2), self._text(6)))
        line = marks + random.choice((" ", " ", " ", "\t", "  ", "")) + title
        if random.random() < 0.15:
            line += " " + random.choice(_ATTRIBUTES)
        if random.random() < 0.15:
            line += random.choice((" #", " ##  ", "#", " #\t", "\\#"))
        return [line]

    def _setext(self) -> Lines:
        random = self._random
        lines = [self._text(4) for _ in range(random.choice((1, 1, 1, 2, 3)))]
        if random.random() < 0.15:
            lines[-1] += " " + random.choice(_ATTRIBUTES)
        if random.random() < 0.1:
            lines.append(" " * random.randint(0, 4) + random.choice(_ATTRIBUTES))
        line = random.choice(("=", "===", "-", "---", "----  ", "  ===", "    ---"))
        return [*lines, line]

    def _fence(self) -> Lines:
        random = self._random
        mark = random.choice(("`", "~")) * random.choice((3, 3, 3, 4, 6, 2))
        info = random.choice(
            ("", "py", "py", " py title='x'", "a`b", "{.c #i}", "\t", "é")
        )
        code = random.choices(_CODE, k=random.choice((0, 1, 2, 3, 6, 12)))
        closing = random.choice(
            ([mark], [mark], [mark], [mark + mark[0]], [mark + "  "], [mark + "\t"],
             ["   " + mark], ["    " + mark], [mark[:-1]], [], [mark + " x"])
        )  # fmt: skip
        return [mark + info, *code, *closing]

    def _indented(self) -> Lines:
        random = self._random
        indent = random.choice(("    ", "    ", "\t", "     ", "  \t"))
        code = random.choices(_CODE, k=random.choice((1, 2, 4, 8)))
        return [indent + line if line else line for line in code]

    def _table(self) -> Lines:
        random = self._random
        columns = random.choice((1, 2, 2, 3))
        edge = random.choice(("| ", "|", ""))
        cells = ["---", ":-:", "-", "--:", ":--"]
        rule = "|".join(random.choice(cells) for _ in range(columns))
        lines = [self._row(columns, edge), edge.strip() + rule + edge.strip()]
        for _ in range(random.choice((0, 1, 2, 4, 8))):
            ragged = columns + random.choice((0, 0, 0, 0, 1, -1))
            lines.append(self._row(ragged, edge))
        return lines

    def _row(self, columns: int, edge: str) -> str:
        cells = [self._text(3) for _ in range(columns)]
        return edge + " | ".join(cells) + edge[::-1]

    def _html(self) -> Lines:
        return list(self._random.choice(_HTML))

    def _math(self) -> Lines:
        return list(self._random.choice(_MATH))

    def _rule(self) -> Lines:
        return [
            self._random.choice(
                ("---", "***", "_ _ _", "- - -", "   ---", "--", "\t***")
            )
        ]

    def _definition(self) -> Lines:
        return list(self._random.choice(_DEFINITIONS))

    def _stray(self) -> Lines:
        return [
            self._random.choice(
                ("-", "1.", ">", "#", "##", "[^1]:", "|", "- [x]", "> -")
            )
        ]

    def _blank(self) -> Lines:
        return [self._random.choice(("", "   ", "\t", "\u00a0", "\x0c", "\u2003"))]

    def _quote(self, depth: int) -> Lines:
        random = self._random
        mark = random.choice(("> ", "> ", ">", ">  ", ">\t", " > ", ">     "))
        inside = self._blocks(random.choice((1, 1, 2, 3)), depth + 1)
        lazy = random.random() < 0.2
        return [
            line if lazy and random.random() < 0.3 else mark + line for line in inside
        ]

    def _list(self, depth: int) -> Lines:
        random = self._random
        marker = random.choice(random.choice((_BULLETS, _NUMBERS)))
        lines: Lines = []
        for _ in range(random.choice((1, 1, 2, 3, 5))):
            if random.random() < 0.1:
                marker = random.choice(_BULLETS)
            lines += self._item(marker, depth)
            lines += [""] * random.choice((0, 0, 1))
        return lines

    def _item(self, marker: str, depth: int) -> Lines:
        random = self._random
        gap = " " * random.choice(_GAPS) if random.random() < 0.92 else "\t"
        task = random.choice(("[ ] ", "[x] ")) if random.random() < 0.1 else ""
        first, *rest = self._blocks(random.choice((1, 1, 2, 3)), depth + 1)
        indent = " " * (len(marker) + len(gap))
        if random.random() < 0.15:
            indent = random.choice(("\t", indent + " ", indent[:-1], "    ", "  ", ""))
        if random.random() < 0.08:  # the marker stands alone on its line
            return [marker, *(indent + line for line in (first, *rest))]
        lines = [indent + line if line.strip() else line for line in rest]
        return [marker + gap + task + first, *lines]

    def _footnote(self, depth: int) -> Lines:
        random = self._random
        first, *rest = self._blocks(random.choice((1, 1, 2)), depth + 1)
        indent = random.choice(("    ", "    ", "  ", "\t", ""))
        label = random.choice(("1", "note", "é", "a b"))
        gap = random.choice((" ", "", "  ", "\t"))
        return [f"[^{label}]:{gap}{first}", *(indent + line for line in rest)]
