"""The asking side of a worker process, which does not wait for ever."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from signal import Signals
from threading import Timer
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from types import TracebackType

_WORKER = Path(__file__).with_name("_markdown_worker.py")


class NoAnswerError(Exception):
    """A tool failed, died or took too long; the message says which."""


def _reason(code: int) -> str:
    return f"exit code {code}" if code >= 0 else Signals(-code).name


class Worker:
    """A tool in a process of its own, ended with the `with` block."""

    def __init__(self, python: Path, tool: str, seconds: float) -> None:
        self._seconds = seconds
        self._process = subprocess.Popen(
            [str(python), str(_WORKER), tool],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.kill()
        self._process.communicate()

    def ask(self, question: str, **arguments: Any) -> dict[str, Any]:
        """Give the answer to a question.

        Raises:
            NoAnswerError: If there is none in time.
        """
        timer = Timer(self._seconds, self._process.kill)
        timer.start()
        line = ""
        try:
            stdin, stdout = self._process.stdin, self._process.stdout
            if stdin is not None and stdout is not None:
                stdin.write(json.dumps({"ask": question, **arguments}) + "\n")
                stdin.flush()
                line = stdout.readline()
        except BrokenPipeError:
            pass
        finally:
            timer.cancel()
        if not line:
            code = self._process.wait()
            raise NoAnswerError(f"no answer, ended by {_reason(code)}")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise NoAnswerError(str(answer["error"]))
        return answer
