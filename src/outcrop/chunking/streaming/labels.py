"""Labels of links and footnotes, which may be defined anywhere in a text.

Whether `[label]` is a link decides about the title of a heading, and in rare cases about
the end of a block. Labels that occur where they matter are looked up among all the
definitions of the text, and each window is parsed with those it uses.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pyromark

from outcrop.markdown.parser import OPTIONS, parseable, read_events

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# In front of a text: ends any definition before it, and is not part of what follows.
_SEPARATOR = "<!-- -->\n\n"
_INSIDE = r"(?:[^\[\]\\]|\\.)"
_BRACKETS = re.compile(rf"\[({_INSIDE}{{1,999}})\]", re.DOTALL)
_DEFINITION = re.compile(rf"\[({_INSIDE}{{1,999}})\]:", re.DOTALL)
_HEADING_LINE = re.compile(r"^[ ]{0,3}#{1,6}[ \t].*\[.*", re.MULTILINE)
_UNDERLINE = re.compile(r"[^\n]\n[ ]{0,3}(?:=+|-+)[ \t]*$", re.MULTILINE)
_BLANK_LINE = re.compile(r"\n[ \t]*(?=\n)")
# A label over several lines, or with a formula in it, hides text from the parser.
_SECOND_LABEL = re.compile(rf"\]\[({_INSIDE}*)(?=\])", re.DOTALL)
_HIDING = ("\n", "$$")
_LINE_START = re.compile(r"\n[> \t]*")
_MAX_PARAGRAPH = 10_000
_FILTER_BITS = 1 << 23


def key_of(label: str) -> str:
    """Return what all spellings of a label have in common."""
    return " ".join(_LINE_START.sub(" ", label).split()).casefold()


def _with_line_feeds(text: str) -> str:
    return re.sub(r"\r\n?", "\n", text) if "\r" in text else text


def labels_in_use(text: str) -> set[str]:
    """Return the labels, by key, on which blocks or titles may depend."""
    if "[" not in text:
        return set()
    text = _with_line_feeds(text)
    places = [match[0] for match in _HEADING_LINE.finditer(text)]
    for match in _UNDERLINE.finditer(text):
        # The heading is the paragraph above the underline.
        first = max(0, match.start() - _MAX_PARAGRAPH)
        above = _BLANK_LINE.split(text[first : match.start() + 1])[-1]
        if "[" in above:
            places.append(above)
    found = {
        key_of(label)
        for label in _SECOND_LABEL.findall(text)
        if any(mark in label for mark in _HIDING)
    }
    for place in places:
        found.update(key_of(match[1]) for match in _BRACKETS.finditer(place))
    return found


def may_define(after: str, before: str) -> bool:
    """Whether a text seems to define labels that the text before it uses."""
    labels = _labels_before_colons(after)
    return bool(labels) and not labels.isdisjoint(labels_in_use(before))


def _labels_before_colons(text: str) -> set[str]:
    """Return the labels, by key, that may be defined in a text."""
    if "]:" not in text:
        return set()
    found = _DEFINITION.finditer(_with_line_feeds(text))
    return {key_of(match[1]) for match in found}


class LabelFilter:
    """Remembers in little memory which labels may be defined; never forgets one."""

    def __init__(self) -> None:
        self._bits = bytearray(_FILTER_BITS // 8)

    def add_definitions(self, text: str) -> None:
        """Add every label that may be defined in a text."""
        for key in _labels_before_colons(text):
            place = hash(key) % _FILTER_BITS
            self._bits[place >> 3] |= 1 << (place & 7)

    def __contains__(self, key: str) -> bool:
        place = hash(key) % _FILTER_BITS
        return bool(self._bits[place >> 3] & 1 << (place & 7))


def defined_labels(text: str, wanted: set[str]) -> Iterator[tuple[str, str]]:
    """Yield key and spelling of the wanted labels that a text defines.

    The text starts and ends between two blocks.
    """
    source, _ = parseable(text)
    definitions = pyromark.reference_definitions(source, options=OPTIONS)
    spellings: Iterable[str] = definitions
    if any(key.startswith("^") for key in wanted) and "[^" in text:
        footnotes, _ = read_events(source, _footnotes)
        spellings = [*definitions, *footnotes]
    for spelling in spellings:
        key = key_of(spelling)
        if key in wanted:
            yield key, spelling


def _footnotes(events: Iterator[tuple[Any, dict[str, int]]]) -> list[str]:
    return [
        "^" + tag["FootnoteDefinition"]
        for event, _ in events
        if event.__class__ is not str
        and (tag := event.get("Start")).__class__ is dict
        and "FootnoteDefinition" in tag
    ]


def definitions_before(text: str, known: dict[str, str]) -> str:
    """Return definitions to be put before a text, for the labels it uses.

    Args:
        text: A window.
        known: The spelling of each label that is defined somewhere, by key.
    """
    used = labels_in_use(text) if known else set()
    lines = [f"[{known[key]}]: x\n\n" for key in sorted(used) if key in known]
    return "".join([*lines, _SEPARATOR]) if lines else ""
