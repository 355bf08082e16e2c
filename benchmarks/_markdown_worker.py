"""One tool in a process of its own: questions come in, answers go out, as JSON lines.

    python benchmarks/_markdown_worker.py TOOL

Time is the CPU time of this process around the tool's own call. Memory is how far the
process grew, at its peak, from just before the document existed to the moment the
result was complete, so the document itself is counted.
"""

from __future__ import annotations

import gc
import json
import os
import platform
import resource
import sys
from importlib.metadata import version
from math import ceil
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Any, TextIO

from _markdown_shapes import SHAPES
from _markdown_tools import TOOLS, Tool, count_inside_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_STATUS = Path("/proc/self/status")
_MEMORY_LIMIT = 12 << 30
_WARM_UP = "# Title\n\nSome text. More text.\n\n- item\n\n| a |\n|---|\n| b |\n"


def read_folder(folder: str) -> Iterator[tuple[str, str]]:
    """Name and text of each Markdown file, line ends untouched."""
    root = Path(folder)
    for path in sorted(root.rglob("*.md")):
        yield path.relative_to(root).as_posix(), path.read_bytes().decode("utf-8")


def memory_now(field: str) -> int:
    """Resident bytes: `VmRSS` of the moment, or `VmHWM` at the peak so far."""
    if _STATUS.exists():
        for line in _STATUS.read_text("ascii").splitlines():
            if line.startswith(field):
                return int(line.split()[1]) << 10
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak << 10


class Bench:
    """Answers questions about one tool."""

    def __init__(self, tool: Tool) -> None:
        self._tool = tool
        self._folders: dict[str, list[tuple[str, str]]] = {}

    def answer(self, question: dict[str, Any]) -> dict[str, Any]:
        """Do what is asked."""
        ask: Callable[..., dict[str, Any]] = getattr(self, question.pop("ask"))
        return ask(**question)

    def versions(self) -> dict[str, Any]:
        """What is measured, provided that it works at all."""
        self._cut(1000)
        return {
            "python": platform.python_version(),
            "version": version(self._tool.package),
        }

    def corpus(self, folder: str, limit: int) -> dict[str, Any]:
        """Cut every file of a folder once."""
        cut = self._cut(limit)
        texts = self._texts(folder)
        chunks = crashes = 0
        gc.collect()
        started = process_time()
        for _, text in texts:
            try:
                chunks += len(cut(text))
            except Exception:  # noqa: BLE001 - a peer may raise anything
                crashes += 1
        seconds = process_time() - started
        size = sum(len(text.encode()) for _, text in texts)
        return {"cpu": seconds, "bytes": size, "chunks": chunks, "crashes": crashes}

    def shape(
        self, name: str, factor: int, limit: int, seconds: float
    ) -> dict[str, Any]:
        """Cut one document of a shape; to be asked of a fresh process.

        The process dies where that takes more CPU time than given: a tool deep in
        native code would not notice a signal it could handle.
        """
        cut = self._cut(limit)
        most = ceil(process_time() + seconds)
        resource.setrlimit(resource.RLIMIT_CPU, (most, most))
        gc.collect()
        before = memory_now("VmRSS")
        text = SHAPES[name].make(factor)
        started = process_time()
        result = cut(text)
        seconds = process_time() - started
        peak = memory_now("VmHWM") - before
        size = len(text.encode())
        return {"cpu": seconds, "bytes": size, "chunks": len(result), "peak": peak}

    def records(self, folder: str, limit: int, out: str) -> dict[str, Any]:
        """Write what the defect counter reads: one line a file."""
        cut, describe = self._cut(limit), self._tool.describe
        inside = 0
        if describe is None:
            raise ValueError(f"the defects of {self._tool.name} are not counted")
        with Path(out).open("w", encoding="utf-8") as lines:
            for name, text in self._texts(folder):
                error, found = None, None
                try:
                    found = describe(text, cut(text))
                    inside += count_inside_lines(text, found)
                except Exception as exc:  # noqa: BLE001 - counted as a crash
                    error = f"{type(exc).__name__}: {exc}"[:200]
                row = {"file": name, "err": error, "chunks": found}
                lines.write(json.dumps(row) + "\n")
        return {"inside_lines": inside}

    def _cut(self, limit: int) -> Callable[[str], Any]:
        cut = self._tool.make(limit)
        cut(_WARM_UP)
        return cut

    def _texts(self, folder: str) -> list[tuple[str, str]]:
        if folder not in self._folders:
            self._folders[folder] = list(read_folder(folder))
        return self._folders[folder]


def _private_output() -> TextIO:
    """The pipe to the asker; whatever a tool prints goes to standard error instead."""
    pipe = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return pipe


def main() -> None:
    # This folder must not shadow a package that a tool imports, such as `markdown`.
    sys.path.pop(0)
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_LIMIT, _MEMORY_LIMIT))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    bench = Bench(TOOLS[sys.argv[1]])
    answers = _private_output()
    for line in sys.stdin:
        try:
            answer = bench.answer(json.loads(line))
        except (Exception, SystemExit) as exc:  # noqa: BLE001 - the asker decides
            answer = {"error": f"{type(exc).__name__}: {exc}"[:300]}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
