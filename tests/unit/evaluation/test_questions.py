"""Questions with known answers, as people write them down."""

from __future__ import annotations

import json

import pytest

from outcrop.errors import InputError
from outcrop.evaluation.questions import read_questions

TEXT = "# Tea\r\n\r\n## Boil\r\nHeat.\u2028\r\n\r\n### Hot\r\nVery.\r\n## Steep\r\nWait.\r\n"


@pytest.fixture
def ask(tmp_path):
    """Return the answer of one question about `tea.md`."""
    (tmp_path / "tea.md").write_bytes(TEXT.encode())

    def read(**question):
        file = tmp_path / "questions.jsonl"
        file.write_text("\n" + json.dumps({"query": "q", "path": "tea.md"} | question))
        (found,) = read_questions(file, tmp_path)
        ((start, end),) = found.spans
        return TEXT[start:end]

    return read


def test_a_path_alone_is_the_whole_document(ask):
    assert ask() == TEXT


def test_lines_count_from_one_and_end_with_the_last(ask):
    assert ask(lines=1) == "# Tea\r"
    assert ask(lines=[3, 4]) == "## Boil\r\nHeat.\u2028\r"
    assert ask(lines=[8, 9]) == "## Steep\r\nWait.\r"


def test_a_heading_is_its_section_with_the_sections_below(ask):
    assert ask(heading="Boil").startswith("## Boil")
    assert ask(heading="Boil").endswith("Very.\r\n")
    assert ask(heading="Steep") == "## Steep\r\nWait.\r\n"


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ({"lines": [4, 2]}, ":2: lines is [4, 2], but it must be one line or"),
        ({"lines": 99}, ":2: lines is 99"),
        ({"heading": "Pour"}, ":2: there is no heading 'Pour'"),
        ({"heading": "Boil", "lines": 1}, ":2: both lines and heading are given"),
        ({"query": " "}, ":2: query is ' ', but it must be a text"),
        ({"answer": "x"}, ":2: unknown key 'answer'; choose among: heading, lines"),
        ({"path": "no.md"}, ":2: the document "),
    ],
)
def test_a_question_that_cannot_be_scored_is_refused_with_its_line(
    ask, question, message
):
    with pytest.raises(InputError) as caught:
        ask(**question)
    assert message in str(caught.value)


@pytest.mark.parametrize("text", ["", "\n\n"])
def test_a_file_without_questions_is_refused(tmp_path, text):
    (tmp_path / "questions.jsonl").write_text(text)
    with pytest.raises(InputError, match="has no questions"):
        read_questions(tmp_path / "questions.jsonl", tmp_path)


def test_a_line_that_is_not_json_is_refused(tmp_path):
    (tmp_path / "questions.jsonl").write_text('{"query": "x"\n')
    with pytest.raises(InputError, match=r"questions\.jsonl:1: not valid JSON"):
        read_questions(tmp_path / "questions.jsonl", tmp_path)


def test_a_line_that_is_nested_too_deeply_is_refused(tmp_path):
    (tmp_path / "questions.jsonl").write_text("[" * 100_000)
    with pytest.raises(InputError, match=r"questions\.jsonl:1: not valid JSON"):
        read_questions(tmp_path / "questions.jsonl", tmp_path)


def test_a_file_that_cannot_be_read_is_named_once(tmp_path):
    file = tmp_path / "questions.jsonl"
    with pytest.raises(InputError) as caught:
        read_questions(file, tmp_path)
    assert str(caught.value) == f"{file} cannot be read: no such file or directory"
    file.write_bytes(b'{"query": "caf\xe9"}\n')
    with pytest.raises(InputError, match="cannot be read: not UTF-8"):
        read_questions(file, tmp_path)
