"""A server on loopback that speaks the OpenAI protocol, well or badly."""

import json
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from outcrop.providers import Endpoint

KEY = "sk-test-5ecret-key-0123456789"


@dataclass
class Answer:
    """What the server does with one request."""

    status: int = 200
    body: object = None  # the right answer where None; text is sent as it is
    headers: dict = field(default_factory=dict)
    hangs: bool = False
    stalls: bool = False  # after the head of the answer


@dataclass
class Server:
    """What the server was told and what it saw."""

    address: str = ""
    script: deque = field(default_factory=deque)  # answers to come, then right ones
    rules: list = field(default_factory=list)  # (substring of the request, answer)
    requests: list = field(default_factory=list)
    dimension: int = 8
    most_at_once: int = 0
    delay: float = 0.0
    released: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)
    at_once: int = 0

    @property
    def prompts(self):
        """The user's part of every chat request."""
        return [
            request["body"]["messages"][-1]["content"]
            for request in self.requests
            if "messages" in request["body"]
        ]

    def endpoint(self, **settings):
        patience = {"timeout": 20.0, "wait_initial": 0.01, "wait_max": 0.2}
        return Endpoint(base_url=self.address, **{**patience, **settings})

    def patience(self, answer):
        """Wait long for an answer on a busy machine, but not for none."""
        return {"timeout": 1.0 if answer.hangs else 20.0}

    def next_answer(self, text):
        with self.lock:
            for substring, answer in self.rules:
                if substring in text:
                    return answer
            return self.script.popleft() if self.script else Answer()


def right_body(path, body, dimension):
    if path.endswith("/embeddings"):
        data = [
            {
                "object": "embedding",
                "index": index,
                "embedding": [float(len(text) + i + 1) for i in range(dimension)],
            }
            for index, text in enumerate(body["input"])
        ]
        # Nothing says that the order is kept.
        return {"object": "list", "model": body["model"], "data": data[::-1]}
    if path.endswith("/rerank"):
        return right_scores(body)
    prompt = body["messages"][-1]["content"]
    heading = prompt.partition("<heading>\n")[2].partition("\n</heading>")[0]
    message = {"role": "assistant", "content": f"About {heading or 'the document'}."}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 0,
        "model": body["model"],
        "choices": [choice],
    }


def right_scores(body):
    """Score texts by the question's words in them; those of servers of both kinds."""
    words = set(body["query"].lower().split())
    texts = body.get("documents", body.get("texts"))
    name = "relevance_score" if "documents" in body else "score"
    scores = [
        {"index": index, name: len(words & set(text.lower().split())) / len(words)}
        for index, text in enumerate(texts)
    ]
    scores.sort(key=lambda item: -item[name])  # the best first, as they do
    return {"results": scores} if "documents" in body else scores


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.0"  # a connection ends with its answer
    state: Server

    def do_POST(self):
        state = self.state
        text = self.rfile.read(int(self.headers["Content-Length"])).decode()
        body = json.loads(text)
        with state.lock:
            headers = {name.lower(): value for name, value in self.headers.items()}
            request = {"path": self.path, "body": body, "headers": headers}
            state.requests.append({**request, "at": time.monotonic()})
            state.at_once += 1
            state.most_at_once = max(state.most_at_once, state.at_once)
        answer = state.next_answer(text)
        if answer.hangs:
            state.released.wait(30)
        elif state.delay:
            state.released.wait(state.delay)
        with state.lock:
            state.at_once -= 1
        self.reply(answer, body)

    def reply(self, answer, body):
        content = answer.body
        if content is None:
            content = right_body(self.path, body, self.state.dimension)
        data = content if isinstance(content, str) else json.dumps(content)
        self.send_response(answer.status)
        headers = {"Content-Type": "application/json", **answer.headers}
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data.encode())))
        self.end_headers()
        if answer.stalls:
            self.state.released.wait(30)
            return
        self.wfile.write(data.encode())

    def log_message(self, *arguments):
        pass


class QuietServer(ThreadingHTTPServer):
    daemon_threads = False
    block_on_close = True
    request_queue_size = 64  # the default of 5 makes a burst of clients wait a second

    def handle_error(self, request, client_address):
        """A client that hung up is part of the tests."""
