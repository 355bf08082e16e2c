"""The one place that calls pulldown-cmark.

The parser may panic over an underlined heading inside a list item, a quote or a
footnote: where its last line is an indented `{...}`, or where it is a task whose text is
a backslash. A panic reaches Python as an exception that `except Exception` does not
catch, after the Rust runtime has written its message to the standard error of the
process. Such braces and backslashes are therefore hidden from the parser; the title of a
nested heading is not used. Any other panic is caught; the text is then read without
heading attributes, and as plain paragraphs where that fails too.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import partial
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
_BLANK = rb"[ \t\x0b\x0c]*"
_BRACE_ABOVE_UNDERLINE = re.compile(
    rb"\}%b\r?\n[> \t]+(?:-+|=+)%b(?=\r?\n|\Z)" % (_BLANK, _BLANK)
)
_TASK_BACKSLASH = re.compile(
    rb"\][ \t]+\\(?=%b\r?\n[> \t]*(?:-+|=+)%b(?:\r?\n|\Z))" % (_BLANK, _BLANK)
)
# Neither a percent sign nor a slash means anything to the parser.
_HIDDEN = bytes.maketrans(b"{}\\", b"%%/")
CONTAINERS = frozenset({"Item", "BlockQuote", "FootnoteDefinition"})
_PANIC_MODULE = "pyo3_runtime"

_CARRIAGE_RETURN = re.compile(rb"\r(?!\n)")
# Quote marks and indent may precede a closing fence; anything else makes it another line.
_FENCE_BEFORE_TAB = re.compile(rb"(?m)^([> \t]*(?:`{3,}|~{3,}) *)(\t[ \t]*)(?=\r?$)")
_TABS_AFTER_FENCES = (b"`\t", b"~\t", b" \t")
_PARAGRAPH = re.compile(rb"[^\r\n]*\S[^\r\n]*(?:\r?\n[^\r\n]*\S[^\r\n]*)*")

_Result = TypeVar("_Result")


def parseable(text: str) -> tuple[str, bytes]:
    """Return a text in a form the parser reads correctly, and the same as UTF-8.

    It has as many code points as the original, each line where it was: a lone surrogate
    becomes a question mark, a lone CR becomes LF, tabs after a closing fence, which
    would keep the parser from seeing it, become spaces, and characters that would make
    the parser panic become others.
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
    suspects = list(_suspects(data))
    if suspects:
        data = _hide_in_containers(text, data, suspects)
        text = data.decode()
    return text, data


def _tabs_to_spaces(match: re.Match[bytes]) -> bytes:
    fence, blank = match.groups()
    return fence + b" " * len(blank)


def _suspects(data: bytes) -> Iterator[tuple[int, int]]:
    """Stretches that make the parser panic where they lie in a container."""
    for match in _BRACE_ABOVE_UNDERLINE.finditer(data):
        start, end = data.rfind(b"\n", 0, match.start()) + 1, match.start() + 1
        if data[start:end].lstrip(b"> \t\x0b\x0c").startswith(b"{"):
            yield start, end
    if b"\\" in data:
        yield from (match.span() for match in _TASK_BACKSLASH.finditer(data))


def _hide_in_containers(
    text: str, data: bytes, suspects: list[tuple[int, int]]
) -> bytes:
    containers = _outermost_containers(text)
    starts = [start for start, _ in containers]
    hidden = bytearray(data)
    for start, end in suspects:
        container = bisect_right(starts, start) - 1
        if container >= 0 and start < containers[container][1]:
            hidden[start:end] = data[start:end].translate(_HIDDEN)
    return bytes(hidden)


def _outermost_containers(text: str) -> list[tuple[int, int]]:
    """Where the containers lie that are in no other, in bytes of UTF-8."""
    spans: list[tuple[int, int]] = []
    done = 0
    stream: Any = pyromark.events_with_range(text, options=_WITHOUT_ATTRIBUTES)
    for event, span in stream:
        if span["start"] < done or event.__class__ is str or "Start" not in event:
            continue
        tag = event["Start"]
        name = tag if tag.__class__ is str else next(iter(tag))
        if name in CONTAINERS:
            done = span["end"]
            spans.append((span["start"], done))
    return spans


def read_events(
    source: str,
    read: Callable[[Iterator[tuple[Any, dict[str, int]]]], _Result],
    *,
    merge_text: bool = False,
) -> tuple[_Result, bool]:
    """Pass the parser's events to a function, whatever the parser makes of the text.

    Args:
        source: A text as `parseable` gives it.
        read: Takes the stream of events, each with its range in bytes of UTF-8. It is
            called again, with another stream, where the parser fails half-way.
        merge_text: Whether adjacent texts come as one event.

    Returns:
        What `read` returned, and whether the text was read as plain paragraphs because
        the parser failed.
    """
    # The binding types each event; here they are looked at by name alone.
    events: Any = pyromark.events_with_range
    return _read(partial(events, source, merge_text=merge_text), source, read)


def read_unplaced_events(
    source: str, read: Callable[[Iterator[Any]], _Result]
) -> _Result:
    """Pass the parser's events to a function without their ranges, in a quarter of the time.

    Adjacent texts come as one event; otherwise like `read_events`.
    """

    def read_plain(events: Iterator[tuple[Any, dict[str, int]]]) -> _Result:
        return read(event for event, _ in events)

    return _read(partial(pyromark.events, source), source, read, read_plain)[0]


def _read(
    parse: Callable[..., Any],
    source: str,
    read: Callable[[Iterator[Any]], _Result],
    read_plain: Callable[[Iterator[Any]], _Result] | None = None,
) -> tuple[_Result, bool]:
    for options in (OPTIONS, _WITHOUT_ATTRIBUTES):
        try:
            return read(iter(parse(options=options))), False
        except BaseException as error:
            if type(error).__module__ != _PANIC_MODULE:
                raise
    return (read_plain or read)(plain_events(source)), True


def plain_events(source: str) -> Iterator[tuple[Any, dict[str, int]]]:
    """The events of a text in which nothing but blank lines has a meaning."""
    for match in _PARAGRAPH.finditer(source.encode()):
        span = {"start": match.start(), "end": match.end()}
        yield {"Start": "Paragraph"}, span
        yield {"Text": match[0].decode()}, span
        yield {"End": "Paragraph"}, span
