"""The one place that calls pulldown-cmark.

The parser may panic: a heading with an underline, inside a list item or a quote, whose
last line is an indented `{...}` makes its reader of heading attributes fail, and so does
a task whose text is a backslash above an underline. A panic reaches Python as an
exception that `except Exception` does not catch, after the Rust runtime has written its
message to the standard error of the process. Such braces and backslashes are therefore
hidden from the parser. A panic of any other kind is caught; the text
is then read without heading attributes, and as plain paragraphs where that fails too.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeVar

import pyromark

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_Options = pyromark.Options
_WITHOUT_ATTRIBUTES = (
    _Options.ENABLE_TABLES
    | _Options.ENABLE_FOOTNOTES
    | _Options.ENABLE_YAML_STYLE_METADATA_BLOCKS
    | _Options.ENABLE_MATH
    | _Options.ENABLE_TASKLISTS
    | _Options.ENABLE_STRIKETHROUGH
)
OPTIONS = _WITHOUT_ATTRIBUTES | _Options.ENABLE_HEADING_ATTRIBUTES

# The last lines of a nested heading: one that ends in a brace, and an underline that is
# quoted or indented. The brace at the start makes it cheap to search for.
_NESTED_UNDERLINE = re.compile(r"\}[ \t]*\r?\n[> \t]+(?:-+|=+)[ \t]*(?=\r?\n|\Z)")
_CONTAINER = re.compile(r"(?m)^[ \t]*(?:>|[-+*](?=\s)|\d{1,9}[.)](?=\s)|\[\^\S+\]:)")
# A percent sign means nothing to the parser, anywhere.
_HIDDEN = str.maketrans("{}", "%%")
# A task whose text is a backslash, above an underline.
_TASK_BACKSLASH = re.compile(
    r"(?m)^(?=[^\n\[]*[-+*.)][ \t]+\[)"
    r"((?:[> \t]|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))*\[[ xX]\][ \t]+)\\"
    r"(?=[ \t]*\r?\n[> \t]*(?:-+|=+)[ \t]*(?:\r?\n|\Z))"
)
_PANIC_MODULE = "pyo3_runtime"

_CARRIAGE_RETURN = re.compile(rb"\r(?!\n)")
# Quote marks and indent may precede a closing fence; anything else makes it another line.
_FENCE_BEFORE_TAB = re.compile(rb"(?m)^([> \t]*(?:`{3,}|~{3,}) *)(\t[ \t]*)(?=\r?$)")
_TABS_AFTER_FENCES = (b"`\t", b"~\t", b" \t")
_PARAGRAPH = re.compile(rb"[^\r\n]*\S[^\r\n]*(?:\r?\n[^\r\n]*\S[^\r\n]*)*")

_Result = TypeVar("_Result")


class Reading(Enum):
    """How a text could be read."""

    COMPLETE = "complete"
    WITH_HIDDEN_BRACES = "with_hidden_braces"
    WITHOUT_ATTRIBUTES = "without_attributes"
    PLAIN = "plain"


def parseable(text: str) -> tuple[str, bytes]:
    """Return a text in a form the parser reads correctly, and the same as UTF-8.

    It has as many code points as the original, each line where it was: a lone surrogate
    becomes a question mark, a lone CR becomes LF, and tabs after a closing fence, which
    would keep the parser from seeing it, become spaces.
    """
    try:
        data = text.encode()
    except UnicodeEncodeError:
        data = text.encode("utf-8", "replace")
        text = data.decode()
    if b"\r" in data and _CARRIAGE_RETURN.search(data):
        data = _CARRIAGE_RETURN.sub(b"\n", data)
        text = data.decode()
    if b"\t" in data and any(tab in data for tab in _TABS_AFTER_FENCES):
        data = _FENCE_BEFORE_TAB.sub(_tabs_to_spaces, data)
        text = data.decode()
    return text, data


def _tabs_to_spaces(match: re.Match[bytes]) -> bytes:
    fence, blank = match.groups()
    return fence + b" " * len(blank)


def read_events(
    source: str,
    read: Callable[[Iterator[tuple[Any, dict[str, int]]]], _Result],
    *,
    merge_text: bool = False,
    is_heading: bool = False,
) -> tuple[_Result, Reading]:
    """Pass the parser's events to a function, whatever the parser makes of the text.

    Args:
        source: A text as `parseable` gives it.
        read: Takes the stream of events, each with its range in bytes of UTF-8. It is
            called again, with another stream, where the parser fails half-way.
        merge_text: Whether adjacent texts come as one event.
        is_heading: Whether the text is one heading, without a container to panic in.

    Returns:
        What `read` returned, and how the text was read.
    """
    hidden = source if is_heading else _hide_panics(source)
    first = Reading.COMPLETE if hidden == source else Reading.WITH_HIDDEN_BRACES
    attempts = [
        (hidden, OPTIONS, first),
        (source, _WITHOUT_ATTRIBUTES, Reading.WITHOUT_ATTRIBUTES),
    ]
    for text, options, reading in attempts:
        try:
            # The binding types each event; here they are looked at by name alone.
            stream: Any = pyromark.events_with_range(
                text, options=options, merge_text=merge_text
            )
            return read(iter(stream)), reading
        except BaseException as error:
            if type(error).__module__ != _PANIC_MODULE:
                raise
    return read(plain_events(source)), Reading.PLAIN


def _hide_panics(source: str) -> str:
    """Replace what may make the parser panic, one character for another."""
    if "\\\n" in source or "\\\r\n" in source:
        source = _TASK_BACKSLASH.sub(r"\1/", source)
    container = _CONTAINER.search(source)
    pieces: list[str] = []
    done = 0
    for start, end in _lines_of_attributes(source):
        if container is not None and container.start() < start:
            pieces += source[done:start], source[start:end].translate(_HIDDEN)
            done = end
    return "".join([*pieces, source[done:]]) if pieces else source


def ends_in_attributes(heading: str) -> bool:
    """Whether a heading has a line of attributes that `read_events` may hide."""
    return any(True for _ in _lines_of_attributes(heading))


def _lines_of_attributes(source: str) -> Iterator[tuple[int, int]]:
    """Lines that start and end with braces, above an indented or quoted underline."""
    for match in _NESTED_UNDERLINE.finditer(source):
        start, end = source.rfind("\n", 0, match.start()) + 1, match.start() + 1
        if source[start:end].lstrip("> \t\x0b\x0c").startswith("{"):
            yield start, end


def plain_events(source: str) -> Iterator[tuple[Any, dict[str, int]]]:
    """The events of a text in which nothing but blank lines has a meaning."""
    for match in _PARAGRAPH.finditer(source.encode()):
        span = {"start": match.start(), "end": match.end()}
        yield {"Start": "Paragraph"}, span
        yield {"Text": match[0].decode()}, span
        yield {"End": "Paragraph"}, span
