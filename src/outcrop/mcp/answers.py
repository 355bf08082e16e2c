"""Results of tools: the same content as text for a model and as data for a program."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mcp_types import CallToolResult, TextContent
from pydantic import BaseModel, ConfigDict, Field

from outcrop.text.marks import choose_mark, closing_line, on_one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outcrop.model.hit import Hit

# A heading can be as long as a document; its beginning is enough.
_MAX_HEADING_CHARS = 200


class Place(BaseModel):
    """The location of a text."""

    model_config = ConfigDict(frozen=True)

    id: str = Field(description="Id of the chunk; read_chunk takes it")
    path: str = Field(description="Path of the document, relative to the project")
    start_line: int = Field(description="First line, counted from 1")
    end_line: int = Field(description="Last line, inclusive")
    heading: str = Field(description="Headings or symbol names, the outermost first")

    @property
    def label(self) -> str:
        """The place for people: `guide.md:3-9  Guide > Setup`."""
        where = f"{on_one_line(self.path)}:{self.start_line}-{self.end_line}"
        return f"{where}  {on_one_line(self.heading)}".rstrip()


def place_values(hit: Hit) -> dict[str, str | int]:
    """Return the fields of `Place` for a hit."""
    return {
        "id": hit.id,
        "path": hit.path,
        "start_line": hit.start_line,
        "end_line": hit.end_line,
        "heading": shorten(" > ".join(hit.headers), _MAX_HEADING_CHARS),
    }


def shorten(text: str, length: int) -> str:
    """Return the beginning of a text on one line, with an ellipsis if it is cut."""
    line = " ".join(text[: 2 * length].split())
    return line if len(line) <= length else f"{line[: length - 1]}…"


class Quotation(NamedTuple):
    """A quoted text of a document.

    Attributes:
        label: The line above it: its location.
        text: The text, verbatim.
        note: The line below it, if any.
    """

    label: str
    text: str
    note: str = ""


def quote(quotations: Sequence[Quotation], note: str = "") -> str:
    """Join quotations so that none can pass for another.

    Every line that is not quoted starts with a number that no quotation contains.

    Args:
        quotations: In order.
        note: A note after the last one.
    """
    if not quotations:
        return note
    mark = choose_mark([part for each in quotations for part in each])
    pieces = [
        f"{mark} {each.label}\n{each.text}"
        + (f"\n{mark} {each.note}" if each.note else "")
        for each in quotations
    ]
    end = closing_line(mark)
    return "\n\n".join([*pieces, f"{end}: {note}" if note else end])


def make_answer(value: BaseModel, text: str) -> CallToolResult:
    """Return a value as data, and as a shorter text with the same content."""
    return CallToolResult(
        content=[TextContent(type="text", text=text)],
        structured_content=value.model_dump(mode="json", exclude_none=True),
    )
