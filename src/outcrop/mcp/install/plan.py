"""How to add a server to a client or remove it: by a command, or by editing a file.

The client's own command is preferred, for it knows the client's settings best. It would
overwrite an entry that exists, so that one is edited in its file, where the fields that
the user added are kept.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from outcrop.errors import InputError
from outcrop.mcp.install.settings import with_entry

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from outcrop.mcp.install.clients import Client, Scope
    from outcrop.mcp.install.settings import Entry

_MARK = b"\xef\xbb\xbf"  # the byte order mark that some editors write
_MAX_BYTES = 20_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A change to one file."""

    question: ClassVar[str] = "Write this?"

    path: Path  # the file as the client names it
    before: bytes | None  # its content; None where there is no such file
    after: bytes  # its new content

    @property
    def is_needed(self) -> bool:
        """Whether the new content differs."""
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

    def carry_out(self) -> list[str]:
        """Write the file; return what to tell the user."""
        backup = self.write()
        lines = [f"written: {self.path}"]
        if backup is not None:
            lines.append(f"the old file is {backup}")
        return lines

    def write(self) -> Path | None:
        """Write the file atomically; a symbolic link stays one.

        Returns:
            The backup of the old file, or None where there was none.

        Raises:
            InputError: The file changed meanwhile, or cannot be written.
        """
        if _read(self.path) != self.before:
            raise InputError(
                f"{self.path}: the file changed meanwhile; run the command again"
            )
        try:
            target = self.path.resolve()
            target.parent.mkdir(parents=True, exist_ok=True)
            backup = None
            if self.before is not None:
                backup = _back_up(target, self.before)
            _replace(target, self.after)
        except (OSError, RuntimeError) as error:
            raise InputError(f"{self.path}: cannot be written: {error}") from error
        return backup


def plan_change(path: Path, client: Client, name: str, entry: Entry | None) -> Change:
    """Plan to set a server in a client's settings or, where it is None, to remove it.

    Raises:
        InputError: The file cannot be read or changed; the message says why, and what
            to write by hand.
    """
    before = _read(path)
    mark = _MARK if before is not None and before.startswith(_MARK) else b""
    try:
        text = (before or b"")[len(mark) :].decode()
        edited = _edit(text, client, name, entry)
    except UnicodeDecodeError as error:
        refusal = InputError("is not UTF-8")
        raise _by_hand(path, client, name, entry, refusal) from error
    except InputError as error:
        raise _by_hand(path, client, name, entry, error) from error
    return Change(path=path, before=before, after=mark + edited.encode())


def has_entry(path: Path, client: Client, name: str) -> bool | None:
    """Return whether a settings file has an entry; None where it cannot be read."""
    try:
        text = (_read(path) or b"").removeprefix(_MARK).decode()
        servers = client.format.read(text).get(client.key, {})
    except (InputError, UnicodeDecodeError):
        return None
    return isinstance(servers, dict) and name in servers


def _edit(text: str, client: Client, name: str, entry: Entry | None) -> str:
    expected = with_entry(client.format.read(text), client.key, name, entry)
    edited = client.format.edit(text, client.key, name, entry)
    # An edit must never damage what belongs to the user, so its result is read again.
    if _filled(client.format.read(edited), client.key) != _filled(expected, client.key):
        raise InputError("cannot be changed safely")
    return edited


def _by_hand(
    path: Path, client: Client, name: str, entry: Entry | None, error: InputError
) -> InputError:
    if entry is None:
        task = f"remove {name!r} from {client.key!r} by hand"
    else:
        fragment = client.format.fragment(client.key, name, entry)
        task = f"add this by hand: {fragment}"
    return InputError(f"{path}: the file {error}; {task}")


def _filled(data: dict[str, Any], key: str) -> dict[str, Any]:
    """Return data without the table of servers if that is empty."""
    return {name: value for name, value in data.items() if name != key or value}


def _read(path: Path) -> bytes | None:
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    if len(data) > _MAX_BYTES:
        raise InputError(f"{path}: larger than {_MAX_BYTES:,} bytes; change it by hand")
    return data


def _back_up(target: Path, data: bytes) -> Path:
    """Write the old content beside the file, under an unused name."""
    number = 0
    while True:
        number += 1
        ending = ".bak" if number == 1 else f".bak{number}"
        backup = target.with_name(target.name + ending)
        try:
            # Readable by its owner alone from the start: settings may hold secrets.
            descriptor = os.open(backup, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            continue
        _fill_or_drop(descriptor, backup, data, like=target)
        return backup


def _replace(target: Path, data: bytes) -> None:
    """Write a file beside the target and, when it is complete, rename it."""
    descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    _fill_or_drop(descriptor, Path(name), data, like=target)
    Path(name).replace(target)


def _fill_or_drop(descriptor: int, path: Path, data: bytes, *, like: Path) -> None:
    """Write a new file, and delete it if that fails."""
    try:
        _fill(descriptor, data, like=like)
    except BaseException:
        with suppress(OSError):
            path.unlink()
        raise


def _fill(descriptor: int, data: bytes, *, like: Path) -> None:
    """Write a new file to disk, with the mode and owner of another one."""
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(descriptor)
        if sys.platform != "win32":
            _copy_owner_and_mode(descriptor, like)


def _copy_owner_and_mode(descriptor: int, like: Path) -> None:
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


_MAX_SECONDS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientCommand:
    """A command line of a client."""

    question: ClassVar[str] = "Run this?"
    is_needed: ClassVar[bool] = True

    arguments: Sequence[str]  # the name of the program and its arguments
    program: str  # the program's path
    folder: Path  # the project, in which it is run

    def show(self) -> str:
        """Return the command line as a shell takes it."""
        return f"{self.folder}$ {shlex.join(self.arguments)}"

    def carry_out(self) -> list[str]:
        """Run the command; return what to tell the user.

        Raises:
            InputError: It cannot be run or fails; the message holds its output.
        """
        try:
            done = subprocess.run(  # noqa: S603 - shown to the user, who agreed
                [self.program, *self.arguments[1:]],
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=_MAX_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise InputError(f"{self.program}: cannot be run: {error}") from error
        output = done.stdout.decode(errors="replace").strip()
        if done.returncode:
            raise InputError(
                f"{self.program} failed with exit code {done.returncode}: {output}"
            )
        return output.splitlines()


Step = Change | ClientCommand


def _find_command(
    arguments: Sequence[str] | None, folder: Path
) -> ClientCommand | None:
    """Return a command if the client has one and it is on the PATH."""
    program = shutil.which(arguments[0]) if arguments else None
    if arguments is None or program is None:
        return None
    return ClientCommand(arguments=arguments, program=program, folder=folder)


def plan_install(
    client: Client, scope: Scope, folder: Path, name: str, entry: Entry
) -> Step:
    """Plan to add a server under a name to a client, or to update it there.

    Raises:
        ConfigError: The client has no settings for this scope.
        InputError: Its settings file cannot be read or changed.
    """
    path = client.find_file(scope, folder)
    command = _find_command(client.add_command(scope, name, entry), folder)
    if command is not None and not has_entry(path, client, name):
        return command
    return plan_change(path, client, name, entry)


def plan_uninstall(client: Client, scope: Scope, folder: Path, name: str) -> Step:
    """Plan to remove a server from a client; see `plan_install`."""
    path = client.find_file(scope, folder)
    command = _find_command(client.remove_command(scope, name), folder)
    if command is not None and has_entry(path, client, name) is not False:
        return command
    return plan_change(path, client, name, None)
