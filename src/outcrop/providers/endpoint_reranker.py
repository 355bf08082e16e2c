"""A reranker at an endpoint: question and texts in a request, scores in the answer.

Two forms of the request are in use. Most services and servers take `documents` and
answer with `relevance_score`; Text Embeddings Inference takes `texts` and answers with
`score`. Answers of both forms are read.

The key is read from the environment for each request and stored nowhere. Redirects are
not followed, because the key would be sent along.
"""

from __future__ import annotations

import json
import math
import os
from contextlib import suppress
from http.client import HTTPException
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from outcrop.errors import ConfigError, RerankError
from outcrop.providers.endpoint import ADDRESS_RULE, host_of
from outcrop.text.tokens import replace_surrogates

if TYPE_CHECKING:
    from collections.abc import Sequence

KEY_VARIABLE = "OUTCROP_RERANK_KEY"
DEFAULT_TIMEOUT = 10.0
_DEFAULT_PATH = "/rerank"
# Servers often take no more at once.
_MAX_TEXTS_AT_ONCE = 32
_MAX_ANSWER_BYTES = 10_000_000
_MAX_MESSAGE_CHARS = 300
# More than is shown, so that a key in it is complete.
_MAX_ERROR_BYTES = 10_000


class _NoRedirects(HTTPRedirectHandler):
    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


class EndpointReranker:
    """Scores texts through a rerank endpoint.

    Args:
        address: The URL, with the name of the model after `#`, where the endpoint has
            several; the path is `/rerank` if the URL has none.
        texts_field: Name of the field that holds the texts: `documents` or `texts`.
        timeout: Maximum seconds to wait for the server.

    Raises:
        ConfigError: The URL is invalid.
    """

    def __init__(
        self,
        address: str,
        *,
        texts_field: str = "documents",
        timeout: float = DEFAULT_TIMEOUT,
    ) -> None:
        url, _, self.model = address.partition("#")
        host = host_of(url)
        if host is None:
            shown = url.rpartition("@")[2]  # a password may precede it
            raise ConfigError(
                f"the address of the reranker is {shown!r}, but {ADDRESS_RULE}"
            )
        parts = urlsplit(url)
        path = parts.path if parts.path.strip("/") else _DEFAULT_PATH
        self._url = parts._replace(path=path).geturl()
        self._texts_field = texts_field
        self.host = host
        self.timeout = timeout

    @property
    def name(self) -> str:
        """The host and the model."""
        return f"{self.host}#{self.model}" if self.model else self.host

    def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """Score texts; see `Reranker`."""
        scores: list[float] = []
        for start in range(0, len(texts), _MAX_TEXTS_AT_ONCE):
            scores += self._score(question, texts[start : start + _MAX_TEXTS_AT_ONCE])
        return scores

    def _score(self, question: str, texts: Sequence[str]) -> list[float]:
        body: dict[str, Any] = {
            "query": replace_surrogates(question),
            self._texts_field: [replace_surrogates(text) or " " for text in texts],
        }
        if self.model:
            body["model"] = self.model
        data = self._send(json.dumps(body).encode())
        try:
            answer = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise self._failure("answered with something that is not JSON") from error
        found = _scores_of(answer, len(texts))
        if found is None:
            raise self._failure(
                f"answered without a score for each of {len(texts)} texts"
            )
        return found

    def _send(self, body: bytes) -> bytes:
        key = os.environ.get(KEY_VARIABLE, "").strip()
        request = Request(self._url, data=body, method="POST")  # noqa: S310 - checked above
        request.add_header("Content-Type", "application/json")
        request.add_header("Accept", "application/json")
        if key:
            request.add_unredirected_header("Authorization", f"Bearer {key}")
        try:
            with build_opener(_NoRedirects).open(
                request, timeout=self.timeout
            ) as answer:
                data: bytes = answer.read(_MAX_ANSWER_BYTES)
        except HTTPError as error:
            raise self._failure(_describe(error, key)) from None
        except TimeoutError as error:
            raise self._failure(f"did not answer within {self.timeout:g} s") from error
        except (URLError, OSError, HTTPException) as error:
            if isinstance(getattr(error, "reason", None), TimeoutError):
                message = f"did not answer within {self.timeout:g} s"
                raise self._failure(message) from error
            raise self._failure("cannot be reached") from error
        except ValueError:  # its message may hold the key
            raise self._failure(
                f"cannot be asked: the address, or the key in {KEY_VARIABLE}, has"
                " characters that HTTP does not allow"
            ) from None
        return data

    def _failure(self, message: str) -> RerankError:
        text = f"{self.host} {message}"[:_MAX_MESSAGE_CHARS]
        return RerankError(text, stage="rerank")

    def __repr__(self) -> str:
        return f"EndpointReranker({self.name!r})"


def _describe(error: HTTPError, key: str) -> str:
    """Return what a server answered in place of scores, without the key."""
    said = ""
    with error, suppress(OSError, HTTPException):  # the rest may never come
        said = error.read(_MAX_ERROR_BYTES).decode(errors="replace").strip()
    message = f"answered {error.code}: {said or error.reason}"
    return message.replace(key, "[key]") if key else message


def _scores_of(answer: Any, count: int) -> list[float] | None:
    """Return the scores in the order of the texts, or None if one is missing."""
    items = answer.get("results") if isinstance(answer, dict) else answer
    if not isinstance(items, list):
        return None
    scores: dict[int, float] = {}
    for item in items:
        if not isinstance(item, dict) or not isinstance(item.get("index"), int):
            return None
        score = item.get("relevance_score", item.get("score"))
        if not isinstance(score, int | float):
            return None
        try:
            scores[item["index"]] = float(score)
        except OverflowError:
            return None
    found = [scores.get(at, math.nan) for at in range(count)]
    return found if all(map(math.isfinite, found)) else None
