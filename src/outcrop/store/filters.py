"""Filters as SQL conditions, so that they apply before the limit of a search."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from psycopg.errors import InvalidRegularExpression

from outcrop.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outcrop.model.filter import Filter
    from outcrop.store.database import Connection

# A line whose parameter is NULL is always true; PostgreSQL drops it from the plan. The
# rendered documentation of a definition has source `doc`, but is about code.
_CHUNK_FIELDS_CONDITION = """
    ((%(kinds)s::text[] IS NULL AND %(sources)s::text[] IS NULL)
        OR c.kind = ANY(%(kinds)s::text[]) OR c.source = ANY(%(sources)s::text[])
        OR 'code' = ANY(%(sources)s::text[]) AND c.node_id IS NOT NULL)
    AND (%(packages)s::text[] IS NULL OR c.node_id IS NOT NULL AND EXISTS (
        SELECT FROM unnest(%(packages)s::text[]) AS wanted (package)
        WHERE starts_with(
            array_to_string(c.section_path, '.') || '.', wanted.package || '.')))
    AND (%(section_paths)s::text[] IS NULL
        OR array_to_string(c.section_path, E'\\x1f') = ANY(%(section_paths)s::text[]))
    AND (%(min_level)s::int IS NULL OR c.level >= %(min_level)s::int)
    AND (%(max_level)s::int IS NULL OR c.level <= %(max_level)s::int)
"""
_IN_DOCUMENTS = """
    (%(document_ids)s::text[] IS NULL OR c.document_id = ANY(%(document_ids)s::text[]))
"""
# Restricts `chunks c`.
CHUNKS_CONDITION = f"""
    {_IN_DOCUMENTS} AND {_CHUNK_FIELDS_CONDITION}
"""
# Restricts `chunk_lex l`.
LEXICAL_CONDITION = f"""
    (%(document_ids)s::text[] IS NULL OR l.document_id = ANY(%(document_ids)s::text[]))
    AND (NOT %(by_chunk)s
        OR EXISTS (SELECT FROM chunks c WHERE c.id = l.chunk_id AND {_CHUNK_FIELDS_CONDITION}))
"""
_FIND_DOCUMENTS = """
SELECT coalesce(array_agg(id), '{}'), coalesce(sum(chunk_count), 0)::bigint,
    (SELECT count(*) FROM documents)
FROM documents d
WHERE (%(regexes)s::text[] IS NULL OR d.path ~ ANY(%(regexes)s::text[]))
    AND (%(documents)s::text[] IS NULL OR d.path = ANY(%(documents)s::text[]))
    AND (%(tags)s::text[] IS NULL OR EXISTS (
        SELECT FROM jsonb_array_elements_text(d.metadata -> 'tags') AS tag
        WHERE lower(tag) = ANY(%(tags)s::text[])))
    AND (%(langs)s::text[] IS NULL OR d.lang = ANY(%(langs)s::text[]))
"""
_LIST_LANGUAGES = (
    "SELECT DISTINCT lang FROM documents WHERE lang IS NOT NULL ORDER BY 1"
)


# Which paths of headings pass is decided here and not by the database, whose idea of
# lower case depends on its locale.
_SEPARATOR = "\x1f"
_FIND_HEADINGS = f"""
SELECT DISTINCT array_to_string(section_path, E'\\x1f') FROM chunks c
WHERE {_IN_DOCUMENTS} AND section_path <> '{{}}'
"""  # noqa: S608 - constants; values are bound


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """A filter whose documents have been looked up.

    Attributes:
        parameters: The parameters of the conditions above.
        restricts: Whether some chunk may not pass.
        chunks: Number of chunks in the documents, or None if all documents pass.
    """

    parameters: dict[str, Any]
    restricts: bool
    chunks: int | None

    def leaves_at_most(self, count: int) -> bool:
        """Return whether it leaves at most this many chunks, as far as is known."""
        return self.chunks is not None and self.chunks <= count


def resolve(connection: Connection, restriction: Filter) -> Resolved:
    """Look up a filter's documents.

    Raises:
        InputError: A pattern for paths cannot be parsed, or is too long, or no document
            is in one of the languages.
    """
    ids: list[str] | None = None
    chunks: int | None = None
    if restriction.langs:
        _check_languages(connection, restriction.langs)
    if restriction.by_document:
        globs = [glob_to_regex(glob) for glob in restriction.path_globs]
        parameters = {
            "regexes": globs or None,
            "documents": list(restriction.documents) or None,
            "tags": [tag.lower() for tag in restriction.tags] or None,
            "langs": list(restriction.langs) or None,
        }
        try:
            row = connection.execute(_FIND_DOCUMENTS, parameters).fetchone()
        except InvalidRegularExpression as error:
            patterns = ", ".join(map(repr, restriction.path_globs))
            raise InputError(f"path_glob {patterns} is not a valid pattern") from error
        matching, count, documents = row or ([], 0, 0)
        if len(matching) < documents:
            ids, chunks = matching, count
    return Resolved(
        parameters={
            "document_ids": ids,
            "section_paths": _find_headings(connection, restriction, ids),
            "by_chunk": restriction.by_chunk,
            "kinds": list(restriction.kinds) or None,
            "sources": list(restriction.sources) or None,
            "packages": list(restriction.packages) or None,
            "min_level": restriction.min_level,
            "max_level": restriction.max_level,
        },
        restricts=ids is not None or restriction.by_chunk,
        chunks=chunks,
    )


def _check_languages(connection: Connection, wanted: Sequence[str]) -> None:
    known = [lang for (lang,) in connection.execute(_LIST_LANGUAGES)]
    for lang in wanted:
        if lang not in known:
            found = ", ".join(known) or "none"
            raise InputError(
                f"no document is in language {lang!r}; the index has: {found}"
            )


def _find_headings(
    connection: Connection, restriction: Filter, ids: list[str] | None
) -> list[str] | None:
    """Return the paths of headings that pass; None if all do."""
    if not restriction.sections:
        return None
    rows = connection.execute(_FIND_HEADINGS, {"document_ids": ids})
    return [
        path for (path,) in rows if restriction.allows_headings(path.split(_SEPARATOR))
    ]


_GLOB_PARTS = re.compile(r"\*\*/|\*\*|\*|\?|\[!?\]?[^\]/]*\]|.", re.DOTALL)
_GLOB_REGEXES = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


# PostgreSQL takes seconds to compile longer patterns, and no real one is so long.
_MAX_GLOB_LENGTH = 300
_STARS = re.compile(r"\*{3,}")
_FOLDERS = re.compile(r"(?:\*\*/){2,}")


def glob_to_regex(glob: str) -> str:
    """Translate a glob into a regular expression of PostgreSQL.

    Raises:
        InputError: The pattern is too long.
    """
    if len(glob) > _MAX_GLOB_LENGTH:
        raise InputError(
            f"a pattern for paths has {len(glob):,} characters, but the maximum is "
            f"{_MAX_GLOB_LENGTH}: {glob[:40]!r}..."
        )
    # Documents outside the project have an absolute path.
    start = "/?" if glob.startswith("/") else "" if "/" in glob else "(?:.*/)?"
    # Repetitions do not change the meaning but multiply the backtracking.
    plain = _FOLDERS.sub("**/", _STARS.sub("**", glob.removeprefix("/")))
    parts = (_translate(part) for part in _GLOB_PARTS.findall(plain))
    return f"^{start}{''.join(parts)}$"


def _translate(part: str) -> str:
    if part in _GLOB_REGEXES:
        return _GLOB_REGEXES[part]
    if len(part) == 1:
        return re.escape(part)
    members = part[1:-1]
    negated = members.startswith("!")
    members = re.sub(r"([\\\[\]^])", r"\\\1", members.removeprefix("!"))
    return f"[{'^/' if negated else ''}{members}]"
