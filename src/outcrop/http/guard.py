"""Who may ask: the header `Host`, the origin of a page, and the token.

- A page of another site can point a name of its own at this machine (DNS rebinding).
  Its requests carry that name in `Host`, so only known names and addresses pass.
- A page of another site can send a request without reading the answer. Such requests
  carry `Origin` or `Sec-Fetch-Site`, so what changes or costs something is refused.
- Where a token is set it is asked for, in the header `Authorization` or as the cookie
  that the page's form sets. Both are compared in constant time.
"""

from __future__ import annotations

import hmac
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from starlette.datastructures import Headers
from starlette.responses import RedirectResponse

from outcrop.http.problems import render_problem
from outcrop.http.settings import is_loopback, parse_address

if TYPE_CHECKING:
    from starlette.responses import Response
    from starlette.types import ASGIApp, Receive, Scope, Send

    from outcrop.http.settings import ServerSettings

COOKIE = "outcrop_session"
LOGIN_PATH = "/login"
_SAFE_METHODS = frozenset(["GET", "HEAD", "OPTIONS"])
# Neither says anything about the index.
_OPEN_PATHS = frozenset(["/health", LOGIN_PATH])
_OPEN_FOLDER = "/static/"


class Guard:
    """Lets only those requests through that may be answered."""

    def __init__(self, app: ASGIApp, settings: ServerSettings) -> None:
        """Stand before an application."""
        self._app = app
        self._settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        refusal = self._refuse(scope)
        if refusal is None:
            await self._app(scope, receive, send)
        else:
            await refusal(scope, receive, send)

    def _refuse(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        path: str = scope["path"]
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not is_known_host(hosts[0], self._settings):
            return render_problem(
                HTTPStatus.MISDIRECTED_REQUEST,
                "the header Host names another machine; use the address the server "
                "listens on, or start it with --allow-host",
                path=path,
            )
        if scope["method"] not in _SAFE_METHODS and not self._is_same_site(headers):
            return render_problem(
                HTTPStatus.FORBIDDEN,
                "pages of other sites may not ask; allow one with --cors-origin",
                path=path,
            )
        return self._refuse_stranger(scope, headers)

    def _is_same_site(self, headers: Headers) -> bool:
        origin = headers.get("origin")
        if origin is not None:
            return (
                urlsplit(origin).netloc == headers["host"]
                or origin in self._settings.cors_origins
            )
        return headers.get("sec-fetch-site") not in {"cross-site", "same-site"}

    def _refuse_stranger(self, scope: Scope, headers: Headers) -> Response | None:
        token, path = self._settings.token, scope["path"]
        if token is None or path in _OPEN_PATHS or path.startswith(_OPEN_FOLDER):
            return None
        if scope["method"] == "OPTIONS" or is_known_caller(headers, token):
            return None
        if self._may_log_in(scope, headers):
            query = scope["query_string"].decode("latin-1")
            target = f"{path}?{query}" if query else path
            return RedirectResponse(
                f"{LOGIN_PATH}?then={quote(target, safe='')}", HTTPStatus.SEE_OTHER
            )
        return render_problem(
            HTTPStatus.UNAUTHORIZED,
            "a token is needed: send the header Authorization: Bearer TOKEN",
            path=path,
            headers={"WWW-Authenticate": "Bearer"},
        )

    def _may_log_in(self, scope: Scope, headers: Headers) -> bool:
        """Say whether a browser asks, and there is a form to send it to."""
        has_form = getattr(scope["app"].state, "has_login_page", False)
        is_browser = "text/html" in headers.get("accept", "")
        return has_form and is_browser and scope["method"] == "GET"


def is_known_host(header: str, settings: ServerSettings) -> bool:
    """Say whether a request was meant for this server.

    An address cannot be rebound, a name can. Where only this machine can reach the
    server, only its own addresses pass.
    """
    host = _without_port(header).lower()
    if host in {name.lower() for name in settings.allowed_hosts}:
        return True
    if is_loopback(settings.host):
        return is_loopback(host)
    return host == "localhost" or parse_address(host) is not None


def is_known_caller(headers: Headers, token: str) -> bool:
    """Say whether a request shows the token, or the cookie that stands for it."""
    scheme, _, given = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return same(given.strip(), token)
    try:
        cookies = SimpleCookie(headers.get("cookie", ""))
    except CookieError:
        return False
    cookie = cookies.get(COOKIE)
    return cookie is not None and same(cookie.value, session_of(token))


def session_of(token: str) -> str:
    """Return what a browser keeps in place of the token."""
    return hmac.digest(token.encode(), b"outcrop session", "sha256").hex()


def same(given: str, expected: str) -> bool:
    """Compare two secrets in a time that tells nothing."""
    return hmac.compare_digest(
        given.encode(errors="replace"), expected.encode(errors="replace")
    )


def _without_port(header: str) -> str:
    if header.startswith("["):
        return header.partition("]")[0] + "]"
    return header.partition(":")[0]
