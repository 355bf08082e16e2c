"""The ten promises of chunking as one function, for tests to call on any document.

It knows nothing of how chunks are made: it parses the text with pulldown-cmark itself
and judges what it is given.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pyromark

from outcrop.markdown.front_matter import front_matter_length, read_front_matter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outcrop import Chunk, ChunkConfig

_O = pyromark.Options
_OPTIONS = (
    _O.ENABLE_TABLES
    | _O.ENABLE_FOOTNOTES
    | _O.ENABLE_YAML_STYLE_METADATA_BLOCKS
    | _O.ENABLE_MATH
    | _O.ENABLE_TASKLISTS
    | _O.ENABLE_STRIKETHROUGH
    | _O.ENABLE_HEADING_ATTRIBUTES
)
_ATOMIC = {"CodeBlock", "Table", "HtmlBlock", "MetadataBlock"}
# Blocks whose parts parse alone where a block is split; others are cut by lines.
_SELF_CONTAINED = {"CodeBlock", "IndentedCode", "Table"}
_MARKS = re.compile(r"[>\s]*")
_CONTAINERS = {"Item", "BlockQuote", "FootnoteDefinition"}
# What the parser panics over: a line of braces, a task whose text is a backslash.
_PANICS = re.compile(rb"(?m)^[> \t\x0b\x0c]+\{.*\}|\[[\sxX]\][ \t]+\\(?=[ \t]*\r?$)")
_HIDE = bytes.maketrans(b"{}\\", b"();")
REASONS = {"code_block_integrity", "table_integrity", "list_item_integrity"}


@dataclass
class Truth:
    """A document as the parser sees it, in code points."""

    headings: list[tuple[int, int, int, str]] = field(default_factory=list)
    atomic: list[tuple[int, int, str]] = field(default_factory=list)
    # Every leaf: (start, end, is a top-level heading)
    leaves: list[tuple[int, int, bool]] = field(default_factory=list)
    # Starts of fenced blocks that lack their closing fence
    unclosed: set[int] = field(default_factory=set)
    # Headings of nothing but display math
    formulas: list[tuple[int, int]] = field(default_factory=list)
    # The title in the front matter
    title: str = ""


def read_truth(text: str) -> Truth:  # noqa: C901, PLR0912, PLR0915 - one branch per event
    base = 1 if text.startswith("\ufeff") else 0
    # What front matter is and says is defined by its reader, which has its own tests.
    front = base + front_matter_length(text[base:])
    source = _parseable(text[front:])
    data = source.encode()
    offsets = [0]
    for char in source:
        offsets.append(offsets[-1] + len(char.encode()))

    def point(byte: int) -> int:
        return bisect_left(offsets, byte) + front

    def is_visible(start: int, end: int) -> bool:
        return depth > 0 or not data[start:end].decode().isspace()

    truth = Truth()
    if front > base:
        truth.atomic.append((base, front, "MetadataBlock"))
        truth.leaves.append((base, front, False))
    depth = 0
    heading: tuple[int, int, int] | None = None
    words: list[str] = []
    formulas: list[str] = []
    code_end = 0
    for event, span in _events(source):
        start, end = span["start"], span["end"]
        if isinstance(event, str):
            if event == "Rule":
                truth.leaves.append((point(start), point(end), False))
            words.append(" ")
            continue
        ((name, value),) = event.items()
        tag = _name(value) if name in {"Start", "End"} else name
        if name == "Start":
            depth += tag in _CONTAINERS
            if tag == "Heading" and depth == 0:
                heading = (point(start), point(end), int(value["Heading"]["level"][1]))
                words, formulas = [], []
            elif tag in _ATOMIC:
                if value == {"CodeBlock": "Indented"}:
                    tag = "IndentedCode"
                if not data[start:end].decode().isspace():
                    truth.atomic.append((point(start), point(end), tag))
                code_end = data.find(b"\n", start, end) + 1 or end
            if tag in _ATOMIC | {"IndentedCode", "Paragraph", "Heading"}:
                is_heading = tag == "Heading" and depth == 0
                if is_visible(start, end):
                    truth.leaves.append((point(start), point(end), is_heading))
        elif name == "End":
            depth -= tag in _CONTAINERS
            if tag == "Heading" and heading and depth == 0:
                title = " ".join("".join(words).split())
                truth.headings.append((*heading, _shorten(title)))
                if formulas and _dense(words) == _dense(formulas):
                    truth.formulas.append(heading[:2])
                heading = None
            is_code = tag == "CodeBlock" and bool(truth.atomic)
            if is_code and truth.atomic[-1][::2] == (point(start), "CodeBlock"):
                rest = data[code_end:end]
                if not rest.strip(b"> \t\r\n"):
                    truth.unclosed.add(point(start))
        elif tag == "DisplayMath":
            if heading is None:
                truth.atomic.append((point(start), point(end), tag))
            words.append(value)
            formulas.append(value)
        elif tag in {"Text", "Code", "InlineMath"}:
            words.append(value)
            code_end = end
    for start, _, tag in truth.atomic[:1]:
        if tag == "MetadataBlock" and not text[base:start].strip():
            truth.title = _shorten(read_front_matter(text).title)
    return truth


def _shorten(title: str) -> str:
    return title if len(title) <= 300 else title[:299].rstrip() + "…"


def _dense(words: list[str]) -> str:
    return "".join("".join(words).split())


def _parseable(text: str) -> str:
    """The text with what the parser reads wrongly replaced, one for one."""
    source = text.encode("utf-8", "replace").decode()
    source = re.sub(r"\r(?!\n)", "\n", source)
    return re.sub(
        r"(?m)^[> \t]*(?:`{3,}|~{3,})[ \t]+(?=\r?$)",
        lambda line: line[0].rstrip().ljust(len(line[0])),
        source,
    )


def _events(source: str) -> list[tuple[Any, Any]]:
    """The parser's events; braces and backslashes it panics over are hidden.

    It panics in containers alone, and titles in containers are not used.
    """
    try:
        return list(pyromark.events_with_range(source, options=_OPTIONS))
    except BaseException as error:
        if "Panic" not in type(error).__name__:
            raise
    data = source.encode()
    hidden = bytearray(data)
    plain = _OPTIONS & ~_O.ENABLE_HEADING_ATTRIBUTES
    for event, span in pyromark.events_with_range(source, options=plain):
        start, end = span["start"], span["end"]
        if "Start" in event and _name(event["Start"]) in _CONTAINERS:
            hidden[start:end] = _PANICS.sub(
                lambda match: match[0].translate(_HIDE), data[start:end]
            )
    return list(pyromark.events_with_range(hidden.decode(), options=_OPTIONS))


def _name(tag: Any) -> str:
    return tag if isinstance(tag, str) else next(iter(tag))


def check_promises(text: str, chunks: Sequence[Chunk], config: ChunkConfig) -> None:
    """Assert all promises of `chunks`, cut from `text` with `config`."""
    if not text.strip():
        assert list(chunks) == []
        return
    truth = read_truth(text)
    _check_verbatim(text, chunks)
    _check_complete(text, chunks)
    _check_atomic(text, chunks, config, truth)
    _check_size(text, chunks, config, truth)
    _check_dangling(text, chunks, config, truth)
    _check_context(text, chunks, truth)
    _check_repetition(text, chunks, config, truth)
    if config.oversize_blocks == "split":
        _check_parts(text, chunks, truth)
    _check_lines(text, chunks)
    _check_ids(chunks)


def _check_verbatim(text: str, chunks: Sequence[Chunk]) -> None:
    for chunk in chunks:
        own = text[chunk.start_offset : chunk.end_offset]
        assert chunk.content == chunk.prefix + own + chunk.suffix
        assert own.strip()
        assert chunk.metadata["start_line"] == chunk.start_line
        assert chunk.metadata["end_line"] == chunk.end_line


def _check_complete(text: str, chunks: Sequence[Chunk]) -> None:
    done = 0
    for chunk in chunks:
        assert chunk.start_offset >= done, "spans overlap or are out of order"
        assert not text[done : chunk.start_offset].strip(), "text lost between chunks"
        done = chunk.end_offset
    assert not text[done:].strip(), "text lost at the end"


def _check_atomic(
    text: str, chunks: Sequence[Chunk], config: ChunkConfig, truth: Truth
) -> None:
    ends = [chunk.end_offset for chunk in chunks]
    math = [(start, end, "DisplayMath") for start, end in truth.formulas]
    for start, end, tag in [*truth.atomic, *math]:
        visible = start + len(text[start:end].rstrip())
        first = bisect_right(ends, start)
        if config.oversize_blocks == "split" and tag != "DisplayMath":
            after = _MARKS.match(text, visible)
            stop = after.end() if after else visible
            whole = text[chunks[first].start_offset : stop].rstrip()
            if tag not in _SELF_CONTAINED:  # cut like text, its headings repeated
                whole = chunks[first].prefix + whole
            if (config.length or len)(whole) > config.limit:
                continue
        assert chunks[first].end_offset >= visible, (
            f"{tag} at {start} is cut: {text[start:end]!r}"
        )


def _next_visible(text: str, at: int) -> int:
    return at + len(text[at:]) - len(text[at:].lstrip())


def _check_parts(text: str, chunks: Sequence[Chunk], truth: Truth) -> None:
    """Each part of a block that was cut parses by itself to the same kind of block."""
    ends = [chunk.end_offset for chunk in chunks]
    for start, end, tag in truth.atomic:
        visible = start + len(text[start:end].rstrip())
        first = bisect_right(ends, start)
        last = bisect_left(ends, visible)
        if tag not in _SELF_CONTAINED or first == last:
            continue
        for number in range(first, last + 1):
            content = chunks[number].content
            part = read_truth(content)
            alone = [one for *_, one in part.atomic if one != "DisplayMath"]
            assert alone == [tag], f"a part of a {tag} is {alone}: {content!r}"
            rest = [leaf for leaf in part.leaves if not leaf[2]]
            assert len(rest) == 1, f"a part of a {tag} is {rest}: {content!r}"
            is_open = number == last and start in truth.unclosed
            assert is_open or not part.unclosed, f"a part is not closed: {content!r}"


def _check_size(
    text: str, chunks: Sequence[Chunk], config: ChunkConfig, truth: Truth
) -> None:
    measure = config.length or len
    for chunk in chunks:
        size = measure(chunk.content)
        if size <= config.max_chunk_size:
            assert not chunk.metadata["allow_oversize"]
            assert "oversize_reason" not in chunk.metadata
            continue
        assert chunk.metadata["allow_oversize"], f"{size} > {config.max_chunk_size}"
        if size <= config.limit:
            assert chunk.metadata["oversize_reason"] == "within_tolerance"
            continue
        reason = chunk.metadata["oversize_reason"]
        if reason == "code_point_integrity":
            assert len(chunk.content) == 1, "a code point that has company"
            continue
        assert reason in REASONS
        math = [(start, end, "DisplayMath") for start, end in truth.formulas]
        touched = [
            (start, end, tag)
            for start, end, tag in [*math, *truth.atomic]
            if start <= _next_visible(text, chunk.end_offset)
            and end > chunk.start_offset
        ]
        inside = [
            (start, end, tag)
            for start, end, tag in touched
            if text[max(start, chunk.start_offset) : min(end, chunk.end_offset)].strip()
        ] or touched[:1]  # a part of code whose only line is white space
        if len(inside) > 1:  # headings that are formulas, with their block
            inside = [one for one in inside if one not in math] or inside[-1:]
        if any(tag == "Table" for *_, tag in inside):
            inside = [one for one in inside if one[2] != "DisplayMath"]  # in a cell
        assert len(inside) == 1, f"an oversize chunk holds {inside}"
        start, end, tag = inside[0]
        assert (reason == "table_integrity") == (tag == "Table")
        rest = text[chunk.start_offset : start]
        for head, stop, *_ in reversed(truth.headings):
            if chunk.start_offset <= head and stop <= start:
                rest = rest.replace(text[head:stop], "", 1)
        left_over = re.sub(r"[-+*>\s\ufeff]|\d+[.)]|\[[ xX]\]|\[\^[^\]]*\]:", "", rest)
        assert not left_over, f"an oversize chunk also holds {left_over!r}"
        rest_after = text[end : chunk.end_offset]
        assert not rest_after.strip("> \t\r\n"), (
            f"an oversize chunk goes on: {rest_after!r}"
        )


def _check_dangling(
    text: str, chunks: Sequence[Chunk], config: ChunkConfig, truth: Truth
) -> None:
    starts = [start for start, *_ in truth.headings]
    for chunk in chunks[:-1]:
        index = bisect_right(starts, chunk.end_offset - 1) - 1
        if index < 0:
            continue
        start, end, level, _ = truth.headings[index]
        visible = start + len(text[start:end].rstrip())
        following = truth.headings[index + 1] if index + 1 < len(starts) else None
        body = visible + len(text[visible:]) - len(text[visible:].lstrip())
        needed = body + 1
        if following and body >= following[0]:
            needed = following[0] + len(text[following[0] : following[1]].rstrip())
        run = index
        while run > 0 and not text[truth.headings[run - 1][1] : starts[run]].strip():
            run -= 1
        before = text[: starts[run]].removeprefix("\ufeff")
        begin = starts[run] if before.strip() else 0
        if (config.length or len)(text[begin:needed]) > config.max_chunk_size:
            continue  # the headings and what must follow them do not fit together
        if chunk.end_offset > visible:
            continue
        limit = following[0] if following else len(text)
        if text[visible:limit].strip():
            raise AssertionError(f"dangling heading {text[start:end]!r}, body follows")
        if following:
            assert following[2] <= level, f"dangling heading {text[start:end]!r}"


def _stack(headings: list[tuple[int, int, int, str]], index: int) -> list[int]:
    stack = []
    level = 7
    for at in range(index, -1, -1):
        if headings[at][2] < level:
            stack.append(at)
            level = headings[at][2]
    return stack[::-1]


def _section_at(text: str, at: int, end: int, truth: Truth) -> int:
    """The heading above the first text from `at` on that is no heading, or -1."""
    starts = [start for start, *_ in truth.headings]
    index = bisect_right(starts, at) - 1
    while at < end:
        if index >= 0 and truth.headings[index][1] > at >= truth.headings[index][0]:
            at = truth.headings[index][1]
        elif text[at].isspace():
            at += 1
        else:
            break
        if at < end and index + 1 < len(starts) and starts[index + 1] <= at:
            index += 1
    return index


def _check_context(text: str, chunks: Sequence[Chunk], truth: Truth) -> None:
    for chunk in chunks:
        at, end = chunk.start_offset, chunk.end_offset
        if at == 0 and text.startswith("\ufeff"):
            at = 1
        if at == end:
            continue  # a mark on its own has no place in a section
        index = _section_at(text, at, end, truth)
        has_h1 = any(level == 1 for _, _, level, _ in truth.headings)
        above = [truth.title] if truth.title and not has_h1 else []
        titles = above + (
            [truth.headings[i][3] for i in _stack(truth.headings, index)]
            if index >= 0
            else []
        )
        assert chunk.metadata["headers"] == titles, (chunk.content, index)
        path = "/" + "/".join(titles) if titles else "/__preamble__"
        if index < 0:
            assert chunk.metadata["header_path"] == path
            assert chunk.metadata["header_level"] == len(titles)
        else:
            assert chunk.metadata["header_path"] == path
            assert chunk.metadata["header_level"] == truth.headings[index][2]
        tags = [
            title for start, _, _, title in truth.headings[index + 1 :] if start < end
        ]
        assert chunk.metadata["section_tags"] == tags


def _check_repetition(
    text: str, chunks: Sequence[Chunk], config: ChunkConfig, truth: Truth
) -> None:
    measure = config.length or len
    starts = [start for start, *_ in truth.headings]
    for number, chunk in enumerate(chunks):
        metadata = chunk.metadata
        index = bisect_right(starts, chunk.start_offset) - 1
        opens = number == 0 or any(
            not text[chunk.start_offset : start].strip()
            for start in starts[bisect_left(starts, chunk.start_offset) :][:1]
        )
        assert metadata["continued_from_header"] == (not opens)
        if opens:
            assert chunk.prefix == ""
            continue
        assert metadata["split_index"] > 0
        assert metadata["original_section_size"] > 0
        if index < 0 or truth.headings[index][1] > chunk.start_offset:
            continue  # no heading, or one that itself had to be cut
        first, last = truth.headings[index][:2]
        stack = [text[first:last].rstrip()]
        while index > 0:
            start, end, level, _ = truth.headings[index - 1]
            is_run = not text[end : truth.headings[index][0]].strip()
            if not is_run or level >= truth.headings[index][2]:
                break
            stack.insert(0, text[start:end].rstrip())
            index -= 1
        visible = first + len(text[first:last].rstrip())
        newline = "\r\n" if text.startswith("\r\n", visible) else "\n"
        while (
            stack
            and measure("".join(f"{h}{newline}{newline}" for h in stack))
            > config.max_chunk_size / 2
        ):
            stack.pop(0)
        sources = [f"{head}{newline}{newline}" for head in stack]
        kept = next(
            n
            for n in range(len(sources) + 1)
            if chunk.prefix.startswith("".join(sources[n:]))
        )
        if kept:  # a block that fits only without (all) its headings
            shorter = len("".join(sources[kept:]))
            fuller = "".join(sources) + chunk.content[shorter:]
            assert measure(fuller) > config.limit


def _check_lines(text: str, chunks: Sequence[Chunk]) -> None:
    ends = [match.end() for match in re.finditer(r"\r\n|\r|\n", text)]

    def line(offset: int) -> int:
        return bisect_right(ends, offset) + 1

    for chunk in chunks:
        assert chunk.end_line == line(chunk.end_offset - 1)
        if not chunk.prefix:
            assert chunk.start_line == line(chunk.start_offset)
        else:
            assert chunk.start_line <= line(chunk.start_offset)
            lines = [line.strip() for line in chunk.prefix.splitlines()]
            repeated = [line for line in lines if line.strip("->* ")]
            if not repeated:
                continue  # nothing but list markers
            start = ends[chunk.start_line - 2] if chunk.start_line > 1 else 0
            marks = re.compile(r"^(?:[-+*>\s\ufeff]|\d+[.)])*")
            is_same = marks.sub("", text[start:]).startswith(marks.sub("", repeated[0]))
            # The title of a heading may be nothing but marks.
            assert is_same or text[start:].lstrip().startswith(lines[0])


def _check_ids(chunks: Sequence[Chunk]) -> None:
    ids = [chunk.metadata["chunk_id"] for chunk in chunks]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[0-9a-f]{8,}", one) for one in ids)
    assert all(a.start_offset < b.start_offset for a, b in pairwise(chunks))
