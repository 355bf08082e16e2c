"""Questions with known answers, from a file of JSON lines.

A line has a `query` and the `path` of the document that answers it; `lines`, one or
[first, last], or `heading`, the title of a section, say where in the document.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from outcrop.errors import InputError
from outcrop.markdown import parse

if TYPE_CHECKING:
    from pathlib import Path

_KEYS = frozenset(["query", "path", "lines", "heading"])


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownQuestion:
    """A question and where its answer is."""

    query: str
    path: str  # the document with the answer, relative to the project
    # Where the answer is in it: half-open ranges of code points.
    spans: tuple[tuple[int, int], ...]


def read_questions(file: Path, project: Path) -> list[KnownQuestion]:
    """Read questions on the documents of a project; blank lines are skipped.

    Raises:
        InputError: A line is not a question, or its answer does not exist; the message
            has the line.
    """
    try:
        lines = file.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{file} cannot be read: {_reason(error)}") from error
    questions = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            questions.append(_read_question(line, project))
        except (InputError, ValueError) as error:
            raise InputError(f"{file}:{number}: {error}") from error
    if not questions:
        raise InputError(f"{file} has no questions; write one JSON object per line")
    return questions


def _read_question(line: str, project: Path) -> KnownQuestion:
    try:
        given: Any = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(f"not valid JSON: {error}") from error
    if not isinstance(given, dict):
        raise InputError('not an object; write {"query": …, "path": …}')
    if unknown := sorted(set(given) - _KEYS):
        known = ", ".join(sorted(_KEYS))
        raise InputError(f"unknown key {unknown[0]!r}; choose among: {known}")
    for key in ("query", "path"):
        if not isinstance(given.get(key), str) or not given[key].strip():
            raise InputError(f"{key} is {given.get(key)!r}, but it must be a text")
    if "lines" in given and "heading" in given:
        raise InputError("both lines and heading are given; keep one")
    path = given["path"].removeprefix("./")
    text = _read_document(project / path)
    if "lines" in given:
        span = _span_of_lines(text, given["lines"])
    elif "heading" in given:
        span = _span_of_section(text, given["heading"])
    else:
        span = (0, len(text))
    return KnownQuestion(query=given["query"], path=path, spans=(span,))


def _reason(error: OSError | UnicodeDecodeError) -> str:
    if isinstance(error, UnicodeDecodeError):
        return "not UTF-8"
    return (error.strerror or str(error)).lower()


def _read_document(file: Path) -> str:
    try:
        text = file.read_bytes().decode()  # with the line ends that offsets count
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"the document {file} cannot be read: {_reason(error)}"
        ) from error
    if not text:
        raise InputError(f"the document {file} is empty")
    return text


def _span_of_lines(text: str, given: Any) -> tuple[int, int]:
    """Return the range of one line, or of the first to the last."""
    pair = [given, given] if isinstance(given, int) else given
    is_pair = isinstance(pair, list) and [type(n) for n in pair] == [int, int]
    lines = text.removesuffix("\n").split("\n")
    if not is_pair or not 1 <= pair[0] <= pair[1] <= len(lines):
        raise InputError(
            f"lines is {given!r}, but it must be one line or [first, last] from 1 to"
            f" {len(lines)}"
        )
    first, last = pair
    start = len("\n".join(lines[: first - 1])) + (first > 1)
    return start, len("\n".join(lines[:last]))


def _span_of_section(text: str, title: Any) -> tuple[int, int]:
    """Return the range of a section, with its subsections."""
    headings = parse(text).headings
    at = next((i for i, each in enumerate(headings) if each.title == title), None)
    if at is None:
        raise InputError(f"there is no heading {title!r} in the document")
    level = headings[at].level
    after = (each.start for each in headings[at + 1 :] if each.level <= level)
    return headings[at].start, next(after, len(text))
