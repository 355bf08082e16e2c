"""Runs as people see them."""

from datetime import UTC, datetime

from outcrop.cli.runs import list_lines, run_lines
from outcrop.model.run import Run, RunState

STARTED = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)
RUN = Run(
    id=7,
    kind="chunk-build",
    state=RunState.DONE,
    application_id="tea",
    strategy="adaptive",
    statistics={
        "processed_nodes": 1200,
        "written_chunks": 1,
        "stages": {
            "embed": {"done": 9, "failed": 0, "total": 9},
            "extract-snippet": {"done": 9, "failed": 1, "total": 10},
        },
        "chunks": {"done": 9, "failed": 1, "dropped": 2, "open": 0, "stale": 0},
        "notes": ["a note with \x1b[31m"],
    },
    errors=[
        {
            "stage": "extract-snippet",
            "path": "tea/pot.py",
            "line": 3,
            "title": "tea.pot.Pot",
            "message": "no\x07 tea",
        },
        {"stage": "plan", "subject": "tea.cup", "error": "too deep"},
    ],
    started_at=STARTED,
    finished_at=STARTED.replace(minute=31, second=5),
)


def test_a_run_is_shown_with_stages_in_order_and_failures():
    assert list(run_lines(RUN)) == [
        "run         7, done",
        "what        chunk-build of tea by adaptive",
        "started     2026-03-01 09:30:00 UTC",
        "took        1 min 5 s",
        "planning    1,200 nodes planned, 1 chunk written",
        "stages      extract-snippet  9 of 10, 1 failed",
        "            embed            9 of 9",
        "dropped     2 chunks taken over by another run, or deleted",
        "note        a note with \\x1b[31m",
        "failures    extract-snippet: tea/pot.py:3 tea.pot.Pot: no\\x07 tea",
        "            plan: tea.cup: too deep",
    ]


def test_a_list_has_a_line_a_run():
    failed = Run(id=8, kind="index", state=RunState.FAILED, error="no\ndisk")
    assert list(list_lines([failed, RUN])) == [
        "   8  failed                    index: no\\ndisk",
        (
            "   7  done    2026-03-01 09:30  chunk-build of tea by adaptive: "
            "9 of 10 chunks done, 1 failed"
        ),
    ]


def test_only_the_first_failures_are_shown():
    many = Run(
        id=1,
        kind="chunk-build",
        state=RunState.DONE,
        errors=[
            {"stage": "embed", "chunk_id": str(n), "message": "x"} for n in range(30)
        ],
    )
    assert list(run_lines(many))[-1] == "            and 10 more; see --json"


def test_a_run_that_only_removed_documents_says_so():
    run = Run(
        id=8, kind="index", state=RunState.DONE, statistics={"removed": 2, "added": 0}
    )
    assert "2 documents removed" in "\n".join(list_lines([run]))
