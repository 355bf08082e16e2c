"""A client's own command for adding or removing a server."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from outcrop.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

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


def find_command(arguments: Sequence[str] | None, folder: Path) -> ClientCommand | None:
    """Return a command if the client has one and it is on the PATH."""
    program = shutil.which(arguments[0]) if arguments else None
    if arguments is None or program is None:
        return None
    return ClientCommand(arguments=arguments, program=program, folder=folder)
