"""The token cannot be guessed quickly, and nobody is locked out by who tries."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from integration.http.served import TOKEN, serving
from outcrop.http.guard import MAX_FREE, MAX_HELD

RIGHT = {"Authorization": f"Bearer {TOKEN}"}


@pytest.fixture
def guarded(harbour):
    """Return the address of a server that nobody has tried to enter yet."""
    with serving(harbour, OUTCROP_TOKEN=TOKEN) as started:
        yield started.url


def log_in(url, token):
    return httpx.post(f"{url}/login", data={"token": token, "then": "/"})


def ask(url, token):
    return httpx.get(
        f"{url}/v1/documents", headers={"Authorization": f"Bearer {token}"}, timeout=30
    )


def test_the_form_takes_a_bounded_number_of_guesses(guarded):
    answers = [log_in(guarded, f"wrong {number}") for number in range(60)]
    seen = [answer.status_code for answer in answers]
    assert seen[:MAX_FREE] == [401] * MAX_FREE
    assert seen.count(401) <= MAX_FREE + 4  # some time passes meanwhile
    # After a second one more is taken, which may have been the last of these.
    while log_in(guarded, "wrong").status_code != 429:
        pass
    # The right token is not compared now, and is taken after the wait.
    refused = log_in(guarded, TOKEN)
    assert refused.status_code == 429
    assert "Too many wrong tokens" in refused.text
    time.sleep(int(refused.headers["retry-after"]))
    assert log_in(guarded, TOKEN).status_code == 303


def test_a_closed_form_locks_nobody_out_who_is_in(guarded):
    with httpx.Client(base_url=guarded) as browser:
        browser.post("/login", data={"token": TOKEN, "then": "/"})
        while log_in(guarded, "wrong").status_code != 429:
            pass
        assert browser.get("/documents").status_code == 200
        assert httpx.get(f"{guarded}/v1/documents", headers=RIGHT).status_code == 200


def test_wrong_tokens_in_headers_are_answered_slowly_after_the_first(guarded):
    seen = [ask(guarded, f"wrong {number}").status_code for number in range(MAX_FREE)]
    assert seen == [401] * MAX_FREE
    started = time.monotonic()
    refused = ask(guarded, "one more")
    assert refused.status_code == 429
    assert refused.headers["content-type"] == "application/problem+json"
    assert int(refused.headers["retry-after"]) >= 1
    assert time.monotonic() - started >= 1
    # Neither the right token nor the form has to wait for that.
    assert ask(guarded, TOKEN).status_code == 200
    assert log_in(guarded, TOKEN).status_code == 303


def test_a_flood_of_wrong_tokens_does_not_touch_a_known_address(guarded):
    assert ask(guarded, TOKEN).status_code == 200
    with ThreadPoolExecutor(3 * MAX_HELD) as threads:
        flood = [threads.submit(ask, guarded, f"wrong {n}") for n in range(80)]
        answers = [ask(guarded, TOKEN).status_code for _ in range(10)]
        seen = {each.result().status_code for each in flood}
    assert answers == [200] * 10
    assert seen == {401, 429}


def test_the_cookie_does_not_follow_from_the_token(harbour):
    cookies = []
    for _ in range(2):
        with serving(harbour, OUTCROP_TOKEN=TOKEN) as started:
            cookies.append(log_in(started.url, TOKEN).cookies["outcrop_session"])
    assert cookies[0] != cookies[1]
