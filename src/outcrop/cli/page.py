"""Chunks as one web page that needs nothing else: no network, no other file.

The page shows documents that nobody has vetted. Every character of theirs is escaped,
and a content security policy allows the page's own script and style by their hashes
alone, so that nothing in a document could run even if an escape were missing.
"""

from __future__ import annotations

import base64
import hashlib
import json
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING, Any

from outcrop.cli.page_document import article, shown
from outcrop.cli.render import count, write_utf8
from outcrop.cli.render_reason import boundary_reason, oversize_reason
from outcrop.text.lines import LineCounter

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from outcrop.cli.render import ChunkedDocument


def write_page(documents: Iterable[ChunkedDocument]) -> None:
    """Print the page, as UTF-8."""
    write_utf8(build_page(list(documents)))


def build_page(documents: list[ChunkedDocument]) -> str:
    """The page that shows some documents and their chunks."""
    style, script = _asset("page.css"), _asset("page.js")
    total = sum(len(document.chunks) for document in documents)
    heading = (
        f"{count(total, 'chunk')} of {count(len(documents), 'document')}"
        if documents
        else "no documents"
    )
    return Template(_asset("page.html")).substitute(
        policy=_policy(style, script),
        title=shown(" ".join(["Outcrop:", *(d.path for d in documents[:3])])),
        heading=heading,
        style=style,
        script=script,
        contents=_contents(documents),
        documents="\n".join(_articles(documents)),
        data=_data(documents),
    )


def _asset(name: str) -> str:
    return files("outcrop.cli").joinpath(name).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    """Forbid everything but the page's own style and script."""
    return (
        f"default-src 'none'; style-src '{_digest(style)}'; "
        f"script-src '{_digest(script)}'; base-uri 'none'; form-action 'none'"
    )


def _digest(source: str) -> str:
    digest = hashlib.sha256(source.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def _contents(documents: list[ChunkedDocument]) -> str:
    """Links to the documents, where there are several."""
    if len(documents) < 2:  # noqa: PLR2004 - several means more than one
        return ""
    return "".join(
        f'<a href="#d{number}">{shown(document.path)}</a>'
        for number, document in enumerate(documents)
    )


def _articles(documents: list[ChunkedDocument]) -> Iterator[str]:
    first = 0
    for number, document in enumerate(documents):
        yield article(document, number, first)
        first += len(document.chunks)


def _data(documents: list[ChunkedDocument]) -> str:
    """What the script shows of a chunk, as JSON that cannot end its element."""
    chunks = [values for document in documents for values in _values(document)]
    source = json.dumps(chunks, ensure_ascii=True)
    return (
        source.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    )


def _values(document: ChunkedDocument) -> Iterator[dict[str, Any]]:
    lines = LineCounter(document.text)
    for number, chunk in enumerate(document.chunks, start=1):
        boundary = chunk.metadata["boundary"]
        own_line = lines.line_at(chunk.start_offset)
        yield {
            "path": document.path,
            "number": number,
            "total": len(document.chunks),
            "limit": document.limit,
            "size": len(chunk.content),
            "lines": f"{chunk.start_line} to {chunk.end_line}",
            "span": f"from line {own_line}, offsets {chunk.start_offset:,} to "
            f"{chunk.end_offset:,}",
            "why": boundary_reason(chunk),
            "rule": f"{boundary['stage']} / {boundary['rule']}",
            "over": oversize_reason(chunk),
            "prefix": chunk.prefix,
            "suffix": chunk.suffix,
            "metadata": chunk.metadata,
        }
