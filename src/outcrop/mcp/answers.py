"""Answers of tools and errors, as text for a model and as data for a program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from mcp_types import CallToolResult, TextContent
from pydantic import BaseModel, ConfigDict, Field

from outcrop import errors
from outcrop.presentation.text import shorten
from outcrop.text.boundaries import find_cut
from outcrop.text.marks import choose_mark, closing_line, on_one_line
from outcrop.text.tokens import replace_surrogates

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pydantic import ValidationError

    from outcrop.model.hit import Hit, Range

# A heading can be as long as a document; its beginning is enough.
_MAX_HEADING_CHARS = 200
# The database takes seconds to read a pattern of a thousand stars.
_MAX_FILTER_CHARS = 300
_MAX_FILTER_VALUES = 20

_Value = Annotated[str, Field(max_length=_MAX_FILTER_CHARS)]
_Values = _Value | Annotated[list[_Value], Field(max_length=_MAX_FILTER_VALUES)] | None

PathGlobs = Annotated[
    _Values, Field(description="Glob patterns of paths, such as `docs/**/*.md`")
]
Packages = Annotated[
    _Values,
    Field(description="Packages, modules or types of code, such as `shop.orders`"),
]
Tags = Annotated[
    _Values,
    Field(description="Tags, one of which is in the front matter of the document"),
]
Languages = Annotated[
    _Values, Field(description="Languages of text or code: `en`, `python`")
]


class Answer(BaseModel):
    """What a tool returns."""

    note: str | None = Field(default=None, description="What the index lacks, if any")


class Place(BaseModel):
    """The location of a text."""

    model_config = ConfigDict(frozen=True)

    id: str = Field(description="Id of the chunk; read_chunk takes it")
    path: str = Field(description="Path of the document, relative to the project")
    start_line: int = Field(description="First line, counted from 1")
    end_line: int = Field(description="Last line, inclusive")
    heading: str = Field(
        description="Name of the symbol, which related takes, or headings from the outside in"
    )

    @property
    def label(self) -> str:
        """The place for people: `guide.md:3-9  Guide > Setup`."""
        where = f"{on_one_line(self.path)}:{self.start_line}-{self.end_line}"
        return f"{where}  {on_one_line(self.heading)}".rstrip()


def place_values(hit: Hit) -> dict[str, Any]:
    """Return the fields of `Place` for a hit."""
    return {
        "id": hit.id,
        "path": hit.path,
        "start_line": hit.start_line,
        "end_line": hit.end_line,
        "heading": shorten(hit.symbol or " > ".join(hit.headers), _MAX_HEADING_CHARS),
    }


class Quotation(NamedTuple):
    """A quoted text of a document."""

    label: str  # the line above it: its location
    text: str  # the text, verbatim
    notes: Sequence[str] = ()  # the lines below it


def quote(quotations: Sequence[Quotation], note: str = "") -> str:
    """Join quotations so that none can pass for another.

    Every line that is not quoted starts with a number that no quotation contains. The
    note comes after the last quotation.
    """
    if not quotations:
        return note
    mark = choose_mark(
        [part for label, text, notes in quotations for part in (label, text, *notes)]
    )
    pieces = [
        "".join([f"{mark} {each.label}\n{each.text}",
                 *(f"\n{mark} {line}" for line in each.notes)])
        for each in quotations
    ]  # fmt: skip
    end = closing_line(mark)
    return "\n\n".join([*pieces, f"{end}: {note}" if note else end])


def make_answer(value: BaseModel, text: str) -> CallToolResult:
    """Return a value as data, and as a shorter text with the same content."""
    return CallToolResult(
        content=[TextContent(type="text", text=text)],
        structured_content=value.model_dump(mode="json", exclude_none=True),
    )


def add_line(text: str, line: str) -> str:
    """Return a text with a line after it that cannot pass for quoted text."""
    mark = text.partition(" ")[0]
    start = f"{mark} " if mark.isdecimal() else ""
    return f"{text}\n{start}{line}"


def add_note(answer: CallToolResult, note: str) -> CallToolResult:
    """Return an answer with a note of the server's own after it."""
    texts = [block.text for block in answer.content if isinstance(block, TextContent)]
    text = add_line("\n".join(texts), f"note: {note}")
    return CallToolResult(
        content=[TextContent(type="text", text=text)],
        structured_content={**(answer.structured_content or {}), "note": note},
    )


def paths_in(value: object) -> set[str]:
    """Return the paths of documents that the data of an answer name."""
    if isinstance(value, list):
        return {path for each in value for path in paths_in(each)}
    if not isinstance(value, dict):
        return set()
    below = {path for each in value.values() for path in paths_in(each)}
    path = value.get("path")
    return {path, *below} if isinstance(path, str) else below


def make_snippet(text: str, marks: Sequence[Range], length: int) -> str:
    """Return the stretch of a text, up to a length, with the most words of the query.

    These words are the marks, in order.
    """
    if len(text) <= length:
        return text.strip()
    start = _densest(marks, length)
    # A little of what comes before makes the marked words readable.
    start = max(0, min(start - length // 6, len(text) - length))
    end = start + length
    if start:
        start = _next_word(text, start, start + length // 6)
    if end < len(text):
        end = find_cut(text, start, end, end - length // 6)[0]
    before = "… " if start else ""
    after = " …" if end < len(text) else ""
    return f"{before}{text[start:end].strip()}{after}"


def _densest(marks: Sequence[Range], length: int) -> int:
    """Return the start of the stretch with the most marks."""
    best, best_count, last = 0, 0, 0
    for first, (start, _) in enumerate(marks):
        while last < len(marks) and marks[last][1] <= start + length:
            last += 1
        if last - first > best_count:
            best, best_count = start, last - first
    return best


def _next_word(text: str, start: int, limit: int) -> int:
    """Return the start of the next word, or `start` if none starts before the limit."""
    for at in range(start, limit):
        if text[at - 1].isspace() and not text[at].isspace():
            return at
    return start


# A message may repeat an argument; the beginning of it is enough.
_MAX_CHARS = 1_000
_MAX_FIELDS = 5

# The nearest class of an error decides. Most messages hold their own advice.
ADVICE: dict[type[errors.OutcropError], str] = {
    errors.OutcropError: "",
    errors.InvariantError: "this is a bug in Outcrop: please report it",
    errors.StorageError: "the person who runs the server can look with: outcrop doctor",
    errors.DiskFullError: "",
    errors.SchemaVersionError: "",
    errors.NotFoundError: "",
    errors.EmbeddingError: "the person who runs the server can look with: outcrop doctor",
}


def explain(error: errors.OutcropError) -> str:
    """Return an error's message, with advice if it holds none."""
    advice = next(ADVICE[kind] for kind in type(error).__mro__ if kind in ADVICE)
    message = tidy(str(error))
    return f"{message}; {advice}" if advice else message


def explain_arguments(tool: str, error: ValidationError) -> str:
    """Return what is wrong with the arguments of a call, without repeating them."""
    wrong: dict[str, str] = {}
    problems = error.errors(include_url=False, include_input=False)
    # For an argument of several types, the error of the matching type says more than
    # that of another type.
    for problem in sorted(problems, key=lambda each: each["type"].endswith("_type")):
        wrong.setdefault(".".join(map(str, problem["loc"][:1])), problem["msg"])
    shown = list(wrong.items())[:_MAX_FIELDS]
    reasons = "; ".join(f"{name}: {_lower(reason)}" for name, reason in shown)
    return tidy(f"invalid arguments for {tool}: {reasons}")


def explain_unknown(
    tool: str, given: Iterable[str], known: Mapping[str, object]
) -> str:
    """Return which arguments a tool does not take, and which it takes."""
    names = ", ".join(repr(tidy(name)[:50]) for name in sorted(given)[:_MAX_FIELDS])
    return f"{tool} has no argument {names}; it takes {', '.join(known) or 'none'}"


def tidy(message: str) -> str:
    """Return a message that can be sent: not long, and without lone surrogates."""
    text = replace_surrogates(message.replace("\0", "\ufffd"))
    return text if len(text) <= _MAX_CHARS else f"{text[: _MAX_CHARS - 1]}…"


def _lower(reason: str) -> str:
    return f"{reason[:1].lower()}{reason[1:]}"
