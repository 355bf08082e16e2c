"""What every route uses: the index, the settings and the limits."""

from __future__ import annotations

from dataclasses import dataclass, field
from secrets import token_hex
from typing import TYPE_CHECKING, Annotated

from fastapi import Depends, Request

from outcrop.http.background import IndexRuns
from outcrop.http.guard import Guesses
from outcrop.http.metrics import Metrics
from outcrop.http.settings import ServerSettings
from outcrop.indexing.sharded import AnyIndex
from outcrop.thread_gate import ThreadGate

if TYPE_CHECKING:
    from outcrop.http.workers import SharedState


@dataclass(slots=True, kw_only=True)
class Service:
    """One open index, served.

    Attributes:
        index: The index.
        settings: Settings of the server.
        searches: Bounds searches.
        jobs: Bounds everything else that takes a thread.
        metrics: Counts.
        runs: Runs of the indexer that this server started.
        streams: Streams of events that are open now.
        session: Value of the session cookie, valid while this server runs and the same
            in all its workers. It cannot be derived from the token.
        header_guesses: Wrong tokens in headers.
        form_guesses: Wrong tokens in the page's form.
    """

    index: AnyIndex
    settings: ServerSettings
    searches: ThreadGate
    jobs: ThreadGate
    metrics: Metrics
    runs: IndexRuns
    session: str = field(repr=False)
    header_guesses: Guesses
    form_guesses: Guesses
    streams: int = 0

    @classmethod
    def make(
        cls,
        index: AnyIndex,
        settings: ServerSettings,
        shared: SharedState | None = None,
    ) -> Service:
        """Make the service of an index, alone or as one of several processes."""
        workers = 1 if shared is None else shared.workers
        run_lock = None if shared is None else shared.run_lock
        service = cls(
            index=index,
            settings=settings,
            searches=ThreadGate(
                "searches",
                slots=settings.max_searches,
                max_waiting=settings.max_waiting,
                max_seconds=settings.request_seconds,
            ),
            jobs=ThreadGate(
                "jobs",
                slots=settings.max_jobs,
                max_waiting=settings.max_waiting,
                max_seconds=settings.request_seconds,
            ),
            metrics=Metrics(None if shared is None else shared.metrics),
            runs=IndexRuns(index, settings.roots, run_lock),
            session=token_hex() if shared is None else shared.session,
            header_guesses=Guesses(workers=workers),
            form_guesses=Guesses(workers=workers),
        )
        service.metrics.watch(service.searches)
        service.metrics.watch(service.jobs)
        return service

    def close(self) -> None:
        """Start nothing new."""
        self.searches.close()
        self.jobs.close()
        self.runs.close()


def _service_of(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


Served = Annotated[Service, Depends(_service_of)]
