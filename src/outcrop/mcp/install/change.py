"""A change to a settings file: planned, shown, and then written in one step."""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from difflib import unified_diff
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from outcrop.errors import InputError
from outcrop.mcp.install import json_text, toml_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from outcrop.mcp.install.clients import Client, Entry

_MARK = b"\xef\xbb\xbf"  # a byte order mark, which some editors write
_LARGEST = 20_000_000  # bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What is to become of a file.

    Attributes:
        path: The file as the client names it.
        before: What is in it; None where there is no such file.
        after: What is to be in it.
    """

    path: Path
    before: bytes | None
    after: bytes

    @property
    def is_needed(self) -> bool:
        """Whether anything is different."""
        return self.after != (self.before or b"")

    def show(self) -> str:
        """Return the change as a diff."""
        before, after = (self.before or b"").decode(), self.after.decode()
        name = str(self.path)
        if self.path.is_symlink():
            name += f" -> {os.path.realpath(self.path)}"
        lines = unified_diff(
            before.splitlines(),
            after.splitlines(),
            fromfile=name if self.before is not None else f"{name} (no such file)",
            tofile=name,
            lineterm="",
        )
        return "\n".join(lines)


def plan_install(path: Path, client: Client, name: str, entry: Entry) -> Change:
    """Plan to put a server into a client's settings, or to change it there.

    Raises:
        InputError: The file cannot be read or changed; the message says why.
    """

    def expect(data: dict[str, Any]) -> None:
        servers = data.setdefault(client.key, {})
        there = servers.get(name)
        # What the user added to it, an environment say, stays.
        servers[name] = {**there, **entry} if isinstance(there, dict) else entry

    form = toml_text if client.is_toml else json_text
    edit = partial(form.set_entry, key=client.key, name=name, entry=entry)
    return _plan(path, client, edit, expect)


def plan_uninstall(path: Path, client: Client, name: str) -> Change:
    """Plan to take a server out of a client's settings.

    Raises:
        InputError: The file cannot be read or changed; the message says why.
    """

    def expect(data: dict[str, Any]) -> None:
        servers = data.get(client.key)
        if isinstance(servers, dict):
            servers.pop(name, None)

    form = toml_text if client.is_toml else json_text
    edit = partial(form.remove_entry, key=client.key, name=name)
    return _plan(path, client, edit, expect)


def _plan(
    path: Path,
    client: Client,
    edit: Callable[[str], str],
    expect: Callable[[dict[str, Any]], None],
) -> Change:
    read = toml_text.read_data if client.is_toml else json_text.read_data
    before = _read(path)
    mark = _MARK if before is not None and before.startswith(_MARK) else b""
    try:
        text = (before or b"")[len(mark) :].decode()
        expected = deepcopy(read(text))
        edited = edit(text)
        expect(expected)
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: it is not UTF-8; change it by hand") from error
    except InputError as error:
        raise InputError(f"{path}: {error}; mend it, or change it by hand") from error
    # The one thing that must never happen is to break what is the user's own.
    if _filled(read(edited), client.key) != _filled(expected, client.key):
        raise InputError(f"{path}: it cannot be changed safely; change it by hand")
    return Change(path=path, before=before, after=mark + edited.encode())


def _filled(data: dict[str, Any], key: str) -> dict[str, Any]:
    """Return data in which no servers at all and an empty list of them are the same."""
    return {name: value for name, value in data.items() if name != key or value}


def apply_change(change: Change) -> Path | None:
    """Write a change, whole or not at all; a link stays a link.

    Returns:
        Where the old file is kept, or None where there was none.

    Raises:
        InputError: The file changed meanwhile, or cannot be written.
    """
    if _read(change.path) != change.before:
        raise InputError(f"{change.path}: it changed meanwhile; run the command again")
    try:
        target = change.path.resolve()
        target.parent.mkdir(parents=True, exist_ok=True)
        backup = None
        if change.before is not None:
            backup = _keep(target, change.before)
        _replace(target, change.after)
    except (OSError, RuntimeError) as error:
        raise InputError(f"{change.path}: it cannot be written: {error}") from error
    return backup


def _read(path: Path) -> bytes | None:
    try:
        with path.open("rb") as file:
            data = file.read(_LARGEST + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(f"{path}: it cannot be read: {error.strerror}") from error
    if len(data) > _LARGEST:
        raise InputError(f"{path}: it is too large for settings; change it by hand")
    return data


def _keep(target: Path, data: bytes) -> Path:
    """Write the old file beside it, under a name that is free."""
    number = 0
    while True:
        number += 1
        ending = ".bak" if number == 1 else f".bak{number}"
        backup = target.with_name(target.name + ending)
        try:
            # Closed to others from the start: settings may hold secrets.
            descriptor = os.open(backup, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            continue
        _fill_or_drop(descriptor, backup, data, like=target)
        return backup


def _replace(target: Path, data: bytes) -> None:
    """Write a file beside the target, and put it in its place when it is complete."""
    descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    _fill_or_drop(descriptor, Path(name), data, like=target)
    Path(name).replace(target)


def _fill_or_drop(descriptor: int, path: Path, data: bytes, *, like: Path) -> None:
    """Write a new file; half of one is not left behind."""
    try:
        _fill(descriptor, data, like=like)
    except BaseException:
        with suppress(OSError):
            path.unlink()
        raise


def _fill(descriptor: int, data: bytes, *, like: Path) -> None:
    """Write a new file out to the disk, with the mode and owner of another one."""
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(descriptor)
        if sys.platform != "win32":
            _resemble(descriptor, like)


def _resemble(descriptor: int, like: Path) -> None:
    try:
        model = like.stat()
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        os.fchmod(descriptor, 0o666 & ~mask)
        return
    with suppress(OSError):  # only root may
        os.fchown(descriptor, model.st_uid, model.st_gid)
    os.fchmod(descriptor, model.st_mode & 0o7777)
