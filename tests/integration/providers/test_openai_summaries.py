"""Summaries from a language model behind an endpoint, against a real server."""

import asyncio
import logging
import traceback

import pytest

from integration.providers.endpoint_server import KEY, Answer
from outcrop.errors import SummaryError
from outcrop.providers import LanguageModel, open_language_model, open_summarizer
from outcrop.providers.openai_models import OpenAIChatModel
from outcrop.sections import MarkdownSplitter, Summarizer, SummaryGenerator

pytest.importorskip("openai")

TEXT = "intro\n\n" + "".join(f"# Part {n}\n\nText of part {n}.\n\n" for n in range(8))


def model(server, **patience):
    return OpenAIChatModel("small-model", endpoint=server.endpoint(**patience))


def add_summaries(server, *, patience=None, **settings):
    generator = SummaryGenerator(model(server, **patience or {}), **settings)
    sections = MarkdownSplitter().split(TEXT, "a.md", "hash")
    return asyncio.run(generator.add_summaries(sections, TEXT))


def test_it_is_a_language_model_and_a_summarizer(server):
    assert isinstance(model(server), LanguageModel)
    assert isinstance(model(server), Summarizer)
    assert model(server).name == "openai:small-model"


def test_completion_speaks_the_protocol(server):
    answer = asyncio.run(model(server).complete("Why?", system="Be brief."))
    assert answer == "About the document."
    (request,) = server.requests
    assert request["path"] == "/v1/chat/completions"
    assert request["headers"]["authorization"] == f"Bearer {KEY}"
    assert request["body"] == {
        "model": "small-model",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Why?"},
        ],
    }


def test_model_can_be_used_in_one_event_loop_after_another(server):
    subject = model(server)
    answers = [asyncio.run(subject.complete("Why?")) for _ in range(3)]
    assert answers == ["About the document."] * 3


def test_every_section_gets_its_summary_and_that_of_the_document(server):
    sections = add_summaries(server)
    assert [section.summary for section in sections] == [
        "About (document root).",
        *(f"About Part {n}." for n in range(8)),
    ]
    assert {"About the document."} == {section.document_summary for section in sections}
    assert {None} == {section.summary_error for section in sections}


def test_sections_are_summarised_with_their_text_and_the_document_summary(server):
    add_summaries(server, section_chars=123)
    (prompt,) = [text for text in server.prompts if "Part 3\n</heading>" in text]
    assert "Text of part 3." in prompt
    assert "Text of part 4." not in prompt
    assert "About the document." in prompt
    assert "123 characters" in prompt


def test_no_more_than_the_allowed_number_run_at_once(server):
    server.delay = 0.05
    add_summaries(server, max_concurrency=3)
    assert server.most_at_once == 3


FAILURES = {
    "too many requests": Answer(status=429, body="{}", headers={"Retry-After": "0.01"}),
    "server fault": Answer(status=500, body="oops"),
    "broken json": Answer(body='{"choices": [{"mess'),
    "a web page": Answer(body="<html>", headers={"Content-Type": "text/html"}),
    "a hang": Answer(hangs=True),
    "no choices": Answer(body={"id": "1", "choices": []}),
}


@pytest.mark.parametrize("kind", FAILURES)
def test_passing_failure_is_tried_again(kind, server):
    server.script.append(FAILURES[kind])
    subject = model(server, **server.patience(FAILURES[kind]))
    assert asyncio.run(subject.complete("Why?")) == "About the document."
    assert len(server.requests) == 2


@pytest.mark.parametrize("kind", FAILURES)
def test_failed_section_is_reported_and_the_others_are_done(kind, server, caplog):
    server.rules.append(("Text of part 5.\\n\\n\\n</text>", FAILURES[kind]))
    patience = server.patience(FAILURES[kind]) | {"attempts": 2}
    sections = add_summaries(server, patience=patience, max_concurrency=9)
    failed = [section for section in sections if section.summary is None]
    assert [section.heading for section in failed] == ["Part 5"]
    assert failed[0].summary_error.startswith("section summary: 127.0.0.1 ")
    assert failed[0].document_summary == "About the document."
    assert any(failed[0].id in record.getMessage() for record in caplog.records)
    assert all(section.summary_error is None for section in sections if section.summary)


def test_failed_document_summary_is_reported_and_the_sections_are_done(server):
    server.rules.append(("600 characters", Answer(status=400, body="{}")))
    sections = add_summaries(server)
    assert {None} == {section.document_summary for section in sections}
    assert all(section.summary for section in sections)
    assert all(
        section.summary_error.startswith("document summary: 127.0.0.1 answered 400")
        for section in sections
    )


@pytest.mark.parametrize(
    "body",
    [
        {"choices": [{"index": 0, "message": {"role": "assistant", "content": ""}}]},
        {"choices": [{"index": 0, "message": {"role": "assistant", "content": None}}]},
        {"choices": [{"index": 0}]},
    ],
)
def test_answer_without_text_is_an_error(body, server):
    server.rules.append(("Why", Answer(body=body)))
    with pytest.raises(SummaryError, match="without any text"):
        asyncio.run(model(server).complete("Why?"))
    assert len(server.requests) == 1


def test_very_long_text_is_cut_at_a_line(server):
    text = "A line of this very long text.\n" * 5000
    asyncio.run(model(server).summarize(text))
    (prompt,) = server.prompts
    assert len(prompt) < 61_000
    assert "long text.\n[…]\n</text>" in prompt


def test_lone_surrogate_is_sent_as_the_replacement_character(server):
    asyncio.run(model(server).summarize("a\ud800b"))
    assert "a\ufffdb" in server.prompts[0]


def test_key_is_in_no_repr_error_or_log(server, caplog):
    echo = {"error": {"message": f"key {KEY} is wrong"}}
    server.rules.append(("Why", Answer(status=401, body=echo)))
    subject = model(server)
    with caplog.at_level(logging.DEBUG), pytest.raises(SummaryError) as caught:
        asyncio.run(subject.complete("Why?"))
    shown = "".join(traceback.format_exception(caught.value))
    logged = "".join(
        f"{record.getMessage()}{vars(record)}" for record in caplog.records
    )
    assert "[key]" in shown
    for text in (shown, logged, repr(subject)):
        assert KEY not in text


def test_models_open_by_name(server):
    for open_model in (open_summarizer, open_language_model):
        opened = open_model("openai:a:b", endpoint=server.endpoint())
        assert opened.name == "openai:a:b"
