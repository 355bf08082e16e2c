"""Database tables that a piece of code uses, read from the SQL and mappings in it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAME = r"""[`"\[]?([A-Za-z_][\w$]*(?:[`"\]]?\.[`"\[]?[A-Za-z_][\w$]*)*)[`"\]]?"""
# A keyword alone is an English word: SQL has the rest of the statement.
_STATEMENT = re.compile(
    r"\b(?:SELECT\b.+?\bFROM|INSERT\s+INTO|UPDATE\b.+?\bSET|DELETE\s+FROM|MERGE\s+INTO"
    r"|CREATE\s+TABLE|ALTER\s+TABLE|DROP\s+TABLE|TRUNCATE)\b",
    re.IGNORECASE | re.DOTALL,
)
_READ = re.compile(rf"\b(?:FROM|JOIN)\s+(?:ONLY\s+)?{_NAME}", re.IGNORECASE)
_WRITE = re.compile(
    rf"""\b(?:INSERT\s+INTO|MERGE\s+INTO|DELETE\s+FROM|UPDATE|TRUNCATE(?:\s+TABLE)?
    |(?:CREATE|ALTER|DROP)\s+TABLE(?:\s+IF\s+(?:NOT\s+)?EXISTS)?)\s+(?:ONLY\s+)?{_NAME}""",
    re.IGNORECASE | re.VERBOSE,
)
_MAPPED = re.compile(
    r"""(?:__tablename__|table_name|tableName|db_table)\s*[:=]\s*["'](\w+)["']
    |@Table\s*\(\s*(?:name\s*=\s*)?"(\w+)"
    |\[Table\("(\w+)"\)\]""",
    re.VERBOSE,
)
_STRING = re.compile(
    r"\"\"\"(.*?)\"\"\"|'''(.*?)'''|`([^`]*)`"
    r"|\"((?:[^\"\\\n]|\\.)*)\"|'((?:[^'\\\n]|\\.)*)'",
    re.DOTALL,
)
_NO_TABLES = frozenset(
    {"select", "set", "where", "values", "lateral", "unnest", "dual"}
)


def find_tables(code: str) -> dict[str, str]:
    """Return the tables that code names, each with `read`, `write` or `map`.

    A table that is read and written counts as written.
    """
    found: dict[str, str] = {}
    for statement in _statements(code):
        for name in _names(_READ, statement):
            found.setdefault(name, "read")
        for name in _names(_WRITE, statement):
            found[name] = "write"
    for match in _MAPPED.finditer(code):
        name = next(filter(None, match.groups()))
        found.setdefault(name, "map")
    return found


def _statements(code: str) -> Iterator[str]:
    """Yield the strings in code that hold a statement."""
    # Most code has no SQL, and this shows it without splitting strings.
    if _STATEMENT.search(code) is None:
        return
    for match in _STRING.finditer(code):
        text = next((group for group in match.groups() if group), "")
        if _STATEMENT.search(text):
            yield text


def _names(pattern: re.Pattern[str], statement: str) -> Iterator[str]:
    for match in pattern.finditer(statement):
        name = re.sub(r"[`\"\[\]]", "", match.group(1))
        if name.lower() not in _NO_TABLES:
            yield name
