"""Templates; untrusted text in them is always escaped."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from fastapi.responses import HTMLResponse
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from outcrop import __version__
from outcrop.indexing.files.kinds import CODE
from outcrop.presentation.text import count, visible, visible_name

if TYPE_CHECKING:
    from fastapi import Request

    from outcrop.model.stored import Document

_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400
_KILO = 1_000


def inline_code(text: object) -> Markup:
    """Escape a text, and show what it has in backticks as code."""
    parts = visible(text).split("`")
    if len(parts) % 2 == 0:  # one of them is not closed
        return escape("`".join(parts))
    code = Markup("<code>{}</code>")
    marked = [
        code.format(part) if at % 2 else escape(part) for at, part in enumerate(parts)
    ]
    return Markup("").join(marked)


@cache
def environment() -> Environment:
    """Return the templates; everything they print is escaped."""
    made = Environment(
        loader=PackageLoader("outcrop.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "visible": visible,
        "name": visible_name,
        "inline_code": inline_code,
        "count": count,
        "bytes": size_in_words,
        "ago": ago,
        "kind": kind_of,
        "path": lambda path: quote(path, safe="/"),
        "part": lambda part: quote(part, safe=""),
    }
    made.globals["version"] = __version__
    return made


def render(template: str, **values: Any) -> str:
    """Fill in a template."""
    return environment().get_template(template).render(**values)


def page(
    template: str, *, status: HTTPStatus = HTTPStatus.OK, **values: Any
) -> HTMLResponse:
    """Answer with a filled-in template."""
    return HTMLResponse(render(template, **values), status_code=status)


def error_page(request: Request, status: HTTPStatus, detail: str) -> HTMLResponse:
    """Answer a browser with an error it can show."""
    return page(
        "error.html",
        status=status,
        view="",
        title=status.phrase,
        detail=detail,
        path=request.url.path,
    )


def kind_of(document: Document) -> str:
    """Return what a document is: the language of code, or the format of a text."""
    return (document.lang or "code") if document.kind == CODE else document.kind


def size_in_words(size: int | None) -> str:
    """Return a size with its unit."""
    if size is None:
        return ""
    if size < _KILO:
        return f"{size} B"
    if size < _KILO * _KILO:
        return f"{size / _KILO:.1f} kB"
    return f"{size / _KILO / _KILO:.1f} MB"


def ago(moment: datetime | None) -> str:
    """Return how long ago something was, in words."""
    if moment is None:
        return ""
    seconds = (datetime.now(UTC) - moment).total_seconds()
    if seconds < _MINUTE:
        return "just now"
    if seconds < _HOUR:
        return f"{count(int(seconds // _MINUTE), 'minute')} ago"
    if seconds < _DAY:
        return f"{count(int(seconds // _HOUR), 'hour')} ago"
    return f"{count(int(seconds // _DAY), 'day')} ago"
