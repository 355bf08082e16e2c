"""Which chunks a search may find; the restriction acts before the limit, in SQL."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from psycopg.errors import InvalidRegularExpression

from outcrop.errors import InputError

if TYPE_CHECKING:
    from outcrop.model.filter import Filter
    from outcrop.store.database import Connection

# With a NULL parameter a line is always true, and PostgreSQL drops it from the plan.
_OF_CHUNKS = """
    ((%(kinds)s::text[] IS NULL AND %(sources)s::text[] IS NULL)
        OR c.kind = ANY(%(kinds)s::text[]) OR c.source = ANY(%(sources)s::text[]))
    AND (%(min_level)s::int IS NULL OR c.level >= %(min_level)s::int)
    AND (%(max_level)s::int IS NULL OR c.level <= %(max_level)s::int)
"""
# Restricts `chunks c`.
CHUNKS_CONDITION = f"""
    (%(document_ids)s::text[] IS NULL OR c.document_id = ANY(%(document_ids)s::text[]))
    AND {_OF_CHUNKS}
"""
# Restricts `chunk_lex l`.
WORDS_CONDITION = f"""
    (%(document_ids)s::text[] IS NULL OR l.document_id = ANY(%(document_ids)s::text[]))
    AND (NOT %(by_chunk)s
        OR EXISTS (SELECT FROM chunks c WHERE c.id = l.chunk_id AND {_OF_CHUNKS}))
"""
_FIND_DOCUMENTS = """
SELECT coalesce(array_agg(id), '{}'), coalesce(sum(chunk_count), 0)::bigint,
    (SELECT count(*) FROM documents)
FROM documents d
WHERE (%(regexes)s::text[] IS NULL OR d.path ~ ANY(%(regexes)s::text[]))
    AND (%(documents)s::text[] IS NULL OR d.path = ANY(%(documents)s::text[]))
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """A filter whose documents have been looked up.

    Attributes:
        parameters: Of the conditions above.
        chunks: How many chunks the documents have, or None where all documents pass.
    """

    parameters: dict[str, Any]
    chunks: int | None

    def leaves_few(self, most: int) -> bool:
        """Say whether so few chunks are left that each may be looked at."""
        return self.chunks is not None and self.chunks <= most


def resolve(connection: Connection, restriction: Filter) -> Resolved:
    """Look up a filter's documents.

    Raises:
        InputError: A pattern for paths cannot be parsed, or is too long.
    """
    ids: list[str] | None = None
    chunks: int | None = None
    if restriction.by_document:
        globs = [glob_to_regex(glob) for glob in restriction.path_globs]
        given = {
            "regexes": globs or None,
            "documents": list(restriction.documents) or None,
        }
        try:
            row = connection.execute(_FIND_DOCUMENTS, given).fetchone()
        except InvalidRegularExpression as error:
            patterns = ", ".join(map(repr, restriction.path_globs))
            raise InputError(f"path_glob {patterns} is not a valid pattern") from error
        found, count, documents = row or ([], 0, 0)
        if len(found) < documents:
            ids, chunks = found, count
    return Resolved(
        parameters={
            "document_ids": ids,
            "by_chunk": restriction.by_chunk,
            "kinds": list(restriction.kinds) or None,
            "sources": list(restriction.sources) or None,
            "min_level": restriction.min_level,
            "max_level": restriction.max_level,
        },
        chunks=chunks,
    )


_GLOB_PARTS = re.compile(r"\*\*/|\*\*|\*|\?|\[!?\]?[^\]/]*\]|.", re.DOTALL)
_GLOB_MEANINGS = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


# Longer ones are no patterns for paths, and cost PostgreSQL seconds to understand.
_LONGEST_GLOB = 300
_STARS = re.compile(r"\*{3,}")
_FOLDERS = re.compile(r"(?:\*\*/){2,}")


def glob_to_regex(glob: str) -> str:
    """Translate a glob into a regular expression of PostgreSQL.

    Raises:
        InputError: It is too long to be a pattern.
    """
    if len(glob) > _LONGEST_GLOB:
        raise InputError(
            f"a pattern for paths has {len(glob):,} characters, but at most "
            f"{_LONGEST_GLOB} are allowed: {glob[:40]!r}..."
        )
    # What is outside the project has its whole path.
    start = "/?" if glob.startswith("/") else "" if "/" in glob else "(?:.*/)?"
    # Repetitions mean nothing more, but multiply what has to be tried.
    plain = _FOLDERS.sub("**/", _STARS.sub("**", glob.removeprefix("/")))
    parts = (_translate(part) for part in _GLOB_PARTS.findall(plain))
    return f"^{start}{''.join(parts)}$"


def _translate(part: str) -> str:
    if part in _GLOB_MEANINGS:
        return _GLOB_MEANINGS[part]
    if len(part) == 1:
        return re.escape(part)
    members = part[1:-1]
    negated = members.startswith("!")
    members = re.sub(r"([\\\[\]^])", r"\\\1", members.removeprefix("!"))
    return f"[{'^/' if negated else ''}{members}]"
