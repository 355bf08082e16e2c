"""CommonMark blocks with exact spans."""

from __future__ import annotations

from outcrop.markdown.document import Blocks, Document, Heading, Kind
from outcrop.markdown.parse import parse

__all__ = ["Blocks", "Document", "Heading", "Kind", "parse"]
