"""The views of the page and the login form, for the application that serves the index.

The form takes the token, and the browser keeps a session cookie.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Annotated
from urllib.parse import parse_qs

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.staticfiles import StaticFiles

from outcrop.http.app import Surface
from outcrop.http.guard import COOKIE, LOGIN_PATH, address_of, retry_after, same
from outcrop.http.service import Served
from outcrop.presentation.text import count
from outcrop.web import (
    api_pages,
    code_pages,
    document_pages,
    list_pages,
    run_pages,
    search_pages,
)
from outcrop.web.render import error_page, page

if TYPE_CHECKING:
    from fastapi import FastAPI

# The style and script of a document are those of the page of the command line.
_FILES: list[str | tuple[str, str]] = [
    ("outcrop.web", "static"),
    ("outcrop.presentation", "static"),
]
_VIEWS = (
    search_pages,
    list_pages,
    document_pages,
    code_pages,
    run_pages,
    api_pages,
)
_MAX_CHARS = 2_000

router = APIRouter()


def mount_pages() -> Surface:
    """Make the page, for `create_app`."""
    return Surface(add=_add_pages)


def _add_pages(app: FastAPI) -> None:
    """Add the views, their files and the page for errors to an application."""
    for each in (*(view.router for view in _VIEWS), router):
        app.include_router(each, include_in_schema=False)
    app.mount("/static", StaticFiles(packages=_FILES))
    app.state.error_page = error_page
    app.state.has_login_page = True


@router.get(LOGIN_PATH)
async def login_page(
    then: Annotated[str, Query(max_length=_MAX_CHARS)] = "/",
) -> HTMLResponse:
    """Show the form."""
    return _form(then)


@router.post(LOGIN_PATH)
async def login(request: Request, service: Served) -> Response:
    """Check the token; the right one opens the page."""
    form = parse_qs((await request.body()).decode(errors="replace"))
    then = form.get("then", ["/"])[0]
    guesses, address = service.form_guesses, address_of(request.scope)
    wait = guesses.wait(address)
    if wait:
        # Not even compared: the right token passes once the wait is over.
        headers = retry_after(wait)
        response = _form(
            then,
            HTTPStatus.TOO_MANY_REQUESTS,
            "Too many wrong tokens were entered from this address. Try again in "
            f"{count(int(headers['Retry-After']), 'second')}.",
        )
        response.headers.update(headers)
        return response
    token = service.settings.token
    if token is None or not same(form.get("token", [""])[0].strip(), token):
        guesses.note_wrong(address)
        return _form(then, HTTPStatus.UNAUTHORIZED, "That is not the token.")
    guesses.note_right(address)
    opened = RedirectResponse(local(then), HTTPStatus.SEE_OTHER)
    opened.set_cookie(
        COOKIE,
        service.session,
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )
    return opened


def _form(
    then: str, status: HTTPStatus = HTTPStatus.OK, notice: str = ""
) -> HTMLResponse:
    return page("login.html", status=status, view="", then=local(then), notice=notice)


def local(target: str) -> str:
    """Return a path of this server: a redirect must not lead to another site."""
    is_path = target.startswith("/") and not target.startswith(("//", "/\\"))
    return target if is_path and target.isprintable() else "/"
