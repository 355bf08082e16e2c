"""The problems a route may answer with, for the description of the interface."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from outcrop.http.problems import MEDIA_TYPE
from outcrop.http.results import Problem

# Answers of the guards, the limits and the framework to any request.
_ANYWHERE = (
    HTTPStatus.BAD_REQUEST,
    HTTPStatus.UNAUTHORIZED,
    HTTPStatus.FORBIDDEN,
    HTTPStatus.REQUEST_TIMEOUT,
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
    HTTPStatus.MISDIRECTED_REQUEST,
    HTTPStatus.UNPROCESSABLE_ENTITY,
    HTTPStatus.TOO_MANY_REQUESTS,
    HTTPStatus.INTERNAL_SERVER_ERROR,
    HTTPStatus.SERVICE_UNAVAILABLE,
    HTTPStatus.GATEWAY_TIMEOUT,
)

Responses = dict[int | str, dict[str, Any]]


def problems(*more: HTTPStatus) -> Responses:
    """Describe the problems of a route: those of any request, and its own."""
    return {
        int(status): {
            "description": status.phrase,
            "content": {
                MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}
            },
        }
        for status in (*_ANYWHERE, *more)
    }


def problem_schema() -> dict[str, Any]:
    """Return the schema to which the descriptions refer."""
    return Problem.model_json_schema()
