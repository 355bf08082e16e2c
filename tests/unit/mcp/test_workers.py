"""Work in threads, whatever it raises."""

from __future__ import annotations

import anyio
import pytest

from outcrop.errors import NotFoundError
from outcrop.mcp.workers import Workers


class NativePanic(BaseException):
    """What native code raises is not always an Exception."""


def raising(error):
    def work():
        raise error

    return work


@pytest.mark.parametrize(
    ("raised", "expected"),
    [
        (NativePanic("a secret"), RuntimeError),
        (NotFoundError("nothing there"), NotFoundError),
        (SystemExit(3), SystemExit),
    ],
)
def test_only_what_is_no_exception_is_turned_into_one(raised, expected):
    with pytest.raises(expected) as caught:
        anyio.run(Workers().run, raising(raised))
    if caught.value is not raised:
        assert "secret" not in str(caught.value)
        assert caught.value.__cause__ is raised
