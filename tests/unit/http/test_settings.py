"""Settings: unsafe ones are refused, and hosts are known or not."""

from __future__ import annotations

import pytest

from outcrop.errors import ConfigError
from outcrop.http.guard import is_known_host, parse_host
from outcrop.http.settings import ServerSettings, is_loopback

SECRET = "0123456789abcdef"  # noqa: S105 - of the tests alone


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "::1", "localhost"])
def test_loopback_needs_no_token(host):
    assert is_loopback(host)
    assert ServerSettings(host=host).token is None


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.1", "example.org", ""])  # noqa: S104 - refused
def test_any_other_host_needs_a_token(host):
    with pytest.raises(ConfigError, match="set OUTCROP_TOKEN"):
        ServerSettings(host=host)
    assert ServerSettings(host=host, token=SECRET).token == SECRET


def test_a_short_token_is_refused_without_repeating_it():
    with pytest.raises(ConfigError, match="5 characters") as refused:
        ServerSettings(token="hello")  # noqa: S106 - refused
    assert "hello" not in str(refused.value)


@pytest.mark.parametrize(
    ("header", "bound", "expected"),
    [
        ("localhost:8321", "127.0.0.1", True),
        ("[::1]", "127.0.0.1", True),
        ("10.0.0.5", "127.0.0.1", False),
        ("evil.example", "127.0.0.1", False),
        ("10.0.0.5:80", "0.0.0.0", True),  # noqa: S104 - an address cannot be rebound
        ("evil.example", "0.0.0.0", False),  # noqa: S104 - a name can
        ("QUAY.example:80", "0.0.0.0", True),  # noqa: S104 - allowed by name
    ],
)
def test_a_host_is_known_by_address_or_by_name(header, bound, expected):
    settings = ServerSettings(host=bound, token=SECRET, allowed_hosts=("quay.example",))
    assert is_known_host(parse_host(header), settings) is expected


@pytest.mark.parametrize(
    "header",
    [
        "",
        "localhost:8491@evil.example",
        "user@localhost",
        "127.0.0.1:8491/evil",
        "localhost?x",
        "localhost#x",
        "localhost\\evil",
        "localhost evil",
        "localhost:80:80",
        "localhost:65536",
        "localhost:١",
        "[::1",
        "[::1]evil",
        "[::1]:x",
        "[:::]",
        "[127.0.0.1]x",
        "::1",
        "localhost\n",
    ],
)
def test_a_malformed_host_is_no_host(header):
    assert parse_host(header) is None


@pytest.mark.parametrize(
    ("header", "host"),
    [
        ("localhost", "localhost"),
        ("LOCALHOST:8321", "localhost"),
        ("127.0.0.1:", "127.0.0.1"),
        ("[::1]:80", "[::1]"),
        ("xn--mnchen-3ya.example", "xn--mnchen-3ya.example"),
    ],
)
def test_a_host_is_read_without_its_port(header, host):
    assert parse_host(header) == host


def test_the_address_of_the_page_can_be_opened():
    assert ServerSettings(host="::1", port=80).url == "http://[::1]:80/"
