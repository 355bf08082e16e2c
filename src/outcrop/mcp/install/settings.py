"""One entry of a client's settings, set or removed in JSON or TOML text.

JSON is read and written by the standard library, which knows no comments: a file with
comments is refused rather than stripped of them. TOML keeps its comments and layout.
"""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any, Protocol

from outcrop.errors import InputError, MissingExtraError

Entry = dict[str, object]

_DEFAULT_INDENT = "  "
_FIRST_INDENT = re.compile(r"\n([ \t]+)\S")


class Format(Protocol):
    """A settings format: reading it, and changing one entry of it."""

    def read(self, text: str) -> dict[str, Any]:
        """Return the data, or raise InputError."""

    def edit(self, text: str, key: str, name: str, entry: Entry | None) -> str:
        """Set the entry below `key`, or remove it where `entry` is None."""

    def fragment(self, key: str, name: str, entry: Entry) -> str:
        """Return the entry on one line, to be pasted by hand."""


class JsonSettings:
    """Plain JSON, re-written with the file's own indentation and line ends."""

    def read(self, text: str) -> dict[str, Any]:
        """Return the data of an object; a blank text is an empty one."""
        if not text.strip():
            return {}
        try:
            data = json.loads(text, object_pairs_hook=_unique)
        except (ValueError, RecursionError) as error:
            raise InputError(f"cannot be read as plain JSON ({error})") from error
        if not isinstance(data, dict):
            raise InputError("is not a JSON object")
        return data

    def edit(self, text: str, key: str, name: str, entry: Entry | None) -> str:
        """Set or remove one entry."""
        data = self.read(text)
        changed = with_entry(data, key, name, entry)
        if changed == data:
            return text
        found = _FIRST_INDENT.search(text)
        try:
            dumped = json.dumps(
                changed,
                ensure_ascii=False,
                indent=found[1] if found else _DEFAULT_INDENT,
                allow_nan=False,
            )
            dumped.encode()
        except ValueError as error:  # a number or a character that JSON does not have
            raise InputError(f"cannot be written again ({error})") from error
        return _as_lines_of(text, dumped + "\n")

    def fragment(self, key: str, name: str, entry: Entry) -> str:
        """Return the members from `key` on."""
        return json.dumps({key: {name: entry}}, ensure_ascii=False)[1:-1]


class TomlSettings:
    """TOML, changed in place."""

    def read(self, text: str) -> dict[str, Any]:
        """Return the data."""
        try:
            return tomllib.loads(text)
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            raise InputError(f"cannot be read as TOML ({error})") from error

    def edit(self, text: str, key: str, name: str, entry: Entry | None) -> str:
        """Set or remove one entry."""
        data = self.read(text)
        if with_entry(data, key, name, entry) == data:
            return text
        kit = _tomlkit()
        try:
            document = kit.parse(text.replace("\r\n", "\n"))
            if entry is None:
                del document[key][name]
            else:
                _set_table(kit, document, key, name, entry)
            changed = document.as_string().rstrip("\n")
            return _as_lines_of(text, f"{changed}\n" if changed else "")
        except (kit.exceptions.TOMLKitError, ValueError, TypeError) as error:
            raise InputError(f"cannot be changed safely ({error})") from error

    def fragment(self, key: str, name: str, entry: Entry) -> str:
        """Return the entry with a dotted key."""
        kit = _tomlkit()
        table = kit.inline_table()
        table.update(entry)
        return f"{key}.{kit.key(name).as_string()} = {table.as_string()}"


def with_entry(
    data: dict[str, Any], key: str, name: str, entry: Entry | None
) -> dict[str, Any]:
    """Return the data with an entry set or, where it is None, removed.

    Fields that the user added to the entry, an environment for example, are kept.

    Raises:
        InputError: The value below `key` is not a table of servers.
    """
    servers = data.get(key, {})
    if not isinstance(servers, dict):
        raise InputError(f"{key!r} is not a table of servers")
    if entry is None:
        if name not in servers:
            return data
        return {**data, key: {n: v for n, v in servers.items() if n != name}}
    old = servers.get(name)
    merged = {**old, **entry} if isinstance(old, dict) else entry
    return {**data, key: {**servers, name: merged}}


def _set_table(kit: Any, document: Any, key: str, name: str, entry: Entry) -> None:
    if key not in document:
        document[key] = kit.table(is_super_table=True)
    servers = document[key]
    if not isinstance(servers.get(name), dict):
        servers[name] = _new_table(kit, servers, entry)
        return
    for field, value in entry.items():
        if servers[name].get(field) != value:
            servers[name][field] = value


def _new_table(kit: Any, servers: Any, entry: Entry) -> Any:
    is_inline = isinstance(servers, kit.items.InlineTable)
    table = kit.inline_table() if is_inline else kit.table()
    table.update(entry)
    if not is_inline:
        table.add(kit.nl())  # a blank line before the next table
    return table


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Reject an object with two members of one name: one would be lost."""
    data = dict(pairs)
    if len(data) != len(pairs):
        raise ValueError("two members of one object have the same name")
    return data


def _as_lines_of(text: str, changed: str) -> str:
    return changed.replace("\n", "\r\n") if "\r\n" in text else changed


def _tomlkit() -> Any:
    try:
        import tomlkit
    except ImportError as error:
        raise MissingExtraError("changing TOML settings", "mcp") from error
    return tomlkit
