"""A worker as a process of its own, which can be held at a stage, killed or stopped.

Called with the database, the schema and JSON: `hold` names a stage to stop at for good,
`slow` says how long each batch takes, `deadly` is a text that kills whoever sees it. With
a `project` it runs the real stages on the files there.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from outcrop.model.stored import StageOutcome, StoredChunk
    from outcrop.pipeline.stage import Stage, StageContext

TESTS = Path(__file__).parents[2]


class WorkerProcess:
    """A running worker."""

    def __init__(
        self, target: str | Path, schema: str, options: dict[str, Any]
    ) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__, str(target), schema, json.dumps(options)],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(TESTS)},
        )

    def wait_for(self, line: str) -> None:
        """Wait until it says something."""
        assert self._process.stdout is not None
        for said in self._process.stdout:
            if said.strip() == line:
                return
        raise AssertionError(f"the worker ended without saying {line!r}")

    def signal(self, number: int) -> None:
        self._process.send_signal(number)

    def wait(self, seconds: float = 40) -> int:
        """Wait for its end; return its exit code."""
        self._process.communicate(timeout=seconds)
        return self._process.returncode

    def kill(self) -> None:
        self._process.kill()
        self._process.communicate(timeout=30)


@contextmanager
def worker_process(
    target: str | Path, schema: str, **options: Any
) -> Iterator[WorkerProcess]:
    """Start a worker and make sure that it is gone afterwards."""
    process = WorkerProcess(target, schema, options)
    try:
        yield process
    finally:
        process.kill()


class Watched:
    """A real stage, after which something may happen before it is written."""

    def __init__(
        self, stage: Stage, after: Callable[[str, Sequence[StoredChunk]], None]
    ) -> None:
        self.name = stage.name
        self._stage = stage
        self._after = after

    def run(
        self, batch: Sequence[StoredChunk], context: StageContext
    ) -> list[StageOutcome]:
        facts = self._stage.run(batch, context)
        self._after(self.name, batch)
        return facts


def main(target: str, schema: str, options: dict[str, Any]) -> None:
    from integration.pipeline.planned import QUICK, make_worker
    from integration.pipeline.projects import real_worker
    from outcrop.pipeline.stage import STAGES
    from outcrop.store.database import Database

    def say(line: str) -> None:
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()

    def trouble(stage: str, batch: Sequence[StoredChunk]) -> None:
        say(stage)
        if any(chunk.content == options.get("deadly") for chunk in batch):
            os.kill(os.getpid(), signal.SIGKILL)
        while stage == options.get("hold"):
            time.sleep(1)
        time.sleep(options.get("slow", 0))

    with Database.open(target, schema=schema) as database:
        if "project" in options:
            stages = {name: Watched(stage, trouble) for name, stage in STAGES.items()}
            project = Path(options["project"])
            worker = real_worker(database, project, stages=stages)
        else:
            worker = make_worker(database, trouble, QUICK)
        say("open")
        worker.run(until_idle=options.get("until_idle", True))
        say("interrupted" if worker.interrupted else "idle")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], json.loads(sys.argv[3]))
