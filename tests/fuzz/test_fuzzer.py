"""The fuzzer itself: it repeats, finds, shrinks, saves and survives."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest

from fuzz import check, seeds
from fuzz.cases import DOCUMENT, TARGETS, Case, CaseMaker
from fuzz.check import Failure, check_sections, try_case
from fuzz.findings import Finding, load_finding
from fuzz.run import DEAD, HANG, Run, ends_as
from fuzz.shrink import Shrinker
from fuzz.worker import Plan, Tally, work

TEXT = "# A\n\nb \udc80\n"
SETTINGS = {"view": "chunks", "max_chunk_size": 100}


@pytest.fixture
def plan(tmp_path):
    return Plan(
        seed="1",
        targets=("mutation",),
        documents=40,
        deadline=time.monotonic() + 50,
        workers=2,
        slow=10.0,
        memory=256,
        keep=1,
        log=tmp_path / "stderr.log",
    )


def case_of(text: str, **settings) -> Case:
    return Case("grammar", {DOCUMENT: text}, {**SETTINGS, **settings})


@pytest.mark.parametrize("target", TARGETS)
def test_a_seed_and_a_number_give_the_same_case_again(target):
    first, again = CaseMaker("7", (target,)), CaseMaker("7", (target,))
    cases = [first.case(number) for number in range(50)]
    assert [again.case(number) for number in reversed(range(50))] == cases[::-1]
    assert len({str(case) for case in cases}) > 40


def test_another_seed_gives_other_cases():
    assert CaseMaker("7").case(1) != CaseMaker("8").case(1)


def test_seeds_are_pages_and_the_documents_inside_tests():
    texts = ["".join(lines) for lines in seeds.own_documents()]
    assert (seeds.ROOT / "README.md").read_text("utf-8") in texts
    assert len(texts) > 100


def test_without_archives_there_are_no_examples(tmp_path):
    assert seeds.spec_examples(tmp_path) == []


def test_examples_are_read_from_archives(tmp_path):
    fence = "`" * 32
    page = tmp_path / "spec.txt"
    page.write_text(f"text\n\n{fence} example x\n→a\n.\n<p>\n{fence}\n", "utf-8")
    subprocess.run(["tar", "czf", "s.tar.gz", "spec.txt"], cwd=tmp_path, check=True)
    assert seeds.spec_examples(tmp_path) == [["\ta\n"]]


def test_a_document_that_keeps_the_promises_is_no_failure():
    for view in ("chunks", "tree"):
        assert try_case(case_of(TEXT, view=view)) is None
    assert try_case(case_of(TEXT, view="sections", max_depth=3)) is None


def test_lost_text_is_a_failure(monkeypatch):
    def lossy(self, text):
        return whole(self, text)[1:]

    whole = check.MarkdownChunker.chunk
    monkeypatch.setattr(check.MarkdownChunker, "chunk", lossy)
    failure = try_case(case_of(TEXT))
    assert failure.promise.startswith("promises.py, _check_complete")


def test_a_crash_names_the_function_and_not_the_line(monkeypatch):
    def crash(self, text):
        raise ValueError(text)

    monkeypatch.setattr(check.MarkdownChunker, "chunk", crash)
    failure = try_case(case_of("x"))
    assert failure == Failure(
        "ValueError in test_fuzzer.py, crash: raise ValueError(text)", "ValueError: x"
    )


def test_a_document_that_takes_too_long_is_a_failure(monkeypatch):
    def spin(self, text):
        while True:
            pass

    monkeypatch.setattr(check.MarkdownChunker, "chunk", spin)
    assert try_case(case_of("x"), seconds=0.1).promise == "too slow"


def test_sections_that_lose_text_are_found(monkeypatch):
    monkeypatch.setattr(check.MarkdownSplitter, "split", lambda *_: [])
    with pytest.raises(AssertionError):
        check_sections("# A\n", 3)


def test_shrinking_leaves_what_is_needed():
    case = case_of("one\ntwo bad three\nfour\n", strategy="fallback", length="words")

    def fails(tried):
        return "b" in tried.files[DOCUMENT] and "length" in tried.settings

    small = Shrinker(fails).shrink(case)
    assert small == case_of("b", length="words")


def test_shrinking_drops_files():
    case = Case("code", {"a.py": "x", "b.py": "bad"}, {"limit": 16, "level": "flow"})
    small = Shrinker(lambda tried: "bad" in tried.files.get("b.py", "")).shrink(case)
    assert small.files == {"b.py": "bad"}


def test_a_finding_survives_its_file(tmp_path):
    finding = Finding(Failure("p", "d"), case_of("\udc80\x00\r\n"), "1", 2)
    assert load_finding(finding.save(tmp_path)) == finding


def test_a_run_tries_every_case_once(plan):
    result = Run(plan).run()
    assert result.total.tried == {"mutation": 40}


def die(plan, first, position, pipe):
    """Stand for a worker that a document brings down."""
    if first == 0:
        position.value = 6
        os.kill(os.getpid(), signal.SIGKILL)
    work(plan, first, position, pipe)


def test_a_process_that_dies_is_a_finding_and_replaced(plan):
    found = []
    result = Run(replace(plan, workers=1), found.append, die).run()
    (finding,) = [one for one in found if one.failure.promise == "dead process"]
    assert finding.case == CaseMaker("1", ("mutation",)).case(6)
    assert finding.failure.detail == f"it ended with {-signal.SIGKILL}"
    assert result.total.tried["mutation"] == 40 - 6


@pytest.mark.parametrize("promise", [DEAD, HANG])
def test_a_case_that_only_breaks_a_promise_ends_in_no_other_way(promise):
    assert not ends_as(promise, case_of(TEXT))


def test_findings_of_one_shape_are_reported_once(plan):
    run = Run(plan)
    finding = Finding(Failure("p", "d"), case_of("abc"), "1", 2)
    twin = replace(finding, case=case_of("xyz"))
    assert run.result.add(Tally(findings=[finding])) == [finding]
    assert run.result.add(Tally(findings=[twin])) == []


def test_the_command_prints_its_seed_and_the_rate():
    command = [sys.executable, "-m", "fuzz", "--documents", "50", "--seed", "3"]
    path = os.pathsep.join([str(seeds.ROOT / "tests"), *sys.path])
    done = subprocess.run(
        command,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        check=False,
    )
    assert b"SEED=3" in done.stdout
    assert b"mutation" in done.stdout
    assert done.returncode in {0, 1}, done.stderr


def test_a_finding_that_was_mended_replays_without_failure(tmp_path):
    path = Finding(Failure("p", "d"), case_of(TEXT), "1", 2).save(tmp_path)
    command = [sys.executable, "-m", "fuzz", "--replay", str(path)]
    where = os.pathsep.join([str(seeds.ROOT / "tests"), *sys.path])
    done = subprocess.run(
        command,
        env={**os.environ, "PYTHONPATH": where},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"keeps every promise" in done.stdout
