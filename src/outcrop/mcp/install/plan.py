"""How to add a server to a client or remove it: by a command, or by editing a file.

The client's own command is preferred, for it knows the client's settings best. It would
overwrite an entry that exists, so that one is edited in its file, where the fields that
the user added are kept.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from outcrop.errors import InputError
from outcrop.mcp.install.change import Change, has_entry, plan_change

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from outcrop.mcp.install.clients import Client, Scope
    from outcrop.mcp.install.settings import Entry

_MAX_SECONDS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientCommand:
    """A command line of a client.

    Attributes:
        arguments: The name of the program and its arguments.
        program: The program's path.
        folder: The project, in which it is run.
    """

    question: ClassVar[str] = "Run this?"
    is_needed: ClassVar[bool] = True

    arguments: Sequence[str]
    program: str
    folder: Path

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
