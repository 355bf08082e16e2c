"""Health and metrics of the server."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import PlainTextResponse

from outcrop import __version__
from outcrop.http.metrics import CONTENT_TYPE
from outcrop.http.problems import problems
from outcrop.http.results import Health
from outcrop.http.service import Served

router = APIRouter(tags=["server"], responses=problems())


@router.get("/health", summary="Check that the server is running")
async def health() -> Health:
    """Answer immediately, without the database."""
    return Health(status="ok", version=__version__)


@router.get(
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
