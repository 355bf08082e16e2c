"""Runs a page's blocks from top to bottom, as a reader would.

Commands run in a copy of the project, so that what they write stays there. The Python
blocks of a page share one interpreter, and so one set of names.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from doc_pages import Block

SHELL = frozenset({"sh", "bash", "shell"})
COMMANDS = "console"
PYTHON = "python"
RUN = SHELL | {COMMANDS, PYTHON}

_PROMPT = "$ "
_INTERPRETER = Path(__file__).with_name("doc_interpreter.py")


def is_run(block: Block) -> bool:
    """Whether a block is run, rather than shown or excused."""
    return block.language in RUN and block.reason is None


class BlockFailedError(AssertionError):
    """A block does not do what its page says."""


class Session:
    """Runs blocks in one folder."""

    def __init__(
        self, folder: Path, home: Path, python: Path = Path(sys.executable)
    ) -> None:
        self._folder = folder
        self._interpreter = python
        self._environment = _environment(home, python.parent)
        self._python: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._python is not None:
            self._python.communicate(timeout=20)  # the end of its input ends it

    def run(self, block: Block) -> None:
        """Run one block and compare what it prints with what the page shows."""
        if block.language == PYTHON:
            self._run_python(block)
        elif block.language == COMMANDS:
            for command, expected in console_commands(block.source):
                printed = self._run_shell(block, command, "-u")
                _compare(block, expected, printed)
        else:
            self._run_shell(block, block.source, "-eu")

    def _run_shell(self, block: Block, command: str, flags: str) -> str:
        with tempfile.TemporaryFile("w+", encoding="utf-8") as output:
            process = subprocess.Popen(
                ["bash", flags, "-c", command],
                cwd=self._folder,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            code = process.wait()
            with contextlib.suppress(ProcessLookupError):  # what it left running
                os.killpg(process.pid, signal.SIGTERM)
            output.seek(0)
            printed = output.read()
        if code:
            raise BlockFailedError(f"{block}: exit code {code}: {command}\n{printed}")
        return printed

    def _run_python(self, block: Block) -> None:
        if self._python is None:
            self._python = subprocess.Popen(
                [str(self._interpreter), str(_INTERPRETER)],
                cwd=self._folder,
                env=self._environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                encoding="utf-8",
            )
        python = self._python
        assert python.stdin
        assert python.stdout
        request = {"name": str(block.page), "line": block.line, "code": block.source}
        python.stdin.write(json.dumps(request) + "\n")
        python.stdin.flush()
        answer = json.loads(python.stdout.readline() or '{"error": "it ended"}')
        if answer.get("error"):
            raise BlockFailedError(f"{block}:\n{answer['error']}")
        if block.output is not None:
            _compare(block, block.output, answer["printed"])


def console_commands(source: str) -> list[tuple[str, str]]:
    """The commands of a console block, each with the output shown below it."""
    commands: list[tuple[str, str]] = []
    for line in source.splitlines():
        if line.startswith(_PROMPT):
            commands.append((line.removeprefix(_PROMPT), ""))
        elif commands and commands[-1][0].endswith("\\") and not commands[-1][1]:
            commands[-1] = (f"{commands[-1][0]}\n{line}", "")
        elif commands:
            commands[-1] = (commands[-1][0], f"{commands[-1][1]}{line}\n")
        else:
            raise BlockFailedError(f"a console block has to start with $: {line!r}")
    return commands


def matches(expected: str, printed: str) -> bool:
    """Whether an output is as shown; a line `...` stands for any lines."""
    pattern = "".join(
        r"(?:.*\n)*?" if line.strip() == "..." else re.escape(line.rstrip()) + "\n"
        for line in expected.rstrip().splitlines()
    )
    lines = [line.rstrip() + "\n" for line in printed.rstrip().splitlines()]
    return re.fullmatch(pattern, "".join(lines)) is not None


def _compare(block: Block, expected: str, printed: str) -> None:
    if expected.strip() and not matches(expected, printed):
        raise BlockFailedError(
            f"{block}: shown:\n{expected}\nbut it printed:\n{printed}"
        )


def _environment(home: Path, commands: Path) -> dict[str, str]:
    """A plain environment: our commands first, no settings of the user's own."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("OUTCROP_", "OPENAI_", "PYTEST_", "NO_COLOR"))
    }
    return {
        **kept,
        "COLUMNS": "80",
        "HOME": str(home),
        "LC_ALL": "C.UTF-8",
        "PIP_NO_INDEX": "1",  # a page must not change the environment it runs in
        "PATH": f"{commands}{os.pathsep}{os.environ['PATH']}",
        "PYTHONWARNINGS": "error",
    }
