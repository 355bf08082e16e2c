"""Measuring: processes of their own, records for the counter, stages that exist."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from _markdown_measure import Sample, Site, _is_settled, measure_shapes
from _markdown_process import NoAnswerError, Worker
from _markdown_profile import STAGES, find_stage, profile
from _markdown_shapes import SHAPES
from _markdown_tools import OUTCROP, TOOLS, count_inside_lines

from outcrop import ChunkConfig, MarkdownChunker

PYTHON = Path(sys.executable)


def site(**changes):
    settings = {"rounds": 1, "seconds": 30.0, "say": lambda line: None}
    return Site(python=PYTHON, peer_python=PYTHON, **(settings | changes))


def test_records_hold_the_own_text_with_its_offsets_and_lines():
    text = "\n# A\r\n\r\n" + "Words go on. " * 20 + "\r\n\r\n## B\r\n\r\nEnd.\r\n"
    chunks = MarkdownChunker(ChunkConfig(max_chunk_size=100)).chunk(text)
    records = TOOLS[OUTCROP].describe(text, chunks)
    lines = text.replace("\r\n", "\n").split("\n")
    assert len(records) > 2
    assert records[-1]["path"] == ["A", "B"]
    for record in records:
        assert record["t"] == text[record["s"] : record["e"]]
        claimed = "".join(lines[record["sl"] - 1 : record["el"]])
        assert "".join(record["t"].split()) in "".join(claimed.split())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# A\n\nOne. Two.\n", 0),
        ("# A\r\n\r\n" + "Words go on. " * 12, 2),
        ("# A\r\r" + "Words go on.\r\r" * 12, 0),
    ],
)
def test_chunks_that_start_or_end_inside_a_line_are_counted(text, expected):
    chunks = MarkdownChunker(ChunkConfig(max_chunk_size=100)).chunk(text)
    records = TOOLS[OUTCROP].describe(text, chunks)
    assert count_inside_lines(text, records) == expected


def test_a_shape_is_timed_and_weighed_in_a_fresh_process():
    # Busy machines may count the CPU time of a few milliseconds as none.
    found = measure_shapes(site(), [TOOLS[OUTCROP]], [SHAPES["quotes"]], 1000, (64,))
    sample = found[OUTCROP, "quotes", 64]
    assert sample.failure == ""
    assert sample.size == 320_005
    assert sample.seconds > 0
    assert sample.memory >= 0


def test_a_tool_that_takes_too_long_has_no_result_and_no_larger_one_is_tried():
    asked = []
    found = measure_shapes(
        site(seconds=0.01, say=asked.append),
        [TOOLS[OUTCROP]],
        [SHAPES["long-line"]],
        1000,
        (16, 64),
    )
    assert [sample.seconds for sample in found.values()] == [None, None]
    assert "no answer, ended by SIG" in found[OUTCROP, "long-line", 64].failure
    assert asked == ["long-line x16, round 1: outcrop"]


def test_a_process_that_does_not_answer_is_ended():
    failure = pytest.raises(NoAnswerError, match="no answer, ended by SIGKILL")
    with Worker(PYTHON, OUTCROP, 0.001) as worker, failure:
        worker.ask("versions")


def test_a_long_run_is_not_repeated():
    assert _is_settled(Sample(rounds=[9.0]))
    assert _is_settled(Sample(failure="no answer"))
    assert not _is_settled(Sample(rounds=[0.2]))
    assert not _is_settled(Sample())


def test_a_sample_without_a_result_has_neither_time_nor_memory():
    sample = Sample(failure="no answer")
    assert sample.seconds is None
    assert sample.memory is None


def test_a_failing_question_says_why():
    with Worker(PYTHON, OUTCROP, 30) as worker:
        with pytest.raises(NoAnswerError, match="TypeError"):
            worker.ask("records", folder="x", limit=1000)
        assert worker.ask("versions")["version"]


@pytest.mark.parametrize(("title", "module", "name"), STAGES)
def test_every_stage_of_the_profile_exists(title, module, name):
    assert callable(find_stage(module, name)[2])


def test_profiling_times_the_stages_and_leaves_the_chunker_as_it_was(tmp_path):
    (tmp_path / "a.md").write_text("# A\n\n" + "Words go on. " * 4000, "utf-8")
    before = [find_stage(module, name)[2] for _, module, name in STAGES]
    found = dict(profile(tmp_path, 200, rounds=1))
    assert [find_stage(module, name)[2] for _, module, name in STAGES] == before
    assert 0 < found["analyse"] < found["whole"]
    assert found["    read the events"] <= found["  parse"]
    assert found["split sections"] > 0
