"""A Ray cluster of two nodes on the loopback interface, and commands that use it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
import psycopg
from psycopg import sql
from ray.cluster_utils import Cluster

if TYPE_CHECKING:
    from collections.abc import Callable

_STORE_BYTES = 80_000_000
# Read by the interpreter of every process of the cluster. Workers are slow, so that
# there is time to end something, and one document ends its worker.
_CUSTOMIZE = """
import sys
if "outcrop.process_pool" in sys.orig_argv[-1]:
    import os, time
    import outcrop.indexing.documents.prepare as files
    real = files.prepare_bytes
    def prepare(task, data, config):
        if task.path.endswith("poison.md"):
            os._exit(3)
        if "slow" in task.path:
            time.sleep(0.3)
        return real(task, data, config)
    files.prepare_bytes = prepare
"""


class TwoNodes:
    """Two nodes with a processor each."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="oc-ray-", dir="/tmp"))
        (self.folder / "path").mkdir()
        (self.folder / "path" / "sitecustomize.py").write_text(_CUSTOMIZE)
        here = Path(__file__).parents[1]
        paths = [str(self.folder / "path"), str(here), os.environ.get("PYTHONPATH", "")]
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
        # Ray notes the address of the last cluster here, whatever its folder is, and
        # expects the folder to exist.
        os.environ["RAY_TMPDIR"] = str(self.folder)
        (self.folder / "ray").mkdir()
        self._cluster = Cluster()
        # A GPU in name: Ray deals it out, and nothing uses it.
        self._add(temp_dir=str(self.folder), include_dashboard=False, num_gpus=1)
        self.second = self._add()

    def _add(self, **given: Any) -> Any:
        return self._cluster.add_node(
            num_cpus=1,
            object_store_memory=_STORE_BYTES,
            node_ip_address="127.0.0.1",
            **given,
        )

    @property
    def address(self) -> str:
        return str(self._cluster.address)

    def second_is_working(self) -> bool:
        """Return whether a worker of a task runs on the second node."""
        children = self._second_processes()
        return any("outcrop.process_pool" in _command(each) for each in children)

    def _second_processes(self) -> list[psutil.Process]:
        pid = self.second.all_processes["raylet"][0].process.pid
        raylet = psutil.Process(pid)
        return [*raylet.children(recursive=True), raylet]

    def kill_second(self) -> None:
        """End the second node and every process on it at once, as a power cut does."""
        for process in self._second_processes():
            try:
                process.kill()
            except psutil.NoSuchProcess:
                continue
        self._cluster.remove_node(self.second, allow_graceful=False)

    def stop(self) -> None:
        self._cluster.shutdown()
        shutil.rmtree(self.folder, ignore_errors=True)

    def log_texts(self) -> list[str]:
        """Return what the cluster has written into its logs."""
        files = [
            f for f in self.folder.rglob("*") if f.is_file() and "path" not in f.parts
        ]
        return [file.read_text(errors="replace") for file in files]


def start_index(project: Path, url: str, address: str) -> subprocess.Popen[str]:
    """Start the command that indexes a project on a cluster."""
    command = [sys.executable, "-m", "outcrop", "index", str(project), "--project"]
    command += [str(project), "--engine", "ray", "--address", address]
    return subprocess.Popen(
        command,
        env={**os.environ, "OUTCROP_DATABASE_URL": url},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def wait_for(process: subprocess.Popen[str], seconds: float = 150) -> str:
    """Wait until a command has succeeded; return what it printed."""
    try:
        output, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    assert process.returncode == 0, output
    return output


def count_documents(url: str) -> int:
    """Return how many documents the only index in a database has."""
    with psycopg.connect(url) as connection:
        return _count(connection)


def wait_until(holds: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    """Wait until something holds while a command runs."""
    deadline = time.monotonic() + 60
    while not holds():
        assert process.poll() is None, process.communicate()[0]
        assert time.monotonic() < deadline, "it does not come to that"
        time.sleep(0.02)


def _command(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""


def _count(connection: psycopg.Connection[Any]) -> int:
    tables = connection.execute(
        "SELECT schemaname FROM pg_tables WHERE tablename = 'documents'"
    ).fetchall()
    if not tables:
        return 0
    count = sql.SQL("SELECT count(*) FROM {}.documents")
    row = connection.execute(count.format(sql.Identifier(tables[0][0]))).fetchone()
    return row[0] if row else 0
