"""Whether the server is there, and what it has done."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import PlainTextResponse

from outcrop import __version__
from outcrop.http.described import problems
from outcrop.http.metrics import CONTENT_TYPE
from outcrop.http.results import Health
from outcrop.http.service import Served

router = APIRouter(tags=["server"], responses=problems())


@router.get("/health", summary="Say that the server is there")
async def health() -> Health:
    """Answer at once; the database is not asked."""
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
    """Return requests by route and status, their times, and how full the gates are."""
    return PlainTextResponse(service.metrics.render(), media_type=CONTENT_TYPE)
