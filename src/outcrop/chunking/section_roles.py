"""Which sections of a document hold text, and which are nodes of its tree."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from outcrop.markdown.document import Document


class SectionRoles:
    """Looks at every section of a document once.

    Attributes:
        has_text: Whether a section, its subsections included, is more than headings.
        is_node: Whether it is an inner node of the tree: it has subsections, and some
            text. The first H1, where it has no text of its own, is the document's
            title: the root stands for it.
        has_title: Whether there is such a title.
    """

    def __init__(self, document: Document) -> None:
        headings = document.headings
        blocks = [*document.heading_blocks, len(document.blocks)]
        own_text = [following - block > 1 for block, following in pairwise(blocks)]
        self.has_text = own_text.copy()
        self.is_node = [False] * len(headings)
        for section in range(len(headings) - 1, -1, -1):
            self.is_node[section] = self.is_node[section] and self.has_text[section]
            parent = headings[section].parent
            if parent >= 0:
                self.is_node[parent] = True
                self.has_text[parent] = self.has_text[parent] or self.has_text[section]
        self.has_title = bool(headings) and headings[0].level == 1 and not own_text[0]
        if self.has_title:
            self.is_node[0] = False


def separate_empty_headings(document: Document, glued: bytearray) -> None:
    """Let every heading of a section without any text stand alone.

    Such a heading has no body to wait for: in a tree it is a leaf of its own.
    """
    has_text = SectionRoles(document).has_text
    for heading, some in zip(document.headings, has_text, strict=True):
        if not some:
            glued[heading.block + 1] = 0
