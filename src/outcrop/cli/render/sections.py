"""Sections, as text and as JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from outcrop.cli.render.plain import escape_controls
from outcrop.model.section import Section

if TYPE_CHECKING:
    from collections.abc import Iterable

_FIELDS = tuple(field.name for field in fields(Section))


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitDocument:
    """A document and its sections."""

    path: str
    text: str
    sections: list[Section]


def write_table(documents: Iterable[SplitDocument], max_tokens: int) -> None:
    """Print the outline of every document: tokens, lines and heading."""
    for index, document in enumerate(documents):
        count = len(document.sections)
        noun = "section" if count == 1 else "sections"
        gap = "\n" if index else ""
        click.echo(f"{gap}{escape_controls(document.path)}: {count:,} {noun}")
        for section in document.sections:
            lines = f"{section.start_line}-{section.end_line}"
            tokens = f"{section.token_count:,}"
            indent = "  " * max(section.depth - 1, 0)
            row = (
                f"{lines:>11}  {tokens:>7}  {indent}{escape_controls(section.heading)}"
            )
            note = f"  (over {max_tokens:,} tokens)" if section.is_over_limit else ""
            click.echo(row + note)
            if section.summary:
                click.echo(f"{'':22}{indent}{escape_controls(section.summary)}")


def write_json(documents: Iterable[SplitDocument]) -> None:
    """Print a list with one object a document: its path and its sections."""
    values = [
        {
            "path": document.path,
            "sections": [_values(section) for section in document.sections],
        }
        for document in documents
    ]
    text = json.dumps(values, ensure_ascii=False, indent=2, default=_to_json)
    # A path of undecodable bytes holds lone surrogates: they become question marks.
    click.echo((text + "\n").encode(errors="replace"), nl=False)


def _values(section: Section) -> dict[str, Any]:
    return {name: getattr(section, name) for name in _FIELDS}


def _to_json(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(value)  # pragma: no cover - sections hold nothing else
