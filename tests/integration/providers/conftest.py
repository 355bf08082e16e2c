"""The server of these tests."""

import threading

import pytest

from integration.providers.endpoint_server import KEY, Handler, QuietServer, Server


@pytest.fixture
def server(monkeypatch):
    """A running server, with the key in the environment."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    state = Server()
    handler = type("BoundHandler", (Handler,), {"state": state})
    with QuietServer(("127.0.0.1", 0), handler) as http:
        state.address = f"http://127.0.0.1:{http.server_port}/v1"
        thread = threading.Thread(target=http.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield state
        finally:
            state.released.set()
            http.shutdown()
            thread.join()
