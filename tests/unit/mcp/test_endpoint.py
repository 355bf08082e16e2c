"""A request is worked on as long as somebody waits for the answer."""

from __future__ import annotations

import anyio

from outcrop.mcp.endpoint import _Endpoint

BODY = {"type": "http.request", "body": b"{}", "more_body": False}
GONE = {"type": "http.disconnect"}


def ask(app, *messages, method="POST"):
    """Send messages to an endpoint, and return what it sends."""
    coming = list(messages)
    sent = []

    async def receive():
        if not coming:
            await anyio.sleep_forever()
        return coming.pop(0)

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "method": method, "headers": [], "path": "/mcp"}
    with_limit = anyio.run(_within, _Endpoint(app), scope, receive, send)
    assert with_limit, "it went on without end"
    return sent


async def _within(endpoint, scope, receive, send):
    with anyio.move_on_after(10) as limit:
        await endpoint(scope, receive, send)
    return not limit.cancelled_caught


class App:
    """An application that answers, or waits for ever."""

    def __init__(self, *, answers=True):
        self.answers = answers
        self.body = None
        self.state = "not asked"

    async def __call__(self, _scope, receive, send):
        self.state = "working"
        try:
            self.body = (await receive())["body"]
            if not self.answers:
                await anyio.sleep_forever()
            await send({"type": "http.response.start", "status": 200, "headers": []})
            self.state = "done"
        except anyio.get_cancelled_exc_class():
            self.state = "broken off"
            raise


def test_a_message_is_passed_on_and_answered():
    app = App()
    parts = ({**BODY, "body": b"{", "more_body": True}, {**BODY, "body": b"}"})
    assert [message["status"] for message in ask(app, *parts)] == [200]
    assert (app.state, app.body) == ("done", b"{}")


def test_work_that_nobody_waits_for_is_broken_off():
    app = App(answers=False)
    assert ask(app, BODY, GONE) == []
    assert app.state == "broken off"


def test_half_a_message_is_no_message():
    app = App()
    assert ask(app, {**BODY, "more_body": True}, GONE) == []
    assert app.state == "not asked"


def test_everything_but_post_is_refused():
    app = App()
    for method in ("GET", "DELETE", "OPTIONS"):
        start, _ = ask(app, BODY, method=method)
        assert start["status"] == 405
        assert (b"allow", b"POST") in start["headers"]
    assert app.state == "not asked"
