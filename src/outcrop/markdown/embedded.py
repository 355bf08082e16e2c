"""Other languages inside Markdown: JSX of MDX, shortcodes of Hugo, tags of Jekyll.

The parser knows none of them: it would read a comment in a shortcode's code as a
heading, and a component with attributes over several lines as paragraphs. Their spans
are found by lines here, and the parser is given an HTML block of the same length in
their place.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from outcrop.markdown.front_matter import front_matter_end
from outcrop.text.offsets import first_visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Span = tuple[int, int]

_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_CODE_NAMES = r"highlight|code|codeblock|code-block|mermaid|raw|comment|math|katex"
# A shortcode or tag whose text up to the closing one is not Markdown.
_VERBATIM = re.compile(
    rf" {{0,3}}\{{(?P<kind>\{{<|\{{%|%)-?[ \t]*(?P<name>{_CODE_NAMES})\b[^\r\n]*"
)
# The marks around shortcodes and tags, whose attributes may be on several lines.
_OPEN_TAG = re.compile(r"\{\{<|\{\{%|\{%")
_CLOSE_TAGS = {"{{<": r">\}\}", "{{%": r"%\}\}", "{%": r"%\}"}
_REST = re.compile(r"[ \t]*")
_MODULE = re.compile(r"(?:import|export)[ {*\t]")
_COMPONENT = re.compile(r" {0,3}(?:</?[A-Z]|</?>|\{)")
_BLOCK_ENDS = ">}"
_NOT_LINE_END = re.compile(r"[^\r\n]")
# `<!A` opens an HTML block that ends with the first `>`.
_OPENING = "<!A"
_MAX_TAG_CHARS = 2_000


def find_embedded(text: str, *, is_mdx: bool = False) -> list[Span]:
    """Return the spans of whole lines in another language, in order.

    In MDX these are imports and exports, and JSX and expressions up to a blank line:
    what comes after a blank line is Markdown again, as in MDX itself.
    """
    if not is_mdx and "{{" not in text and "{%" not in text:
        return []
    return list(_spans(text, is_mdx=is_mdx))


def hide(text: str, spans: Sequence[Span]) -> str:
    """Return a text of the same length and lines with HTML blocks in place of spans."""
    parts: list[str] = []
    done = 0
    for start, end in spans:
        source = text[start:end].rstrip("\r\n")
        hidden = _NOT_LINE_END.sub("x", source)
        parts += [text[done:start], _OPENING, hidden[len(_OPENING) : -1], ">"]
        done = start + len(source)
    return "".join([*parts, text[done:]])


def _spans(text: str, *, is_mdx: bool) -> Iterator[Span]:
    finder = _Finder(text)
    at = front_matter_end(text)
    fence = ""
    while at < len(text) and (line := _LINE.match(text, at)):
        source = line.group().rstrip("\r\n")
        mark = _FENCE.match(source)
        if fence:
            if mark and mark[1].startswith(fence) and not source.strip(" `~\t"):
                fence = ""
        elif mark:
            fence = mark[1]
        elif end := finder.end_of_block(line, is_mdx=is_mdx):
            yield line.start(), end
            at = end
            continue
        at = line.end()


class _Finder:
    """Finds the ends of blocks; what is never closed is searched for once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._closings: dict[str, Span] = {}
        self._text_until = 0  # JSX that is never closed is text up to here

    def end_of_block(self, line: re.Match[str], *, is_mdx: bool) -> int:
        """Return where a block that starts with a line ends, or 0."""
        source = line.group().strip()
        # Anything shorter cannot be hidden, and is no block either.
        if len(source) <= len(_OPENING):
            return 0
        end = 0
        if source.startswith(("{{", "{%")):
            end = self._end_of_code(line) or self._end_of_tags(line)
        if not end and is_mdx:
            end = self._end_of_jsx(line)
        found = _LINE.match(self._text, end) if end else None
        return found.end() if found else end

    def _end_of_code(self, line: re.Match[str]) -> int:
        match = _VERBATIM.match(line.group())
        if match is None:
            return 0
        name = match["name"]
        closing = (
            rf"\{{%-?[ \t]*end{name}[ \t]*-?%\}}"
            if match["kind"] == "%"
            else rf"\{{\{{[<%][ \t]*/[ \t]*{name}[ \t]*[>%]\}}\}}"
        )
        return self._next(closing, line.start())[1]

    def _end_of_tags(self, line: re.Match[str]) -> int:
        """Return the end of lines that are nothing but tags."""
        at = first_visible(self._text, line.start(), line.end())
        while opening := _OPEN_TAG.match(self._text, at):
            start, end = self._next(_CLOSE_TAGS[opening.group()], at)
            if not end or start - at > _MAX_TAG_CHARS:
                return 0
            rest = _REST.match(self._text, end)
            if rest is None:
                return 0
            at = rest.end()
            if at >= len(self._text) or self._text[at] in "\r\n":
                return at
        return 0

    def _next(self, pattern: str, at: int) -> Span:
        """Return the next match of a pattern, or `(length, 0)` without a match."""
        known = self._closings.get(pattern)
        if known is None or known[0] < at:
            found = re.compile(pattern).search(self._text, at)
            known = found.span() if found else (len(self._text), 0)
            self._closings[pattern] = known
        return known

    def _end_of_jsx(self, line: re.Match[str]) -> int:
        source = line.group()
        is_module = _MODULE.match(source) is not None
        is_candidate = is_module or _COMPONENT.match(source)
        if not is_candidate or line.start() < self._text_until:
            return 0
        at, depth = line.start(), 0
        while each := _LINE.match(self._text, at):
            current = each.group()
            if not current.strip() and depth <= 0:
                break
            # Quotes are not read, so that an apostrophe in text opens nothing.
            depth += sum(map(current.count, "{([")) - sum(map(current.count, "})]"))
            at = each.end()
        end = line.start() + len(self._text[line.start() : at].rstrip())
        is_block = depth <= 0 and (is_module or self._text[end - 1] in _BLOCK_ENDS)
        if not is_block:
            self._text_until = at
        return end if is_block else 0
