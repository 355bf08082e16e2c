"""Showing the token once, in a form; the browser keeps what stands for it."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated
from urllib.parse import parse_qs

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from outcrop.http.guard import COOKIE, LOGIN_PATH, same, session_of
from outcrop.http.service import Served
from outcrop.web.render import page

router = APIRouter()

_LONGEST = 2_000


@router.get(LOGIN_PATH)
async def login_page(
    then: Annotated[str, Query(max_length=_LONGEST)] = "/",
) -> HTMLResponse:
    """Show the form."""
    return page("login.html", view="", then=local(then), is_wrong=False)


@router.post(LOGIN_PATH)
async def login(request: Request, service: Served) -> Response:
    """Take the token; a right one opens the page."""
    form = parse_qs((await request.body()).decode(errors="replace"))
    then = local(form.get("then", ["/"])[0])
    token = service.settings.token
    if token is None or not same(form.get("token", [""])[0].strip(), token):
        return page(
            "login.html",
            status=HTTPStatus.UNAUTHORIZED,
            view="",
            then=then,
            is_wrong=True,
        )
    response = RedirectResponse(then, HTTPStatus.SEE_OTHER)
    response.set_cookie(
        COOKIE,
        session_of(token),
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )
    return response


def local(target: str) -> str:
    """Return a path of this server: a link must not lead elsewhere by way of us."""
    is_path = target.startswith("/") and not target.startswith(("//", "/\\"))
    return target if is_path and target.isprintable() else "/"
