"""Checking chunks against the promises: those just cut, or those of a file."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import click

from outcrop.chunking.invariants import InvariantValidator, check_spans
from outcrop.cli.files import read_document
from outcrop.cli.render.text import escape_controls
from outcrop.errors import InputError, InvariantError
from outcrop.model.chunk import Chunk
from outcrop.presentation.text import count

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from outcrop.chunking.config import ChunkConfig
    from outcrop.presentation.chunked_document import ChunkedDocument

_FIELDS = {field.name for field in fields(Chunk)}
_REQUIRED = ("content", "start_line", "end_line")


def check_documents(documents: Iterable[ChunkedDocument], config: ChunkConfig) -> bool:
    """Print whether the chunks of each document keep every promise.

    Returns:
        Whether all do.
    """
    is_valid = True
    for document in documents:
        errors, coverage = _check(document, config)
        is_valid = is_valid and not errors
        verdict = "invalid" if errors else "valid"
        click.echo(
            f"{escape_controls(document.path)}: {verdict},"
            f" {count(len(document.chunks), 'chunk')}, coverage {coverage:.1%}"
        )
        for error in errors:
            click.echo(f"  {escape_controls(error)}")
    return is_valid


def _check(document: ChunkedDocument, config: ChunkConfig) -> tuple[list[str], float]:
    if document.lang is None:
        result = InvariantValidator(config, strict=True).validate(
            document.chunks, document.text
        )
        return result.errors, result.coverage
    try:
        check_spans(document.chunks, document.text)
    except InvariantError as error:
        return [str(error)], 0.0
    return [], 1.0


def read_chunks(path: str) -> dict[str, list[Chunk]]:
    """Read chunks as `--format json` and `--format jsonl` print them, by document.

    Raises:
        InputError: The file cannot be read, or holds something else.
    """
    text = read_document(path)
    found: dict[str, list[Chunk]] = {}
    try:
        for document, values in _entries(text):
            found.setdefault(document, []).append(_chunk(values))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(
            f"{path}: not chunks as --format json or jsonl prints them: {error!r}"
        ) from error
    return found


def _entries(text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    if text.lstrip().startswith("["):
        for document in json.loads(text):
            for values in document["chunks"]:
                yield document["path"], values
        return
    for line in text.split("\n"):
        if line.strip():
            values = json.loads(line)
            yield values["path"], values


def _chunk(values: dict[str, Any]) -> Chunk:
    for name in _REQUIRED:
        if name not in values:
            raise KeyError(name)
    given = {name: value for name, value in values.items() if name in _FIELDS}
    return Chunk(**{"metadata": {}, **given})
