"""Changing one entry of a TOML text; comments and layout of the rest stay."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any, cast

from outcrop.errors import InputError, MissingExtraError

if TYPE_CHECKING:
    from collections.abc import MutableMapping

    from tomlkit import TOMLDocument


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
    if name not in servers and (longer := _append(text, key, name, entry)):
        return longer
    document, tables = _open(text, key)
    if name not in servers:
        tables[name] = _kit().inline_table()
    table = cast("MutableMapping[str, object]", tables[name])
    for field, value in entry.items():
        if table.get(field) != value:
            table[field] = value
    return document.as_string()


def remove_entry(text: str, key: str, name: str) -> str:
    """Take an entry out, where it is there."""
    if name not in read_data(text).get(key, {}):
        return text
    document, tables = _open(text, key)
    del tables[name]
    return document.as_string()


def _append(text: str, key: str, name: str, entry: dict[str, object]) -> str | None:
    """Add a table at the end, which leaves all the rest as it is.

    None where that is not allowed, because the servers are written on one line.
    """
    line_end = "\r\n" if "\r\n" in text else "\n"
    lines = [f"[{key}.{_kit().key(name).as_string()}]"]
    lines += [
        f"{field} = {_kit().item(value).as_string()}" for field, value in entry.items()
    ]
    before = f"{text.rstrip()}{line_end}{line_end}" if text.strip() else ""
    longer = f"{before}{line_end.join(lines)}{line_end}"
    try:
        tomllib.loads(longer)
    except tomllib.TOMLDecodeError:
        return None
    return longer


def _open(text: str, key: str) -> tuple[TOMLDocument, MutableMapping[str, object]]:
    document = _kit().parse(text)
    return document, cast("MutableMapping[str, object]", document[key])


def _kit() -> Any:
    try:
        import tomlkit
    except ImportError as error:
        raise MissingExtraError("changing TOML settings", "mcp") from error
    return tomlkit
