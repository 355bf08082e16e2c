"""`Engine`: where the tasks of a run are done."""

from __future__ import annotations

import logging
import os
import socket
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from outcrop.closeable import Closeable
from outcrop.errors import (
    ConfigError,
    MissingExtraError,
    OutcropError,
    describe_failure,
)
from outcrop.indexing.cluster.dataflow import Dataflow
from outcrop.indexing.cluster.rows import close_workers
from outcrop.indexing.cluster.run import ClusterRun
from outcrop.indexing.cluster.sources import Sources
from outcrop.indexing.cluster.storage import import_daft
from outcrop.store.address import URL_VARIABLE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from outcrop.store.database import DatabaseKey

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
