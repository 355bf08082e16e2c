"""Requests to an OpenAI-compatible endpoint: key, timeout, retries, errors.

The key is read from the environment for each request and stored nowhere: not in an
attribute, a message or a log. It is removed from what a server answers before that
becomes part of an error, because some servers repeat it.

Requests that may succeed later are retried: no connection, a timeout, too many requests,
a server error, an answer that is not JSON. `Retry-After` is obeyed, up to `wait_max`.
"""

from __future__ import annotations

import asyncio
import logging
import os
import random
from dataclasses import dataclass
from itertools import count
from time import sleep
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from outcrop.errors import ConfigError, MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import TypeVar

    _T = TypeVar("_T")

_log = logging.getLogger(__name__)

_DEFAULT_BASE_URL = "https://api.openai.com/v1"
_MAX_MESSAGE_CHARS = 300
_TRY_AGAIN = frozenset({408, 409, 425, 429})
_SERVER_FAULT = 500
_QUOTA = "insufficient_quota"
ADDRESS_RULE = "must start with http:// or https:// and the name of a host"


class RequestError(Exception):
    """A request failed; the message holds nothing secret.

    Attributes:
        is_passing: Whether another try can help.
        is_unreachable: Whether the server did not answer at all.
        retry_after: Seconds to wait, if the server sent `Retry-After`.
    """

    def __init__(
        self,
        message: str,
        *,
        is_passing: bool = False,
        is_unreachable: bool = False,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.is_passing = is_passing or is_unreachable
        self.is_unreachable = is_unreachable
        self.retry_after = retry_after


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """An OpenAI-compatible endpoint, with its timeout and retries.

    Attributes:
        base_url: Address up to and including `/v1`; defaults to the environment
            variable `OPENAI_BASE_URL`, and else to OpenAI.
        key_variable: The environment variable that holds the key. A server of your own
            may need none.
        timeout: Maximum seconds of a try.
        attempts: Maximum number of tries.
        wait_initial: Seconds before the second try; later ones wait longer.
        wait_max: Maximum seconds between two tries, even if the server requests more.
    """

    base_url: str | None = None
    key_variable: str = "OPENAI_API_KEY"
    timeout: float = 60.0
    attempts: int = 5
    wait_initial: float = 0.5
    wait_max: float = 30.0

    def __post_init__(self) -> None:
        if self.attempts < 1:
            raise ConfigError(f"attempts is {self.attempts!r}, but must be at least 1")
        if self.timeout <= 0:
            raise ConfigError(f"timeout is {self.timeout!r}, but must be above 0")
        if host_of(self.address) is None:
            shown = self.address.rpartition("@")[2]  # a password may precede it
            raise ConfigError(f"base_url is {shown!r}, but {ADDRESS_RULE}")

    @property
    def address(self) -> str:
        """The address in use."""
        return self.base_url or os.environ.get("OPENAI_BASE_URL") or _DEFAULT_BASE_URL

    @property
    def host(self) -> str:
        """The host, for messages: an address may contain a password."""
        return host_of(self.address) or "the endpoint"

    def __repr__(self) -> str:
        return f"Endpoint(host={self.host!r}, key_variable={self.key_variable!r})"

    def client_options(self) -> dict[str, Any]:
        """Return the arguments for a client of the `openai` library, including the key."""
        return {
            "api_key": self._key() or "none",
            "base_url": self.address,
            "timeout": self.timeout,
            "max_retries": 0,  # retries are made here
        }

    def check_key(self) -> None:
        """Reject a missing key where one is certainly needed."""
        if not self._key() and self.address == _DEFAULT_BASE_URL:
            raise ConfigError(
                f"the environment variable {self.key_variable} is not set:"
                f" {self.host} needs a key"
            )

    def _key(self) -> str:
        return os.environ.get(self.key_variable, "")

    def call(self, request: Callable[[], _T]) -> _T:
        """Make a request, with retries.

        Raises:
            RequestError: All tries failed.
        """
        openai = import_openai()
        for attempt in count(1):
            try:
                return request()
            except (openai.OpenAIError, ValueError, RequestError) as error:
                pause = self._pause_after(attempt, error)
            sleep(pause)
        raise AssertionError  # pragma: no cover - the loop returns or raises

    async def call_async(self, request: Callable[[], Awaitable[_T]]) -> _T:
        """Make a request, with retries; see `call`."""
        openai = import_openai()
        for attempt in count(1):
            try:
                return await request()
            except (openai.OpenAIError, ValueError, RequestError) as error:
                pause = self._pause_after(attempt, error)
            await asyncio.sleep(pause)
        raise AssertionError  # pragma: no cover - the loop returns or raises

    def _pause_after(self, attempt: int, error: Exception) -> float:
        """Return the seconds to wait before the next try; raise after the last one."""
        failure = error if isinstance(error, RequestError) else self._explain(error)
        if attempt >= self.attempts or not failure.is_passing:
            if failure is error:
                raise failure
            raise failure from _harmless(error, self._key())
        pause = failure.retry_after
        if pause is None:
            jitter = random.uniform(0, self.wait_initial)  # noqa: S311 - not a secret
            pause = self.wait_initial * 2.0 ** (attempt - 1) + jitter
        _log.debug("%s; trying again in %.1f s", failure, pause)
        return min(pause, self.wait_max)

    def _explain(self, error: Exception) -> RequestError:
        """Describe an error without secrets, and whether a retry may succeed."""
        openai = import_openai()
        if isinstance(error, openai.APITimeoutError):
            message = f"{self.host} did not answer within {self.timeout:g} s"
            return RequestError(message, is_unreachable=True)
        if isinstance(error, openai.APIConnectionError):
            return RequestError(f"{self.host} cannot be reached", is_unreachable=True)
        if isinstance(error, openai.APIStatusError):
            return self._explain_status(error)
        if isinstance(error, ValueError):  # the client lets JSON errors through
            message = f"{self.host} answered with something that is not JSON"
            return RequestError(message, is_passing=True)
        return RequestError(self._clear(f"{type(error).__name__}: {error}"))

    def _explain_status(self, error: Any) -> RequestError:
        status = int(error.status_code)
        may_pass = status >= _SERVER_FAULT or status in _TRY_AGAIN
        return RequestError(
            self._clear(f"{self.host} answered {status}: {error.message}"),
            is_passing=may_pass and error.code != _QUOTA,
            retry_after=_seconds(error.response.headers.get("retry-after")),
        )

    def _clear(self, message: str) -> str:
        key = self._key()
        if key:
            message = message.replace(key, "[key]")
        return message[:_MAX_MESSAGE_CHARS]


def host_of(address: str) -> str | None:
    """Return the host in an HTTP address; None if it is not a valid one."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return None
    return parts.hostname if parts.scheme in {"http", "https"} else None


def _harmless(error: Exception, key: str) -> Exception | None:
    """Return the error as a cause to show, unless it repeats the key."""
    return None if key and key in f"{error}{error.__cause__}" else error


def _seconds(value: str | None) -> float | None:
    """Return the seconds of a `Retry-After`; a date is ignored."""
    try:
        seconds = float(value or "")
    except ValueError:
        return None
    return seconds if seconds >= 0 else None


def import_openai() -> Any:
    """Import `openai`; if it is missing, raise how to install it."""
    try:
        import openai
    except ImportError as error:
        raise MissingExtraError("an OpenAI-compatible endpoint", "openai") from error
    return openai
