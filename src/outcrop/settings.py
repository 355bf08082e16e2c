"""The settings file of a project: `outcrop.toml`, or `[tool.outcrop]` in pyproject.toml.

It is found from the project's folder upwards, as far as the repository that holds it.
Every value is returned with the line that it is on, for messages that say where to
change it. What keys mean is decided by those who read them.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from outcrop.errors import ConfigError
from outcrop.regular_file import read_regular_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

INDEX_FOLDER = ".outcrop"
FILE_NAME = "outcrop.toml"
_PYPROJECT = "pyproject.toml"
_TABLE = ("tool", "outcrop")
# What may hold a line end or a bracket, and these themselves.
_TOKEN = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}|"(?:\\.|[^"\\])*"'
    r"|'''.*?'{3,5}|'[^']*'|\#[^\n]*|[\[\]{}\n]",
    re.DOTALL,
)

Key = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One value of a settings file."""

    value: Any  # the value, as TOML has it
    path: Path
    line: int  # the line of its key, from 1

    @property
    def place(self) -> str:
        """The file and the line, for messages."""
        return f"{self.path}:{self.line}"


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsFile:
    """The settings file of a project."""

    path: Path
    settings: Mapping[Key, Setting]  # every value by its key: `("index", "max-tokens")`


def find_project(start: Path) -> Path:
    """Return the nearest folder, from `start` upwards, with an index; else `start`."""
    folder = start.resolve()
    for around in (folder, *folder.parents):
        if (around / INDEX_FOLDER).is_dir():
            return around
    return folder


def find_settings(folder: Path) -> SettingsFile | None:
    """Return the settings file of a project, or None if it has no such file.

    In one folder, `outcrop.toml` is preferred to `pyproject.toml`.

    Raises:
        ConfigError: The file cannot be read, or is not valid TOML.
    """
    folder = folder.resolve()
    for around in (folder, *folder.parents):
        found = _read(around / FILE_NAME, ()) or _read(around / _PYPROJECT, _TABLE)
        if found is not None:
            return found
        if (around / ".git").exists():
            break
    return None


def _read(path: Path, table: Key) -> SettingsFile | None:
    """Read a file; None if it does not exist or does not have the table."""
    try:
        text = read_regular_text(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{path}:{line}: not UTF-8; convert the file") from error
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise ConfigError(f"{path}: {reason}") from error
    if table and table[-1] not in text:
        return None
    try:
        values: Any = tomllib.loads(text)
        for part in table:
            if part not in values:
                return None
            values = values[part]
        return SettingsFile(path=path, settings=_locate(path, text, table))
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: not valid TOML: {error}") from error
    except RecursionError as error:
        raise ConfigError(f"{path}: not valid TOML: nested too deeply") from error


def _locate(path: Path, text: str, table: Key) -> dict[Key, Setting]:
    """Return the values below a table, with their lines."""
    located = {}
    for line, key, value in _statements(text):
        if key[: len(table)] == table and len(key) > len(table):
            located[key[len(table) :]] = Setting(value=value, path=path, line=line)
    return located


def _statements(text: str) -> Iterator[tuple[int, Key, Any]]:
    """Yield each value of a valid file, with the line it starts on and its full key.

    A header or an assignment is valid TOML by itself; the parser does not tell lines.
    """
    above: Key = ()
    number = 1
    for statement in _split(text):
        start, number = number, number + statement.count("\n")
        parsed = tomllib.loads(statement)
        if statement.lstrip().startswith("["):
            above = _header(parsed)
            yield start, above, {}
        else:
            yield from ((start, above + key, value) for key, value in _leaves(parsed))


def _split(text: str) -> Iterator[str]:
    """Split a valid file after each line end that is in no string and no brackets."""
    start = depth = 0
    for token in _TOKEN.finditer(text):
        if token[0] in "[{":
            depth += 1
        elif token[0] in "]}":
            depth -= 1
        elif token[0] == "\n" and not depth:
            yield text[start : token.end()]
            start = token.end()
    yield text[start:]


def _header(parsed: Any) -> Key:
    """Return the key of a header: `[a.b]` or `[[a.b]]`."""
    key: list[str] = []
    while parsed:
        if isinstance(parsed, list):
            parsed = parsed[0]
            continue
        name, parsed = next(iter(parsed.items()))
        key.append(name)
    return tuple(key)


def _leaves(values: Mapping[str, Any], above: Key = ()) -> Iterator[tuple[Key, Any]]:
    for name, value in values.items():
        if isinstance(value, dict) and value:
            yield from _leaves(value, (*above, name))
        else:
            yield (*above, name), value
