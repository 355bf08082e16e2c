"""Settings of the server, validated when they are made."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from outcrop.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8321
TOKEN_VARIABLE = "OUTCROP_TOKEN"  # noqa: S105 - the name of a variable
MIN_TOKEN_CHARS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    """Settings of the server.

    Attributes:
        host: The address to listen on.
        port: The port to listen on; 0 selects a free one.
        token: What callers have to send if it is set; required if `host` is not a
            loopback address.
        allowed_hosts: Names that the header `Host` may give, beside addresses.
        cors_origins: Origins whose pages may call the server; none by default.
        roots: Folders outside the project that may be indexed.
        max_body_bytes: Maximum size of a body.
        body_seconds: A body has to arrive within this time.
        header_seconds: The head of a request has to arrive within this time.
        request_seconds: An answer has to be there within this time.
        stream_seconds: A stream of events ends after this time; clients reconnect.
        max_searches: Searches at a time.
        max_jobs: Everything else that takes a thread, at a time.
        max_waiting: Requests that may wait for either; more get 503.
        max_streams: Streams of events at a time.
        max_connections: Connections at a time.
    """

    host: str = DEFAULT_HOST
    port: int = DEFAULT_PORT
    token: str | None = None
    allowed_hosts: tuple[str, ...] = ()
    cors_origins: tuple[str, ...] = ()
    roots: tuple[Path, ...] = ()
    max_body_bytes: int = 5_000_000
    body_seconds: float = 15.0
    header_seconds: float = 10.0
    request_seconds: float = 30.0
    stream_seconds: float = 600.0
    max_searches: int = 4
    max_jobs: int = 4
    max_waiting: int = 200
    max_streams: int = 32
    max_connections: int = 1_000

    def __post_init__(self) -> None:
        if self.token is not None and len(self.token) < MIN_TOKEN_CHARS:
            raise ConfigError(
                f"{TOKEN_VARIABLE} has {len(self.token)} characters, but it must have "
                f"at least {MIN_TOKEN_CHARS}"
            )
        if self.token is None and not is_loopback(self.host):
            raise ConfigError(
                f"host is {self.host!r}, which others can reach: set {TOKEN_VARIABLE} "
                f"to a secret of at least {MIN_TOKEN_CHARS} characters, or listen on "
                f"{DEFAULT_HOST}"
            )
        for origin in self.cors_origins:
            if not origin.startswith(("http://", "https://")) or origin.endswith("/"):
                raise ConfigError(
                    f"cors origin is {origin!r}, but it must be like https://example.org"
                )

    @property
    def url(self) -> str:
        """The address of the page."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}/"


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach an address."""
    if host == "localhost":
        return True
    address = parse_address(host)
    return address is not None and address.is_loopback


def parse_address(
    host: str,
) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Return an address, or None if a host is a name."""
    try:
        return ipaddress.ip_address(host.removeprefix("[").removesuffix("]"))
    except ValueError:
        return None
