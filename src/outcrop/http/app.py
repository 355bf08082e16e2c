"""The application: routes, guards and limits around one open index."""

from __future__ import annotations

from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.responses import PlainTextResponse
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware

from outcrop import __version__
from outcrop.http.guard import Guard
from outcrop.http.metrics import CONTENT_TYPE, RequestCounter
from outcrop.http.middleware import HeadAsGet, Limits, PartialMark, SafeHeaders
from outcrop.http.problems import Problem, add_handlers, problems
from outcrop.http.results import Health
from outcrop.http.routes import chunk, documents, graph, runs, search
from outcrop.http.service import Served, Service
from outcrop.http.settings import ServerSettings

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence
    from contextlib import AbstractAsyncContextManager

    from outcrop.http.workers import SharedState
    from outcrop.indexing.sharded import AnyIndex

_DESCRIPTION = """
Exact chunks of documents and code, and search over them.

Errors are problem details (RFC 9457). Lists come in pages: pass `next_cursor` of one as
`cursor` of the next. A busy server answers 503 with `Retry-After`.
"""


_router = APIRouter(tags=["server"], responses=problems())


@_router.get("/health", summary="Check that the server is running")
async def health() -> Health:
    """Answer immediately, without the database."""
    return Health(status="ok", version=__version__)


@_router.get(
    "/metrics",
    summary="Counts for Prometheus",
    response_class=PlainTextResponse,
    responses={
        200: {
            "content": {
                "text/plain": {
                    "example": "outcrop_http_requests_total"
                    '{method="POST",route="/v1/search",status="200"} 12.0\n'
                }
            }
        }
    },
)
async def metrics(service: Served) -> PlainTextResponse:
    """Return requests by route and status, their times, and the load of the gates."""
    return PlainTextResponse(service.metrics.render(), media_type=CONTENT_TYPE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Surface:
    """Another surface within the application, protected by the same guards."""

    add: Callable[[FastAPI], None]  # puts its routes into the application
    # Resources to hold open while the server runs, if it needs any.
    lifespan: Callable[[], AbstractAsyncContextManager[Any]] | None = None


def create_app(
    index: AnyIndex,
    *,
    settings: ServerSettings | None = None,
    mounted: Sequence[Surface] = (),
    shared: SharedState | None = None,
) -> FastAPI:
    """Make the application that serves an index.

    Args:
        index: An open index; the caller closes it.
        settings: Settings of the server.
        mounted: Other surfaces, such as the page and `/mcp`.
        shared: What it has in common with other processes of the same server.
    """
    settings = settings or ServerSettings()
    service = Service.make(index, settings, shared)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            stack.callback(service.close)
            for surface in mounted:
                if surface.lifespan is not None:
                    await stack.enter_async_context(surface.lifespan())
            yield

    app = FastAPI(
        title="Outcrop",
        version=__version__,
        description=_DESCRIPTION,
        lifespan=lifespan,
        docs_url=None,  # these pages load scripts from other hosts
        redoc_url=None,
        middleware=_middleware(service),
    )
    app.state.service = service
    add_handlers(app)
    app.include_router(_router)
    for subject in (chunk, search, documents, graph, runs):
        app.include_router(subject.router)
    for surface in mounted:
        surface.add(app)
    app.openapi = lambda: _describe(app)  # type: ignore[method-assign]  # as FastAPI documents it
    return app


def _middleware(service: Service) -> list[Middleware]:
    """Return the middleware, the outermost first."""
    settings = service.settings
    layers = [
        Middleware(RequestCounter, service.metrics),
        Middleware(SafeHeaders),
        Middleware(Guard, service),
        Middleware(PartialMark, service),
        Middleware(Limits, settings),
        Middleware(HeadAsGet),
    ]
    if settings.cors_origins:
        cors = Middleware(
            CORSMiddleware,
            allow_origins=list(settings.cors_origins),
            allow_methods=["GET", "POST"],
            allow_headers=["Authorization", "Content-Type"],
        )
        layers.insert(2, cors)
    return layers


def _describe(app: FastAPI) -> dict[str, Any]:
    if app.openapi_schema is None:
        schema = get_openapi(
            title=app.title,
            version=app.version,
            description=app.description,
            routes=app.routes,
        )
        parts = schema.setdefault("components", {})
        parts.setdefault("schemas", {})["Problem"] = Problem.model_json_schema()
        parts["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        app.openapi_schema = schema
    return app.openapi_schema
