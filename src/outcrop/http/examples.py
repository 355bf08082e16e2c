"""Examples of answers, for the description of the interface."""

from __future__ import annotations

from typing import Any

Example = dict[str, Any]

PROBLEM: Example = {
    "type": "urn:outcrop:problem:not-found",
    "title": "Not Found",
    "status": 404,
    "detail": "there is no chunk '0000' in the index",
    "instance": "/v1/chunks/0000",
}

HEALTH: Example = {"status": "ok", "version": "0.1.0"}

CHUNK: Example = {
    "content": "# Guide\n\nFirst.\n",
    "start_line": 1,
    "end_line": 3,
    "start_offset": 0,
    "end_offset": 16,
    "prefix": "",
    "suffix": "",
    "metadata": {"chunk_id": "1f0c93aa", "header_path": "/Guide"},
    "reason": "the document begins",
}

HIT: Example = {
    "id": "5f3e0b7c9a1d2e48",
    "path": "docs/guide.md",
    "content": "## Setup\n\nThen.\n",
    "start_line": 5,
    "end_line": 7,
    "start_offset": 18,
    "end_offset": 34,
    "header_path": "/Guide/Setup",
    "headers": ["Guide", "Setup"],
    "breadcrumb": "docs/guide.md > Guide > Setup",
    "score": 1.42,
    "scores": {"lexical": 1.0, "vector": 0.1, "title": 0.32},
    "highlights": [[3, 8]],
    "kind": "section",
    "source": "doc",
    "level": 2,
    "token_count": 6,
    "prefix": "",
    "suffix": "",
    "parts": ["5f3e0b7c9a1d2e48"],
    "summary": None,
    "document_summary": None,
    "documentation": None,
    "explanation": None,
    "symbol": None,
    "signature": None,
    "node_id": None,
}

DOCUMENT: Example = {
    "path": "docs/guide.md",
    "kind": "markdown",
    "lang": None,
    "title": "Guide",
    "size_bytes": 34,
    "chunk_count": 3,
    "summary": None,
    "updated_at": "2026-11-15T10:00:00Z",
}

RUN: Example = {
    "id": 7,
    "kind": "index",
    "state": "running",
    "application_id": None,
    "strategy": None,
    "parameters": {"paths": ["docs"]},
    "statistics": {"stages": {"index": {"done": 12, "total": 40, "failed": 0}}},
    "errors": [],
    "error": None,
    "started_at": "2026-11-15T10:00:00Z",
    "updated_at": "2026-11-15T10:00:03Z",
    "finished_at": None,
}

SYMBOL: Example = {
    "node": {
        "id": "9d1f6a0be3c47a52",
        "kind": "FUNCTION",
        "lang": "python",
        "name": "parse",
        "fqn": "guide.reader.parse",
        "signature": "def parse(text: str) -> Tree",
        "file_path": "src/guide/reader.py",
        "line_start": 12,
        "line_end": 30,
        "package_name": "guide.reader",
        "doc_comment": "Read a text.",
        "source_code": "def parse(text: str) -> Tree:\n    ...",
        "start_offset": 210,
        "end_offset": 250,
        "annotations": [],
        "visibility": "public",
        "http_method": None,
        "http_path": None,
    },
    "links": {"callers": [], "callees": []},
}
