"""Metrics for Prometheus."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING
from urllib.parse import quote

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

if TYPE_CHECKING:
    from pathlib import Path

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from outcrop.thread_gate import ThreadGate

_log = logging.getLogger(__name__)

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
_MAX_PATH_CHARS = 300
_METHODS = frozenset(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])


class Metrics:
    """Counts of one application, in a registry of its own.

    The workers of a server keep their counts in files of one folder, so that each can
    return those of all. `prometheus_client` uses such files if PROMETHEUS_MULTIPROC_DIR
    names the folder before it is imported.
    """

    def __init__(self, folder: Path | None = None) -> None:
        """Start to count, in a folder that all workers of the server have, if any."""
        self._folder = folder
        self._gates: list[ThreadGate] = []
        self.registry = CollectorRegistry()
        self._requests = Counter(
            "outcrop_http_requests",
            "Requests answered, by route and status.",
            ["method", "route", "status"],
            registry=self.registry,
        )
        self._seconds = Histogram(
            "outcrop_http_request_seconds",
            "Time to the end of the answer, by route.",
            ["method", "route"],
            buckets=_BUCKETS,
            registry=self.registry,
        )
        self._running = Gauge(
            "outcrop_running",
            "Pieces of work that run now, by gate.",
            ["gate"],
            registry=self.registry,
            multiprocess_mode="livesum",
        )
        self._waiting = Gauge(
            "outcrop_waiting",
            "Requests that wait for a slot, by gate.",
            ["gate"],
            registry=self.registry,
            multiprocess_mode="livesum",
        )

    def watch(self, gate: ThreadGate) -> None:
        """Expose the load of a gate."""
        self._gates.append(gate)

    def update(self) -> None:
        """Record the load of the gates now."""
        for gate in self._gates:
            self._running.labels(gate.name).set(gate.running)
            self._waiting.labels(gate.name).set(gate.waiting)

    def note(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count one answer."""
        method = method if method in _METHODS else "other"
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(method, route).observe(seconds)

    def render(self) -> bytes:
        """Return everything in the format of Prometheus."""
        self.update()
        if self._folder is None:
            return generate_latest(self.registry)
        together = CollectorRegistry()
        MultiProcessCollector(together, str(self._folder))  # type: ignore[no-untyped-call]
        return generate_latest(together)


def forget_worker(pid: int, folder: Path) -> None:
    """Drop the load of a worker that has ended; what it counted stays."""
    mark_process_dead(pid, str(folder))  # type: ignore[no-untyped-call]


class RequestCounter:
    """Counts every answer of an application."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and count its answer."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started, status = time.perf_counter(), 500

        async def send_noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, send_noting)
        finally:
            seconds = time.perf_counter() - started
            route = _route_of(scope)
            self._metrics.note(scope["method"], route, status, seconds)
            _log_request(scope, status, seconds)


def _log_request(scope: Scope, status: int, seconds: float) -> None:
    """Log a request without its query, which may be private."""
    path = quote(scope["path"][:_MAX_PATH_CHARS])
    _log.info("%s %s %d %.0f ms", scope["method"], path, status, seconds * 1000)


def _route_of(scope: Scope) -> str:
    """Return the pattern of the route that answered; paths would be unbounded."""
    route = scope.get("route")
    return str(getattr(route, "path", "")) or "other"
