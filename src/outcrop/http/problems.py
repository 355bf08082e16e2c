"""Errors as problem details (RFC 9457), by one table.

Every error that leaves the server is `application/problem+json`, whoever raised it: the
library, the framework or a guard. A bug is reported without details, which are in the
log.
"""

from __future__ import annotations

import logging
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict
from starlette.exceptions import HTTPException

from outcrop import errors
from outcrop.thread_gate import GateError, SlowError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fastapi import FastAPI, Request
    from starlette.responses import Response

_log = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"

# The nearest class of an error decides.
STATUS_CODES: dict[type[errors.OutcropError], HTTPStatus] = {
    errors.OutcropError: HTTPStatus.INTERNAL_SERVER_ERROR,
    errors.ConfigError: HTTPStatus.UNPROCESSABLE_ENTITY,
    errors.InputError: HTTPStatus.UNPROCESSABLE_ENTITY,
    errors.NotFoundError: HTTPStatus.NOT_FOUND,
    errors.SchemaVersionError: HTTPStatus.CONFLICT,
    errors.StorageError: HTTPStatus.SERVICE_UNAVAILABLE,
    errors.StageError: HTTPStatus.BAD_GATEWAY,
    errors.MissingExtraError: HTTPStatus.NOT_IMPLEMENTED,
}

_NO_OBJECT = "the body must be a JSON object"
_MAX_ERRORS = 20
_MAX_CHARS = 500
_RETRY_SECONDS = 2


class ProblemError(HTTPException):
    """A refusal of the HTTP surface itself, not an error of the library.

    A subclass of the framework's exception, which passes from wherever a body is read.

    Attributes:
        status: The status code.
        extra: Further members of the problem.
    """

    def __init__(
        self,
        status: HTTPStatus,
        detail: str,
        *,
        headers: Mapping[str, str] | None = None,
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(status, detail, dict(headers or {}))
        self.status = status
        self.extra = dict(extra or {})


def busy(detail: str) -> ProblemError:
    """Return the refusal of a busy server."""
    return ProblemError(
        HTTPStatus.SERVICE_UNAVAILABLE,
        detail,
        headers={"Retry-After": str(_RETRY_SECONDS)},
    )


def status_of(error: errors.OutcropError) -> HTTPStatus:
    """Return the status code of an error: that of its nearest class in the table."""
    return next(
        STATUS_CODES[kind] for kind in type(error).__mro__ if kind in STATUS_CODES
    )


def render_problem(problem: ProblemError, path: str) -> Response:
    """Return a problem with a request for a path, as a response."""
    status = problem.status
    body = {
        "type": f"urn:outcrop:problem:{status.name.lower().replace('_', '-')}",
        "title": status.phrase,
        "status": int(status),
        "detail": _readable(problem.detail),
        "instance": _readable(path),
        **problem.extra,
    }
    return JSONResponse(
        body, status_code=status, headers=problem.headers, media_type=MEDIA_TYPE
    )


def _answer(request: Request, problem: ProblemError) -> Response:
    """Answer a program with a problem, and a browser with a page."""
    show_page = getattr(request.app.state, "error_page", None)
    if show_page is not None and _wants_page(request):
        detail = _readable(problem.detail)
        response: Response = show_page(request, problem.status, detail)
        response.headers.update(problem.headers or {})
        return response
    return render_problem(problem, request.url.path)


def _wants_page(request: Request) -> bool:
    path = request.url.path
    accepts = "text/html" in request.headers.get("accept", "")
    return accepts and not path.startswith(("/v1/", "/parts/", "/mcp"))


def add_handlers(app: FastAPI) -> None:
    """Let an application answer every error with a problem."""
    app.add_exception_handler(errors.OutcropError, _of_library)
    app.add_exception_handler(ProblemError, _of_http)
    app.add_exception_handler(GateError, _of_gate)
    app.add_exception_handler(RequestValidationError, _of_validation)
    app.add_exception_handler(HTTPException, _of_framework)


async def _of_library(request: Request, error: Exception) -> Response:
    assert isinstance(error, errors.OutcropError)  # noqa: S101 - as it was registered
    status = status_of(error)
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        _log.error("%s %s: %s", request.method, request.url.path, error)
    if status == HTTPStatus.SERVICE_UNAVAILABLE:
        # The driver's message may name hosts and statements.
        detail = "the database refused or failed; the server's log says why"
        return _answer(request, busy(detail))
    return _answer(request, ProblemError(status, str(error)))


async def _of_http(request: Request, error: Exception) -> Response:
    assert isinstance(error, ProblemError)  # noqa: S101 - as it was registered
    return _answer(request, error)


async def _of_gate(request: Request, error: Exception) -> Response:
    if isinstance(error, SlowError):
        problem = ProblemError(HTTPStatus.GATEWAY_TIMEOUT, str(error))
        return _answer(request, problem)
    return _answer(request, busy(str(error)))


async def _of_validation(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)  # noqa: S101 - as it was registered
    found = [
        {**item, "msg": _NO_OBJECT} if item["loc"] == ("body",) else item
        for item in error.errors()
    ]
    if any(item["type"] == "json_invalid" for item in found):
        # Their place is a position in the body, not a field.
        found = [{**item, "loc": ()} for item in found]
        status, detail = HTTPStatus.BAD_REQUEST, "the body is not valid JSON"
    else:
        status, detail = HTTPStatus.UNPROCESSABLE_ENTITY, _sentence(found)
    listed = [
        {"field": _field(item["loc"]), "message": str(item["msg"])}
        for item in found[:_MAX_ERRORS]
    ]
    return _answer(request, ProblemError(status, detail, extra={"errors": listed}))


async def _of_framework(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 - as it was registered
    status = HTTPStatus(error.status_code)
    detail = str(error.detail)
    if status == HTTPStatus.NOT_FOUND:
        detail = f"there is nothing at {request.url.path}"
    elif status == HTTPStatus.METHOD_NOT_ALLOWED:
        detail = f"{request.method} is not allowed here"
    elif status == HTTPStatus.BAD_REQUEST:
        detail = "the body cannot be read as JSON"
    return _answer(request, ProblemError(status, detail, headers=error.headers))


async def answer_bug(request: Request, error: BaseException) -> Response:
    """Answer an unexpected error; the log has the details."""
    _log.error("%s %s failed", request.method, request.url.path, exc_info=error)
    detail = "this is a bug in Outcrop; the server's log has the details"
    return _answer(request, ProblemError(HTTPStatus.INTERNAL_SERVER_ERROR, detail))


def _sentence(found: Sequence[Mapping[str, Any]]) -> str:
    first = found[0] if found else {"loc": (), "msg": "the request is wrong"}
    if first["msg"] == _NO_OBJECT:
        return _NO_OBJECT
    return f"{_field(first['loc']) or 'the request'}: {first['msg']}"


def _field(place: Sequence[Any]) -> str:
    """Return the name of a field; the first part says where the request has it."""
    return ".".join(str(part) for part in place[1:])


def _readable(text: str) -> str:
    """Shorten a text and replace lone surrogates, so that it can be sent."""
    return text[:_MAX_CHARS].encode(errors="replace").decode()


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


class Problem(BaseModel):
    """An error, as RFC 9457 describes it."""

    model_config = ConfigDict(
        extra="allow",
        json_schema_extra={
            "examples": [
                {
                    "type": "urn:outcrop:problem:not-found",
                    "title": "Not Found",
                    "status": 404,
                    "detail": "there is no chunk '0000' in the index",
                    "instance": "/v1/chunks/0000",
                }
            ]
        },
    )

    type: str
    title: str
    status: int
    detail: str
    instance: str


def problems(*more: HTTPStatus) -> dict[int | str, dict[str, Any]]:
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
