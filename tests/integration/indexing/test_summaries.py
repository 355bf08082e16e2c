"""Summaries are made while documents are indexed, and shown with their hits."""

from __future__ import annotations

import pytest

from integration.providers.conftest import server
from integration.providers.endpoint_server import Answer
from outcrop.errors import ConfigError
from outcrop.indexing.config import IndexConfig

__all__ = ["server"]

GUIDE = (
    "# Guide\n\nThis guide explains how tea is made.\n\n## Boil\n\nHeat the water to"
    " eighty degrees. A kettle whistles when the water boils.\n\n## Steep\n\nWait for"
    " three minutes until the leaves have opened.\n"
)


def write(project, text: str = GUIDE) -> None:
    (project / "guide.md").write_text(text, encoding="utf-8")


def with_summaries(open_index, mode):
    return open_index(config=IndexConfig(summaries=mode, workers=1))


def test_row_4_31_hits_have_the_summary_of_their_section(index, project):
    write(project)
    index.index()
    hit = index.search("kettle", 1)[0]
    assert hit.headers == ("Guide", "Boil")
    assert "kettle" in hit.summary
    assert index.get(hit.id).summary == hit.summary


def test_row_4_32_hits_have_the_summary_of_their_document(index, project):
    write(project)
    index.index()
    hit = index.search("kettle", 1)[0]
    assert "tea is made" in hit.document_summary
    assert index.documents()[0].summary == hit.document_summary
    assert {s.document_summary for s in index.sections("guide.md")} == {
        hit.document_summary
    }


def test_row_4_33_a_context_has_the_summaries_within_its_budget(index, project):
    write(project)
    index.index()
    plain = index.context("kettle", 200)
    full = index.context("kettle", 200, with_summaries=True)
    assert "document: " not in plain
    hit = full.pieces[0].hit
    assert f"{full.mark} document: {hit.document_summary}\n" in full
    assert f"{full.mark} section: {hit.summary}\n" in full
    assert plain.token_count < full.token_count <= 200
    for budget in range(10, 200, 17):
        assert index.context("tea", budget, with_summaries=True).token_count <= budget


def test_a_heading_without_text_does_not_hide_the_summary(index, project):
    write(project, GUIDE.replace("This guide explains how tea is made.\n\n", ""))
    index.index()
    hit = index.search("kettle", 1)[0]
    assert "kettle" in hit.summary


def test_summaries_can_be_left_out(open_index, project):
    write(project)
    with with_summaries(open_index, "off") as index:
        index.index()
        hit = index.search("kettle", 1)[0]
        assert (hit.summary, hit.document_summary) == (None, None)


def test_the_way_of_the_last_run_is_kept(open_index, project):
    write(project)
    with with_summaries(open_index, "off") as index:
        index.index()
    with with_summaries(open_index, None) as index:
        assert index.index().unchanged == 1
        assert index.search("kettle", 1)[0].summary is None
    with with_summaries(open_index, "extractive") as index:
        assert index.index().changed == ["guide.md"]
        assert index.search("kettle", 1)[0].summary


def test_an_unknown_way_is_refused():
    with pytest.raises(ConfigError, match="choose one of: off, extractive, llm"):
        IndexConfig(summaries="magic")


def test_row_4_31_a_language_model_summarises_changed_sections(
    open_index, project, server, monkeypatch
):
    pytest.importorskip("openai")
    monkeypatch.setenv("OPENAI_BASE_URL", server.address)
    write(project)
    with with_summaries(open_index, "llm") as index:
        index.index()
        hit = index.search("kettle", 1)[0]
        assert (hit.summary, hit.document_summary) == (
            "About Boil.",
            "About the document.",
        )
        asked = len(server.prompts)
        assert asked == 4
        write(project, GUIDE.replace("three", "four"))
        index.index()
        again = [prompt for prompt in server.prompts[asked:] if "<heading>" in prompt]
        assert len(again) == 1
        assert index.search("kettle", 1)[0].summary == "About Boil."


def test_row_4_31_a_summary_that_fails_is_tried_again(
    open_index, project, server, monkeypatch
):
    pytest.importorskip("openai")
    monkeypatch.setenv("OPENAI_BASE_URL", server.address)
    server.rules.append(("eighty degrees", Answer(status=400, body={"error": "no"})))
    write(project)
    with with_summaries(open_index, "llm") as index:
        report = index.index()
        assert "summaries are missing: guide.md" in report.notes[0]
        assert index.search("kettle", 1)[0].summary is None
        server.rules.clear()
        index.index()
        assert index.search("kettle", 1)[0].summary == "About Boil."
