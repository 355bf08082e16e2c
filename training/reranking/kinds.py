"""Kinds of pairs, and how much of them is read."""

from __future__ import annotations

import re

KINDS = (
    "docstring", "docstring_body", "doc_comment", "comment", "name",
    "section", "section_heading", "section_title", "section_keywords",
    "section_link", "section_sentence", "passage", "docstring_text",
)  # fmt: skip
(
    DOCSTRING, DOCSTRING_BODY, DOC_COMMENT, COMMENT, NAME,
    SECTION, HEADING, TITLE, KEYWORDS,
    LINK, SENTENCE, PASSAGE, DOCSTRING_TEXT,
) = range(len(KINDS))  # fmt: skip
# Passages that compete: definitions, fragments, bodies, sections, translated passages
# and texts of docstrings.
POOLS = (0, 0, 0, 1, 2, 3, 3, 3, 3, 3, 3, 4, 5)
# How often a kind is learned from; a section is asked for by the other kinds.
SHARES = (0.17, 0.07, 0.18, 0.10, 0.08, 0.0, 0.04, 0.04, 0.05, 0.13, 0.06, 0.04, 0.04)
MAX_QUERY, MAX_PASSAGE = 40, 128  # tokens
MAX_HEADINGS = 24
# What follows the name of a package where its texts are not in English.
LANGUAGE = re.compile(r"\.(?:de|es|fr|ja|ko|pt|ru|zh)$")
