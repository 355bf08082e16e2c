"""Changing one entry of a TOML text; comments, order and layout of the rest stay."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

from outcrop.errors import InputError, MissingExtraError
from outcrop.mcp.install.toml_lines import split_statements

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outcrop.mcp.install.toml_lines import Statement


def read_data(text: str) -> dict[str, Any]:
    """Return what a text says.

    Raises:
        InputError: It is no TOML; the message says where.
    """
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError(f"it is no TOML: {error}") from error


def set_entry(text: str, key: str, name: str, entry: dict[str, object]) -> str:
    """Put an entry in, or its fields into the entry of that name."""
    servers = read_data(text).get(key, {})
    if not isinstance(servers, dict):
        raise InputError(f"{key!r} is no table with servers")
    statements = split_statements(text)
    header = _find_header(statements, (key, name))
    if header is not None:
        return _set_fields(text, statements[header:], servers[name], entry)
    return _append(text, key, name, entry) or _set_inline(text, key, name, entry)


def remove_entry(text: str, key: str, name: str) -> str:
    """Take an entry out, where it is there."""
    if name not in read_data(text).get(key, {}):
        return text
    statements = split_statements(text)
    while (at := _find_header(statements, (key, name), below=True)) is not None:
        text = _cut(text, statements[at:])
        statements = split_statements(text)
    if name in read_data(text).get(key, {}):  # inline, or by dotted keys
        document = _kit().parse(text)
        del document[key][name]
        text = document.as_string()
    return text


def _find_header(
    statements: Sequence[Statement], path: tuple[str, ...], *, below: bool = False
) -> int | None:
    for at, statement in enumerate(statements):
        found = statement.path[: len(path)] if below else statement.path
        if statement.is_header and found == path:
            return at
    return None


def _table_end(statements: Sequence[Statement]) -> int:
    """Return how many statements a table has, its header included."""
    headers = (at for at, each in enumerate(statements) if at and each.is_header)
    return next(headers, len(statements))


def _set_fields(
    text: str,
    statements: Sequence[Statement],
    there: dict[str, object],
    entry: dict[str, object],
) -> str:
    """Change the fields of a table that are different, and add those it has not."""
    table = statements[: _table_end(statements)]
    pairs = {each.path[0]: each for each in table[1:] if len(each.path) == 1}
    line_end = _line_end(text)
    missing = [
        f"{f} = {_dump(v)}{line_end}" for f, v in entry.items() if f not in pairs
    ]
    # From the last place to the first, so that places stay what they are.
    end = table[-1].end
    gap = "" if text[:end].endswith("\n") else line_end
    if missing:
        text = f"{text[:end]}{gap}{''.join(missing)}{text[end:]}"
    changed = [pairs[f] for f, v in entry.items() if f in pairs and there[f] != v]
    for pair in sorted(changed, key=lambda each: -each.start):
        value = _dump(entry[pair.path[0]])
        text = f"{text[: pair.value_start]}{value}{text[pair.value_end :]}"
    return text


def _cut(text: str, statements: Sequence[Statement]) -> str:
    """Take a table out; comments behind its last line may be the next one's."""
    start, end = statements[0].start, statements[_table_end(statements) - 1].end
    before, behind = text[:start], text[end:]
    if not behind.strip():
        kept = before.rstrip()
        return f"{kept}{_line_end(text)}" if kept else ""
    if not before.strip() or before.endswith(("\n\n", "\r\n\r\n")):
        behind = behind.lstrip("\r\n")
    return before + behind


def _append(text: str, key: str, name: str, entry: dict[str, object]) -> str | None:
    """Add a table at the end, which leaves all the rest as it is.

    None where that is not allowed, because the servers are written on one line.
    """
    line_end = _line_end(text)
    lines = [f"[{key}.{_kit().key(name).as_string()}]"]
    lines += [f"{field} = {_dump(value)}" for field, value in entry.items()]
    before = f"{text.rstrip()}{line_end}{line_end}" if text.strip() else ""
    longer = f"{before}{line_end.join(lines)}{line_end}"
    try:
        tomllib.loads(longer)
    except tomllib.TOMLDecodeError:
        return None
    return longer


def _set_inline(text: str, key: str, name: str, entry: dict[str, object]) -> str:
    """Set the fields of an entry that has no table of its own."""
    document = _kit().parse(text)
    tables = document[key]
    if name not in tables:
        tables[name] = _kit().inline_table()
    for field, value in entry.items():
        if tables[name].get(field) != value:
            tables[name][field] = value
    changed: str = document.as_string()
    return changed


def _dump(value: object) -> str:
    dumped: str = _kit().item(value).as_string()
    return dumped


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _kit() -> Any:
    try:
        import tomlkit
    except ImportError as error:
        raise MissingExtraError("changing TOML settings", "mcp") from error
    return tomlkit
