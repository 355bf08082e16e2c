"""Which chunks a search may find; the restriction acts before the limit, in SQL."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outcrop.store.database import Connection

# With a NULL parameter a line is always true, and PostgreSQL drops it from the plan.
# Documents are looked up once for the whole query.
_OF_DOCUMENTS = """
    SELECT d.id FROM documents d
    WHERE (%(regexes)s::text[] IS NULL OR d.path ~ ANY(%(regexes)s::text[]))
        AND (%(documents)s::text[] IS NULL OR d.path = ANY(%(documents)s::text[]))
"""
_OF_CHUNKS = """
    (%(kinds)s::text[] IS NULL OR c.kind = ANY(%(kinds)s::text[]))
    AND (%(sources)s::text[] IS NULL OR c.source = ANY(%(sources)s::text[]))
    AND (%(min_level)s::int IS NULL OR c.level >= %(min_level)s::int)
    AND (%(max_level)s::int IS NULL OR c.level <= %(max_level)s::int)
"""
# Restricts `chunks c` where most documents may pass.
CHUNKS_CONDITION = f"""
    (NOT %(by_document)s OR c.document_id IN ({_OF_DOCUMENTS}))
    AND {_OF_CHUNKS}
"""
# Restricts `chunks c` where few documents pass: their chunks are looked up.
FEW_CHUNKS_CONDITION = f"""
    (NOT %(by_document)s OR c.document_id = ANY(ARRAY({_OF_DOCUMENTS})))
    AND {_OF_CHUNKS}
"""
# Restricts `chunk_lex l` where most documents may pass.
WORDS_CONDITION = f"""
    (NOT %(by_document)s OR l.document_id IN ({_OF_DOCUMENTS}))
    AND (NOT %(by_chunk)s
        OR EXISTS (SELECT FROM chunks c WHERE c.id = l.chunk_id AND {_OF_CHUNKS}))
"""
_COUNT_CHUNKS = f"""
SELECT coalesce(sum(chunk_count), 0) FROM documents WHERE id IN ({_OF_DOCUMENTS})
"""  # noqa: S608 - a constant of ours; what is given is bound


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """What a chunk has to be for a search to find it; empty fields do not restrict.

    Attributes:
        path_globs: One of these patterns has to match the document's path. `*` and
            `?` stay within a folder, `**` crosses folders. A pattern without a slash
            is matched with the file's name alone; one that starts with a slash, from
            the project's folder on.
        documents: The document's path has to be one of these.
        kinds: The chunk's kind has to be one of these.
        sources: The chunk's source has to be one of these.
        min_level: Least level in the hierarchy.
        max_level: Greatest level in the hierarchy.
    """

    path_globs: Sequence[str] = ()
    documents: Sequence[str] = ()
    kinds: Sequence[str] = ()
    sources: Sequence[str] = ()
    min_level: int | None = None
    max_level: int | None = None

    def __bool__(self) -> bool:
        return self.by_document or self.by_chunk

    @property
    def by_document(self) -> bool:
        """Whether documents are restricted."""
        return bool(self.path_globs or self.documents)

    @property
    def by_chunk(self) -> bool:
        """Whether chunks are restricted beyond their document."""
        levels = (self.min_level, self.max_level)
        return bool(self.kinds or self.sources) or levels != (None, None)

    def parameters(self) -> dict[str, Any]:
        """Return the parameters of the conditions above."""
        return {
            "by_document": self.by_document,
            "by_chunk": self.by_chunk,
            "regexes": [glob_to_regex(glob) for glob in self.path_globs] or None,
            "documents": list(self.documents) or None,
            "kinds": list(self.kinds) or None,
            "sources": list(self.sources) or None,
            "min_level": self.min_level,
            "max_level": self.max_level,
        }


def leaves_few(connection: Connection, restriction: Filter, most: int) -> bool:
    """Say whether the documents that pass have at most so many chunks together."""
    if not restriction.by_document:
        return False
    counted = connection.execute(_COUNT_CHUNKS, restriction.parameters()).fetchone()
    return counted is not None and counted[0] <= most


_GLOB_PARTS = re.compile(r"\*\*/|\*\*|\*|\?|\[!?\]?[^\]/]*\]|.", re.DOTALL)
_GLOB_MEANINGS = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


def glob_to_regex(glob: str) -> str:
    """Translate a glob into a regular expression of PostgreSQL."""
    anywhere = "" if "/" in glob else "(?:.*/)?"
    parts = (_translate(part) for part in _GLOB_PARTS.findall(glob.removeprefix("/")))
    return f"^{anywhere}{''.join(parts)}$"


def _translate(part: str) -> str:
    if part in _GLOB_MEANINGS:
        return _GLOB_MEANINGS[part]
    if len(part) == 1:
        return re.escape(part)
    members = part[1:-1]
    negated = members.startswith("!")
    members = re.sub(r"([\\\[\]^])", r"\\\1", members.removeprefix("!"))
    return f"[{'^/' if negated else ''}{members}]"
