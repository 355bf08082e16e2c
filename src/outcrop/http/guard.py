"""Access control: who may send requests, and from where.

- A page of another site can point a name of its own at this machine (DNS rebinding).
  Its requests carry that name in `Host`, so only known names and addresses pass.
- A page of another site can send a request without reading the answer. Such requests
  carry `Origin` or `Sec-Fetch-Site`, so requests that change or cost something are
  rejected.
- If a token is set it is required, in the header `Authorization` or as the cookie that
  the page's form sets. Both are compared in constant time. Wrong tokens are
  counted: see `Guesses`. The cookie is random and cannot be guessed, so it is
  always checked.
"""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import re
import time
from collections import OrderedDict
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from math import ceil
from typing import TYPE_CHECKING
from urllib.parse import quote

from starlette.datastructures import Headers
from starlette.responses import RedirectResponse

from outcrop.http.problems import ProblemError, render_problem
from outcrop.http.settings import is_loopback, parse_address

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from starlette.responses import Response
    from starlette.types import ASGIApp, Receive, Scope, Send

    from outcrop.http.service import Service
    from outcrop.http.settings import ServerSettings

COOKIE = "outcrop_session"
LOGIN_PATH = "/login"
FILES_PATH = "/static/"
_SAFE_METHODS = frozenset(["GET", "HEAD", "OPTIONS"])
# Neither reveals anything about the index.
_OPEN_PATHS = frozenset(["/health", LOGIN_PATH])
# A name or an address, and a port; nothing else of a URL is valid here.
_HOST = re.compile(r"([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::([0-9]{0,5}))?")
_MAX_PORT = 65_535


class Guard:
    """Rejects requests that may not be answered."""

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self._app = app
        self._settings = service.settings
        self._session = service.session
        self._guesses = service.header_guesses

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or reject it."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        refusal = self._refuse(scope) or await self._refuse_stranger(scope)
        if isinstance(refusal, ProblemError):
            refusal = render_problem(refusal, scope["path"])
        await (refusal or self._app)(scope, receive, send)

    def _refuse(self, scope: Scope) -> ProblemError | None:
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        host = parse_host(hosts[0]) if len(hosts) == 1 else None
        if host is None:
            return ProblemError(
                HTTPStatus.BAD_REQUEST,
                "the header Host is missing or malformed; send the server's name or "
                "address, and its port",
            )
        if not is_known_host(host, self._settings):
            return ProblemError(
                HTTPStatus.MISDIRECTED_REQUEST,
                "the header Host names another machine; use the address the server "
                "listens on, or start it with --allow-host",
            )
        if scope["method"] not in _SAFE_METHODS and not self._is_same_site(headers):
            return ProblemError(
                HTTPStatus.FORBIDDEN,
                "requests from pages of other sites are refused; allow a site with "
                "--cors-origin",
            )
        return None

    def _is_same_site(self, headers: Headers) -> bool:
        origin = headers.get("origin")
        if origin is not None:
            is_own = origin.partition("://")[2] == headers["host"]
            return is_own or origin in self._settings.cors_origins
        return headers.get("sec-fetch-site") not in {"cross-site", "same-site"}

    async def _refuse_stranger(self, scope: Scope) -> ProblemError | Response | None:
        token, path = self._settings.token, scope["path"]
        if token is None or path in _OPEN_PATHS or path.startswith(FILES_PATH):
            return None
        headers = Headers(scope=scope)
        if scope["method"] == "OPTIONS" or has_session(headers, self._session):
            return None
        given = bearer_token(headers)
        if given is not None:
            return await self._refuse_token(scope, given, token)
        return self._ask_for_token(scope, headers)

    async def _refuse_token(
        self, scope: Scope, given: str, token: str
    ) -> ProblemError | Response | None:
        """Reject a wrong token; after many wrong ones, with a delay."""
        guesses, address = self._guesses, address_of(scope)
        if guesses.is_flooding(address):
            return _refuse_guess(HOLD_SECONDS)
        if same(given, token):
            guesses.note_right(address)
            return None
        wait = guesses.wait(address)
        guesses.note_wrong(address)
        if not wait:
            return self._ask_for_token(scope, Headers(scope=scope))
        with guesses.hold(address):
            await asyncio.sleep(HOLD_SECONDS)
        return _refuse_guess(guesses.wait(address))

    def _ask_for_token(self, scope: Scope, headers: Headers) -> ProblemError | Response:
        if self._may_log_in(scope, headers):
            path, query = scope["path"], scope["query_string"].decode("latin-1")
            target = f"{path}?{query}" if query else path
            return RedirectResponse(
                f"{LOGIN_PATH}?then={quote(target, safe='')}", HTTPStatus.SEE_OTHER
            )
        return ProblemError(
            HTTPStatus.UNAUTHORIZED,
            "a token is needed: send the header Authorization: Bearer TOKEN",
            headers={"WWW-Authenticate": "Bearer"},
        )

    def _may_log_in(self, scope: Scope, headers: Headers) -> bool:
        """Return whether to redirect a browser to the form."""
        has_form = getattr(scope["app"].state, "has_login_page", False)
        is_browser = "text/html" in headers.get("accept", "")
        return has_form and is_browser and scope["method"] == "GET"


def parse_host(header: str) -> str | None:
    """Return the host of a header `Host` in lower case; None if it is malformed."""
    found = _HOST.fullmatch(header)
    if found is None or int(found[2] or 0) > _MAX_PORT:
        return None
    if header.startswith("[") and parse_address(found[1]) is None:
        return None
    return found[1].lower()


def is_known_host(host: str, settings: ServerSettings) -> bool:
    """Return whether a request for a host is meant for this server.

    An address cannot be rebound, a name can. If only this machine can reach the
    server, only its own addresses pass.
    """
    if host in {name.lower() for name in settings.allowed_hosts}:
        return True
    if is_loopback(settings.host):
        return is_loopback(host)
    return host == "localhost" or parse_address(host) is not None


def bearer_token(headers: Headers) -> str | None:
    """Return the token in the header `Authorization`, or None."""
    scheme, _, given = headers.get("authorization", "").partition(" ")
    return given.strip() if scheme.lower() == "bearer" else None


def has_session(headers: Headers, session: str) -> bool:
    """Return whether a request has the session cookie."""
    try:
        cookies = SimpleCookie(headers.get("cookie", ""))
    except CookieError:
        return False
    cookie = cookies.get(COOKIE)
    return cookie is not None and same(cookie.value, session)


def retry_after(seconds: float) -> dict[str, str]:
    """Return the header that says when to try again."""
    return {"Retry-After": str(max(1, ceil(seconds)))}


def same(given: str, expected: str) -> bool:
    """Compare two secrets in constant time."""
    return hmac.compare_digest(
        given.encode(errors="replace"), expected.encode(errors="replace")
    )


def _refuse_guess(seconds: float) -> ProblemError:
    return ProblemError(
        HTTPStatus.TOO_MANY_REQUESTS,
        "too many wrong tokens were sent from this address; wait, and send the value "
        "of OUTCROP_TOKEN",
        headers=retry_after(seconds),
    )


MAX_FREE = 20
MAX_FREE_TOGETHER = 200
MAX_WAIT_SECONDS = 60.0
# Shorter: a flood from many addresses must leave room for people at new ones.
MAX_WAIT_TOGETHER_SECONDS = 2.0
FORGET_SECONDS = 900.0
TRUST_SECONDS = 3_600.0
MAX_ADDRESSES = 10_000
# Wrong tokens in headers whose answers are being held back.
HOLD_SECONDS = 1.0
MAX_HELD = 8
MAX_HELD_TOGETHER = 200

_TOGETHER = ""


@dataclass(slots=True)
class _Record:
    wrong: int = 0
    last: float = 0.0
    until: float = 0.0


class Guesses:
    """Counts the wrong tokens of one way to send a token.

    Args:
        clock: Returns monotonic seconds.
        workers: How many processes count the wrong tokens of the same server. Each has
            an equal share of the allowances.
    """

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, *, workers: int = 1
    ) -> None:
        self._clock = clock
        self._free = ceil(MAX_FREE / workers)
        self._free_together = ceil(MAX_FREE_TOGETHER / workers)
        self._records: OrderedDict[str, _Record] = OrderedDict()
        self._together = _Record()
        self._trusted: OrderedDict[str, float] = OrderedDict()
        self._held: dict[str, int] = {}

    def wait(self, address: str) -> float:
        """Return how many seconds an address has to wait before its next guess."""
        now = self._clock()
        record = self._records.get(address)
        until = record.until if record else 0.0
        if not self._is_trusted(address, now):
            until = max(until, self._together.until)
        return max(0.0, until - now)

    def note_wrong(self, address: str) -> None:
        """Count a wrong token."""
        now = self._clock()
        record = self._records.setdefault(address, _Record())
        self._records.move_to_end(address)
        while len(self._records) > MAX_ADDRESSES:
            self._records.popitem(last=False)
        _count(record, now, self._free, MAX_WAIT_SECONDS)
        _count(self._together, now, self._free_together, MAX_WAIT_TOGETHER_SECONDS)

    def note_right(self, address: str) -> None:
        """Record that an address sent the right token."""
        self._trusted[address] = self._clock()
        self._trusted.move_to_end(address)
        while len(self._trusted) > MAX_ADDRESSES:
            self._trusted.popitem(last=False)

    def is_flooding(self, address: str) -> bool:
        """Return whether too many answers are held back to check more tokens."""
        if self._is_trusted(address, self._clock()):
            return False
        return (
            self._held.get(address, 0) >= MAX_HELD
            or self._held.get(_TOGETHER, 0) >= MAX_HELD_TOGETHER
        )

    @contextmanager
    def hold(self, address: str) -> Iterator[None]:
        """Count an answer as held back."""
        for key in (address, _TOGETHER):
            self._held[key] = self._held.get(key, 0) + 1
        try:
            yield
        finally:
            for key in (address, _TOGETHER):
                self._held[key] -= 1
                if not self._held[key]:
                    del self._held[key]

    def _is_trusted(self, address: str, now: float) -> bool:
        shown = self._trusted.get(address)
        return shown is not None and now - shown < TRUST_SECONDS


def address_of(scope: Scope) -> str:
    """Return the client's address, or for IPv6 the network of one user."""
    client = scope.get("client")
    host = str(client[0]) if client else "unknown"
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if address.version == 4:  # noqa: PLR2004 - the version's name
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ipaddress.ip_network((address, 64), strict=False))


def _count(record: _Record, now: float, free: int, max_wait: float) -> None:
    if now - record.last > FORGET_SECONDS:
        record.wrong = 0
    record.wrong += 1
    record.last = now
    if record.wrong >= free:
        # A power of two this large is over any limit already.
        record.until = now + min(max_wait, 2.0 ** min(record.wrong - free, 20))
