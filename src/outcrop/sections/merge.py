"""Merging new sections into those of a table: documents are replaced one by one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from outcrop.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from outcrop.model.section import Section


def merge_sections(
    stored: Sequence[Section], new: Sequence[Section], documents: Collection[str]
) -> list[Section]:
    """Replace the sections of some documents and keep those of all others.

    A section that was stored before keeps its `created_at`. If it comes without a vector,
    it keeps the stored one, and is dirty if its text has changed since that was made.

    Args:
        stored: The sections of the table.
        new: The new sections, each of one of the documents.
        documents: The documents to replace; one without new sections is removed.

    Returns:
        The sections by document: the stored documents in their order, then the others.
    """
    known = {section.id: section for section in stored}
    by_document: dict[str, list[Section]] = {}
    for section in stored:
        if section.document_path not in documents:
            by_document.setdefault(section.document_path, []).append(section)
        else:
            by_document.setdefault(section.document_path, [])
    for section in new:
        merged = _with_history(section, known.get(section.id))
        by_document.setdefault(section.document_path, []).append(merged)
    return [section for sections in by_document.values() for section in sections]


def choose_dimension(stored: Sequence[Section], table: int, wanted: int | None) -> int:
    """Return the dimension of the vectors of the merged table.

    Args:
        stored: The sections of the table.
        table: The dimension of its vectors.
        wanted: The dimension of the new vectors; None for that of the table.

    Raises:
        InputError: The table has vectors of another dimension.
    """
    if wanted is None or wanted == table:
        return table
    if any(section.vector is not None for section in stored):
        raise InputError(
            f"the vectors of the table have {table} dimensions, but the new ones have"
            f" {wanted}; embed with the same model, or overwrite the table"
        )
    return wanted


def _with_history(section: Section, before: Section | None) -> Section:
    if before is None:
        return section
    kept = replace(section, created_at=before.created_at or section.created_at)
    if section.vector is not None or before.vector is None:
        return kept
    is_dirty = before.is_dirty or before.content != section.content
    return replace(kept, vector=before.vector, is_dirty=is_dirty)
