"""Kinds of pairs about code, and how much of them is read."""

from __future__ import annotations

KINDS = ("docstring", "docstring_body", "doc_comment", "comment", "name")
DOCSTRING, DOCSTRING_BODY, DOC_COMMENT, COMMENT, NAME = range(len(KINDS))
MAX_QUERY, MAX_PASSAGE = 40, 128  # tokens
