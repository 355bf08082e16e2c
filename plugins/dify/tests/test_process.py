"""The plugin as Dify runs it: a process that is asked and answers by lines of JSON."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

PLUGIN = Path(__file__).parents[1]
TEXT = "# A\n\nText.\n\n# B\n\nMore.\n"


@pytest.fixture(scope="module")
def process():
    with subprocess.Popen(
        [sys.executable, "main.py"],
        cwd=PLUGIN,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    ) as started:
        yield started
        started.terminate()


def ask(process, session, tool, parameters):
    """Return the messages that answer one request."""
    request = {
        "session_id": session,
        "event": "request",
        "data": {
            "type": "tool",
            "action": "invoke_tool",
            "user_id": "someone",
            "provider": "outcrop",
            "tool": tool,
            "credentials": {},
            "credential_type": "unauthorized",
            "tool_parameters": parameters,
        },
    }
    process.stdin.write(json.dumps(request) + "\n\n")
    process.stdin.flush()
    answers = []
    for line in process.stdout:
        message = json.loads(line) if line.strip() else {}
        if message.get("session_id") == session:
            answers.append(message["data"])
            if answers[-1]["type"] in {"end", "error"}:
                return answers
    raise AssertionError("the process ended")


def test_a_request_is_answered_with_variables(process):
    *variables, end = ask(
        process,
        "one",
        "outcrop_general",
        {"input_variable": TEXT, "max_chunk_length": 12, "enable_hierarchy": True},
    )
    assert end["type"] == "end"
    messages = [variable["data"]["message"] for variable in variables]
    assert [m["variable_name"] for m in messages] == ["result", "hierarchy"]
    assert messages[0]["variable_value"] == ["# A\n\nText.", "# B\n\nMore."]
    assert messages[1]["variable_value"]["outline"] == "- A\n- B"


def test_a_wrong_parameter_is_answered_with_its_name(process):
    *_, last = ask(
        process, "two", "outcrop_parent_child", {"input_text": TEXT, "max_length": 0}
    )
    assert last["type"] == "error"
    assert "max_length is 0, but it must be at least 1" in json.dumps(last)
