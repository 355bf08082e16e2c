"""The summary generator, with models of every temper."""

import asyncio
from dataclasses import dataclass, field

import pytest

from outcrop.errors import ConfigError, MissingExtraError, SummaryError
from outcrop.sections import MarkdownSplitter, SummaryGenerator

TEXT = "intro\n\n# A\n\na\n\n## B\n\nb\n\n# C\n\nc\n"


@dataclass
class Scribe:
    """A summarizer that repeats the heading, and fails where it is told to."""

    failures: dict = field(default_factory=dict)
    name: str = "scribe"
    calls: list = field(default_factory=list)
    running: int = 0
    most_running: int = 0

    async def summarize(
        self, text, *, heading=None, document_summary=None, max_chars=400
    ):
        self.calls.append((text, heading, document_summary, max_chars))
        self.running += 1
        self.most_running = max(self.most_running, self.running)
        await asyncio.sleep(0)
        self.running -= 1
        outcome = self.failures.get(heading, f" about {heading} ")
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome


def add_summaries(model, **settings):
    sections = MarkdownSplitter().split(TEXT, "a.md", "h")
    generator = SummaryGenerator(model, **settings)
    return sections, asyncio.run(generator.add_summaries(sections, TEXT))


def test_sections_come_back_in_order_with_both_summaries():
    before, after = add_summaries(Scribe())
    assert [section.id for section in before] == [section.id for section in after]
    assert [section.summary for section in after] == [
        "about (document root)",
        "about A",
        "about B",
        "about C",
    ]
    assert {"about None"} == {section.document_summary for section in after}


def test_given_sections_are_not_changed():
    before, after = add_summaries(Scribe())
    assert before == MarkdownSplitter().split(TEXT, "a.md", "h")
    assert all(section.summary is None for section in before)
    assert all(section.summary for section in after)


def test_model_is_given_text_heading_context_and_limit():
    model = Scribe()
    add_summaries(model, document_chars=500, section_chars=70)
    assert model.calls[0] == (TEXT, None, None, 500)
    assert ("## B\n\nb\n\n", "B", "about None", 70) in model.calls[1:]


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_no_more_than_the_allowed_number_run_at_once(limit):
    model = Scribe()
    add_summaries(model, max_concurrency=limit)
    assert limit == model.most_running


@pytest.mark.parametrize(
    ("failure", "reason"),
    [
        (SummaryError("broken", stage="summarize"), "broken"),
        (RuntimeError("out of luck"), "RuntimeError: out of luck"),
        ("", "the model gave an empty summary"),
        (" \n", "the model gave an empty summary"),
    ],
)
def test_failed_section_says_why_and_the_others_are_done(failure, reason):
    _, after = add_summaries(Scribe({"B": failure}))
    assert [section.summary for section in after] == [
        "about (document root)",
        "about A",
        None,
        "about C",
    ]
    assert f"section summary: {reason}" == after[2].summary_error
    assert after[2].document_summary == "about None"
    assert {None} == {after[place].summary_error for place in (0, 1, 3)}


def test_failed_document_summary_leaves_the_sections_theirs():
    _, after = add_summaries(Scribe({None: RuntimeError("no"), "C": ""}))
    assert all(section.document_summary is None for section in after)
    assert after[0].summary == "about (document root)"
    assert after[0].summary_error == "document summary: RuntimeError: no"
    assert after[3].summary_error == (
        "document summary: RuntimeError: no;"
        " section summary: the model gave an empty summary"
    )


def test_single_summaries_raise_with_the_section_s_id():
    generator = SummaryGenerator(Scribe({None: "", "A": RuntimeError("no")}))
    section = MarkdownSplitter().split(TEXT, "a.md", "h")[1]
    with pytest.raises(SummaryError) as caught:
        asyncio.run(generator.generate_section_summary(section))
    assert section.id == caught.value.chunk_id
    assert caught.value.stage == "summarize"
    with pytest.raises(SummaryError, match="empty"):
        asyncio.run(generator.generate_document_summary(TEXT))


@pytest.mark.parametrize(
    "error", [ConfigError("wrong"), MissingExtraError("a model", "embed")]
)
def test_model_that_is_set_up_wrongly_is_no_failed_summary(error):
    with pytest.raises(type(error)):
        add_summaries(Scribe({None: error}))


def test_cancelling_is_not_a_failed_summary():
    with pytest.raises(asyncio.CancelledError):
        add_summaries(Scribe({"A": asyncio.CancelledError()}))


def test_no_sections_give_none():
    generator = SummaryGenerator(Scribe())
    assert asyncio.run(generator.add_summaries([], "")) == []


@pytest.mark.parametrize("name", ["max_concurrency", "document_chars", "section_chars"])
def test_setting_below_one_is_refused(name):
    with pytest.raises(ConfigError, match=f"{name} is 0"):
        SummaryGenerator(Scribe(), **{name: 0})
