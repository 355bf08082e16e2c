"""Sections of a document by its H1 to H3, for document search."""

from __future__ import annotations

from outcrop.model.section import DOCUMENT_ROOT, Section
from outcrop.sections.files import read_sections, write_sections
from outcrop.sections.splitter import ContentScope, IndexingConfig, MarkdownSplitter
from outcrop.sections.summaries import Summarizer, SummaryGenerator
from outcrop.sections.table import get_sections_schema
from outcrop.sections.vectors import embed_sections

__all__ = [
    "DOCUMENT_ROOT",
    "ContentScope",
    "IndexingConfig",
    "MarkdownSplitter",
    "Section",
    "Summarizer",
    "SummaryGenerator",
    "embed_sections",
    "get_sections_schema",
    "read_sections",
    "write_sections",
]
