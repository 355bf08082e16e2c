"""Jupyter notebooks: their cells as Markdown, code and outputs in fences.

The place of a line is the number of its cell, from 1: the lines of the file are JSON.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from outcrop.indexing.documents.formats.document_text import (
    DocumentText,
    MalformedError,
)
from outcrop.markdown.front_matter import read_front_matter
from outcrop.text.tokens import replace_surrogates

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_OUTPUT_CHARS = 2_000  # of one cell
_TEXT = "text/plain"
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_BACKTICKS = re.compile(r"`{3,}")
_LINE_ENDS = re.compile(r"\r\n?|\n")
_LANGUAGE = re.compile(r"[\w+#.-]{1,30}")


def read_notebook(data: bytes) -> DocumentText:
    """Return the text of a notebook.

    Raises:
        MalformedError: It is not a notebook of version 4.
    """
    try:
        notebook = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise MalformedError(f"not a notebook: {error}") from error
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(cells, list):
        raise MalformedError("not a notebook: no list of cells")
    language = _language(notebook.get("metadata"))
    lines: list[str] = []
    places: list[int] = []
    for number, cell in enumerate(cells, 1):
        for part in _parts(cell, language) if isinstance(cell, dict) else ():
            own = [*_LINE_ENDS.split(part), ""]
            lines += own
            places += [number] * len(own)
    text = replace_surrogates("\n".join(lines).replace("\0", "\ufffd"))
    front_matter = read_front_matter(text)
    return DocumentText(text=text, front_matter=front_matter, places=places or [1])


def _parts(cell: dict[str, Any], language: str) -> Iterator[str]:
    """Yield a cell's text and its outputs, as blocks of Markdown."""
    source = _joined(cell.get("source"))
    is_code = cell.get("cell_type") == "code"
    if source.strip():
        yield _fence(source, language) if is_code else source.strip("\n")
    outputs = cell.get("outputs") if is_code else None
    if isinstance(outputs, list):
        shown = "".join(map(_output, outputs)).strip("\n")
        if len(shown) > MAX_OUTPUT_CHARS:
            shown = shown[:MAX_OUTPUT_CHARS].rstrip() + "\n…"
        if shown.strip():
            yield _fence(shown, "text")


def _output(output: object) -> str:
    """Return the text of an output: printed, the value of a cell, or an error."""
    if not isinstance(output, dict):
        return ""
    found = _joined(output.get("text"))
    data = output.get("data")
    if isinstance(data, dict) and (value := _joined(data.get(_TEXT))):
        found += f"{value}\n"
    if output.get("output_type") == "error":
        found += f"{output.get('ename', '')}: {output.get('evalue', '')}\n"
    return _COLOURS.sub("", found)


def _joined(value: object) -> str:
    """Return a text that a notebook may hold as a list of lines."""
    if isinstance(value, list):
        return "".join(line for line in value if isinstance(line, str))
    return value if isinstance(value, str) else ""


def _fence(text: str, language: str) -> str:
    longest = max(map(len, _BACKTICKS.findall(text)), default=2)
    marks = "`" * (longest + 1)
    return f"{marks}{language}\n{text.strip(chr(10))}\n{marks}"


def _language(metadata: object) -> str:
    values = metadata if isinstance(metadata, dict) else {}
    for key, name in (("language_info", "name"), ("kernelspec", "language")):
        about = values.get(key)
        found = about.get(name) if isinstance(about, dict) else None
        if isinstance(found, str) and _LANGUAGE.fullmatch(found):
            return found
    return "python"
