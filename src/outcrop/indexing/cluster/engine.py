"""`Engine`: where the tasks of a run are done, as rows of a dataflow of Daft."""

from __future__ import annotations

import logging
import os
import pickle
import socket
from functools import partial
from math import ceil
from typing import TYPE_CHECKING, Any, Self

from outcrop.closeable import Closeable
from outcrop.errors import (
    ConfigError,
    InputError,
    MissingExtraError,
    OutcropError,
    describe_failure,
)
from outcrop.indexing.cluster.rows import Row, close_workers
from outcrop.indexing.cluster.run import ClusterRun
from outcrop.indexing.cluster.sources import Sources
from outcrop.indexing.cluster.storage import Storage, import_daft
from outcrop.store.address import URL_VARIABLE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from outcrop.store.database import DatabaseKey

    Function = Callable[[bytes, Sequence[Row]], list[bytes]]


class Dataflow:
    """Runs functions over rows.

    Attributes:
        slots: How many tasks run at a time.
        storage: Object storage.
    """

    def __init__(self, daft: Any, *, slots: int, is_ray: bool) -> None:
        """Use Daft, whose runner is set."""
        self.slots = slots
        self.storage = Storage.of_environment()
        self._daft = daft
        self._is_ray = is_ray

    def list_objects(self, glob: str) -> list[tuple[str, int]]:
        """Return the URLs and sizes of the objects that a glob matches.

        Raises:
            InputError: The storage cannot be read.
        """
        try:
            frame = self._daft.from_glob_path(glob, io_config=self.storage.io_config())
            found = frame.select("path", "size").to_pydict()
        except FileNotFoundError:
            return []
        except Exception as error:  # noqa: BLE001 - whatever the storage raises
            reason = describe_failure(error)
            raise InputError(f"{glob!r} cannot be read: {reason}") from None
        return list(zip(found["path"], found["size"], strict=True))

    def run(
        self,
        function: Function,
        argument: bytes,
        rows: Sequence[tuple[bytes, str | None]],
        *,
        rows_per_task: int,
        gpus: float = 0,
    ) -> Iterator[Any]:
        """Call a function with rows; yield its results, unpacked, as they are made.

        Args:
            function: What each task does.
            argument: Its first argument, the same for all.
            rows: The rows: a packed value, and the URL of an object to read for it.
            rows_per_task: How many rows it is called with.
            gpus: How many GPUs a call needs.
        """
        daft = self._daft
        binary, text = daft.DataType.binary(), daft.DataType.string()
        urls = [url for _, url in rows]
        frame = daft.from_pydict({"row": [row for row, _ in rows], "url": urls})
        if self._is_ray:
            frame = frame.into_partitions(ceil(len(rows) / rows_per_task))

        class Tasks:
            def __init__(self, argument: bytes) -> None:
                self._argument = argument

            @daft.method.batch(return_dtype=binary, batch_size=rows_per_task)  # type: ignore[untyped-decorator]
            def run(self, packed: Any, urls: Any, data: Any) -> list[bytes]:
                columns = (packed.to_pylist(), urls.to_pylist(), data.to_pylist())
                rows = [
                    Row(p, u is not None, d) for p, u, d in zip(*columns, strict=True)
                ]
                return function(self._argument, rows)

        # A task drives a process of its own: another one around it would be idle.
        tasks = daft.cls(Tasks, use_process=False, gpus=gpus)(argument)
        url = daft.col("url").cast(text)
        data = (
            url.download(on_error="null", io_config=self.storage.io_config())
            if any(urls)
            else url.cast(binary)
        )
        frame = frame.with_column("data", data)
        result = tasks.run(daft.col("row"), url, daft.col("data")).alias("result")
        for row in frame.select(result).iter_rows():
            if row["result"]:
                yield pickle.loads(row["result"])  # noqa: S301 - from our own task


ENGINES = ("daft", "ray")
_HERE = frozenset({"local", "localhost", "127.0.0.1", "::1"})


class Engine(Closeable):
    """Runs the tasks of index runs: Daft in this process, or on a Ray cluster.

    A process has one kind of engine: Daft cannot change from one to another.
    """

    def __init__(
        self, dataflow: Dataflow, hosts: Iterable[str], ray: Any = None
    ) -> None:
        """Prefer `open`."""
        self._dataflow = dataflow
        self._elsewhere = sorted(set(hosts) - {socket.gethostname()})
        self._ray = ray

    @classmethod
    def open(cls, name: str = "daft", *, address: str | None = None) -> Self:
        """Open an engine.

        Args:
            name: `daft` for this process and its workers, `ray` for a cluster.
            address: The head of a Ray cluster as host:port, or ray://host:port;
                without it the environment variable `RAY_ADDRESS` counts, and else Ray
                is started on this machine for the run.

        Raises:
            ConfigError: The engine is unknown, or has no address.
            MissingExtraError: The extra `cluster` is not installed.
            OutcropError: The cluster cannot be reached.
        """
        if name not in ENGINES:
            known = ", ".join(ENGINES)
            raise ConfigError(f"unknown engine {name!r}; choose one of: {known}")
        if address is not None and name != "ray":
            raise ConfigError("an address is of a Ray cluster; add --engine ray")
        daft = import_daft()
        if name == "daft":
            _choose_runner(daft, "native", daft.set_runner_native)
            slots = os.cpu_count() or 1
            return cls(Dataflow(daft, slots=slots, is_ray=False), [])
        ray = _connect(address or os.environ.get("RAY_ADDRESS"))
        _choose_runner(
            daft, "ray", partial(daft.set_runner_ray, noop_if_initialized=True)
        )
        hosts = [node["NodeManagerHostname"] for node in ray.nodes() if node["Alive"]]
        slots = max(1, int(ray.cluster_resources().get("CPU", 1)))
        return cls(Dataflow(daft, slots=slots, is_ray=True), hosts, ray)

    def check_database(self, key: DatabaseKey) -> None:
        """Reject a database that the other machines of a cluster cannot reach.

        Raises:
            ConfigError: It is embedded in the project, and there are other machines.
        """
        if key.url is None and self._elsewhere:
            raise _not_reachable(", ".join(self._elsewhere))

    def start(
        self,
        paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
        project: Path,
    ) -> ClusterRun:
        """Return a run over some paths, globs and URLs."""
        return ClusterRun(self._dataflow, Sources.read(paths, project))

    def close(self) -> None:
        """End the worker processes here, and leave the cluster."""
        close_workers()
        if self._ray is not None:
            self._ray.shutdown()


def check_address(address: str | None, database_url: str | None) -> None:
    """Reject another machine's cluster without a database that it can reach.

    Raises:
        ConfigError: The address is of another machine, and there is no URL.
    """
    address = address or os.environ.get("RAY_ADDRESS")
    if address is None or database_url is not None:
        return
    host = address.rpartition("://")[2].rpartition(":")[0] or address
    if host.strip("[]") not in _HERE:
        raise _not_reachable(address)


def _choose_runner(daft: Any, kind: str, choose: Callable[[], object]) -> None:
    """Choose how Daft runs, which it accepts once in a process."""
    from daft.runners import get_or_infer_runner_type

    try:
        choose()
    except daft.exceptions.DaftCoreException as error:
        if get_or_infer_runner_type() != kind:
            raise ConfigError(
                f"Daft already runs in another way than {kind!r} in this process;"
                " use another process"
            ) from error


def _not_reachable(place: str) -> ConfigError:
    return ConfigError(
        f"the cluster is on other machines ({place}), which cannot reach the embedded"
        f" database; set {URL_VARIABLE} or --database-url to a server that all of them"
        " can reach"
    )


def _connect(address: str | None) -> Any:
    if address is None:
        # Ray has this for systems whose firewall asks: it then listens on the loopback
        # interface alone.
        os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
    try:
        import ray
    except ImportError:
        raise MissingExtraError("indexing on Ray", "cluster") from None
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    if address is None:
        options |= {"address": "local", "include_dashboard": False}
    else:
        options["address"] = address
    try:
        ray.init(**options)
    except (ConnectionError, RuntimeError, ValueError, TimeoutError) as error:
        reason = describe_failure(error)
        place = "Ray cannot be started" if address is None else f"no Ray at {address}"
        raise OutcropError(f"{place}: {reason}") from None
    return ray
