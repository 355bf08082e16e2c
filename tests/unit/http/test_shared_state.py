"""What the workers of one server have in common."""

from __future__ import annotations

import subprocess
import sys

from outcrop.http.guard import MAX_FREE, Guesses
from outcrop.http.workers import RunLock, SharedState


def test_one_process_at_a_time_holds_the_run_lock(tmp_path):
    first, second = RunLock(tmp_path / "run.lock"), RunLock(tmp_path / "run.lock")
    assert first.take()
    first.note(7)
    assert not second.take()
    assert second.run_id() == 7
    first.release()
    assert second.take()
    second.release()


def test_a_process_that_ends_gives_up_the_run_lock(tmp_path):
    path = tmp_path / "run.lock"
    script = (
        "import sys; from pathlib import Path; from outcrop.http.workers import RunLock;"
        "lock = RunLock(Path(sys.argv[1])); print(lock.take()); lock.note(12)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(path)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "True\n"
    lock = RunLock(path)
    assert lock.run_id() == 12
    assert lock.take()
    lock.release()


def test_a_lock_that_was_never_taken_names_no_run(tmp_path):
    assert RunLock(tmp_path / "run.lock").run_id() is None


def test_the_secret_of_sessions_is_not_shown(tmp_path):
    shared = SharedState(folder=tmp_path, workers=2)
    assert shared.session not in repr(shared)


def test_workers_share_the_allowance_of_wrong_tokens():
    one, two = Guesses(workers=1), Guesses(workers=2)
    for _ in range(MAX_FREE // 2):
        one.note_wrong("10.0.0.1")
        two.note_wrong("10.0.0.1")
    assert one.wait("10.0.0.1") == 0
    assert two.wait("10.0.0.1") > 0
