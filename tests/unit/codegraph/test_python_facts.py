"""What is read of a Python file, before any other file is known."""

from __future__ import annotations

from outcrop.codegraph.parse import parse_file


def test_a_name_called_twice_in_a_function_is_one_call_to_resolve():
    text = b"def run(task):\n    task.step()\n    task.step()\n    helper()\n"

    flow = parse_file("job.py", "python", text).body

    assert len(flow.calls) == len(set(flow.calls)) == 2
