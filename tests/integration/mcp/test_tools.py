"""What an agent asks, and what it is told."""

from __future__ import annotations

import json

import jsonschema
import pytest

from integration.http.served import CODE, FILES, GUIDE
from integration.mcp.agents import agent_of, text_of
from outcrop.mcp.server import TOOLS
from outcrop.text.tokens import TokenCounter

READING = list(TOOLS)
CALLS = [
    ("search", {"query": "where does a long boat moor?"}),
    ("search", {"query": "nothing like this", "path_glob": "no/*"}),
    ("search", {"query": "where does a long boat moor?", "unit": "section"}),
    ("search", {"query": "where does a long boat moor?", "depth": 0}),
    ("context", {"query": "where does a long boat moor?"}),
    ("context", {"query": "fees", "unit": "section", "with_summaries": True}),
    ("outline", {}),
    ("outline", {"path": "docs/guide.md"}),
    ("outline", {"path": "src/harbour/berths.py"}),
    ("related", {"symbol": "reserve_berth"}),
    ("index_status", {}),
]

count = TokenCounter()


def line_of(text: str, words: str) -> int:
    return text[: text.index(words)].count("\n") + 1


def listed(agent):
    return {tool.name: tool for tool in agent.do(lambda c: c.list_tools()).tools}


def test_every_tool_says_that_it_only_reads(agent):
    tools = listed(agent)
    assert list(tools) == READING
    for tool in tools.values():
        assert tool.annotations.read_only_hint is True
        assert tool.annotations.destructive_hint is False
        assert tool.annotations.open_world_hint is False
        assert tool.title
        assert tool.description


def test_a_tool_that_writes_is_there_only_where_it_is_allowed(harbour_index):
    tools = listed(agent_of(harbour_index, allow_writes=True))
    assert list(tools) == [*READING, "reindex"]
    assert tools["reindex"].annotations.read_only_hint is False


def test_what_an_agent_reads_of_the_tools_is_short(agent):
    shown = [
        f"{tool.name} {tool.description} {json.dumps(tool.input_schema)}"
        for tool in listed(agent).values()
    ]
    assert count("\n".join(shown)) < 1_850
    assert '"title"' not in "".join(shown)


@pytest.mark.parametrize(("tool", "arguments"), CALLS)
def test_data_are_as_their_schema_says(agent, tool, arguments):
    schema = listed(agent)[tool].output_schema
    jsonschema.validate(agent.ask(tool, **arguments), schema)


@pytest.mark.parametrize(("tool", "arguments"), CALLS)
def test_an_answer_is_small_by_default(agent, tool, arguments):
    assert count(text_of(agent.call(tool, **arguments))) <= 2_000


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_old_and_new_clients_are_answered_alike(agent, mode):
    found = type(agent)(agent.target, mode).ask("search", query="north quay")
    assert found["hits"][0]["path"] == "docs/guide.md"


def test_a_hit_names_its_place(agent):
    hit = agent.ask("search", query="water deep enough at the north quay")["hits"][0]
    assert hit["path"] == "docs/guide.md"
    assert hit["heading"].startswith("Harbour guide > Berths")
    assert hit["start_line"] <= line_of(GUIDE, "north quay") <= hit["end_line"]
    assert "north quay" in hit["snippet"]
    text = text_of(agent.call("search", query="water deep enough at the north quay"))
    where = f"{hit['path']}:{hit['start_line']}-{hit['end_line']}"
    mark, _, rest = text.partition(" ")
    assert rest.startswith(f"1. {where}  {hit['heading']}  [{hit['id']}]\n")
    assert text.endswith(f"\n\n{mark} end")


def test_text_that_looks_like_json_is_text(agent):
    assert agent.ask("search", query='["north quay"]')["hits"]
    assert agent.call("outline", path="null").is_error
    assert agent.call("outline", path='{"a": 1}').is_error


def test_hits_can_be_limited_to_code_or_paths(agent):
    code = agent.ask("search", query="berth fee", kind="code")["hits"]
    assert {hit["path"] for hit in code} == {"src/harbour/berths.py"}
    texts = agent.ask("search", query="crane", path_glob=["docs/*.txt"])["hits"]
    assert {hit["path"] for hit in texts} == {"docs/notes.txt"}


def test_row_3_65_hits_can_be_limited_to_a_package(agent):
    found = agent.ask("search", query="berth fee", package="src.harbour.berths")["hits"]
    assert {hit["path"] for hit in found} <= {"src/harbour/berths.py"}
    (place, *_) = agent.ask("search", query="berth fee", kind="code")["hits"]
    package = place["heading"].rpartition(".")[0]
    inside = agent.ask("search", query="berth fee", package=package)["hits"]
    assert {hit["path"] for hit in inside} == {"src/harbour/berths.py"}
    packed = agent.ask("context", query="berth fee", package="no.such.package")
    assert packed["sources"] == []


def test_a_context_keeps_to_its_budget(agent):
    for budget in (50, 100, 400):
        packed = agent.ask("context", query="fees of berths", max_tokens=budget)
        assert count(packed["text"]) == packed["tokens"] <= budget
    assert packed["sources"]
    line = packed["text"].partition(" ")[2]
    assert line.startswith(f"[{packed['sources'][0]['path']}:")


def test_a_chunk_is_read_whole_and_with_its_neighbours(agent):
    hit = agent.ask("search", query="keel must leave the south basin", limit=1)["hits"][
        0
    ]
    (chunk,) = agent.ask("read_chunk", id=hit["id"])["chunks"]
    assert "boats with a keel must leave it in time" in chunk["text"]
    assert chunk["is_cut"] is False
    around = agent.ask("read_chunk", id=hit["id"], before=2)["chunks"]
    assert len(around) == 3
    assert around[-1] == chunk
    lines = [each["start_line"] for each in around]
    assert lines == sorted(lines)


def test_neighbours_of_a_section_stand_around_all_of_it(agent):
    entries = agent.ask("outline", path="docs/guide.md")["entries"]
    berths = next(entry for entry in entries if entry["title"] == "Berths")
    chunks = agent.ask("read_chunk", id=berths["id"], before=1, after=1)["chunks"]
    assert "### Fees" in chunks[1]["text"]
    assert "tide gauge" in chunks[2]["text"]
    assert len(chunks) == 3


def test_a_chunk_that_does_not_fit_is_cut_and_says_so(agent):
    entries = agent.ask("outline", path="docs/guide.md")["entries"]
    berths = next(entry for entry in entries if entry["title"] == "Berths")
    result = agent.call("read_chunk", id=berths["id"], after=1, max_tokens=50)
    (chunk,) = result.structured_content["chunks"]
    assert chunk["is_cut"]
    assert chunk["tokens"] <= 50
    assert len(chunk["parts"]) > 1
    assert result.structured_content["left_out"] == 1
    assert "[cut here: increase max_tokens, or read " in text_of(result)
    assert "[1 neighbours left out: increase max_tokens]" in text_of(result)


@pytest.mark.parametrize("path", ["src", "src/", "./src/harbour", "doc://src"])
def test_the_outline_of_a_folder_lists_its_documents(agent, path):
    entries = agent.ask("outline", path=path)["entries"]
    everything = agent.ask("outline", path=".")["entries"]
    assert entries == [each for each in everything if each["path"].startswith("src/")]
    assert everything == agent.ask("outline")["entries"] != entries


def test_an_outline_shows_sections_with_lines(agent):
    entries = agent.ask("outline", path="docs/guide.md")["entries"]
    assert [(e["depth"], e["title"]) for e in entries] == [
        (0, "Harbour guide"),
        (1, "Berths"),
        (2, "Fees"),
        (1, "Tides"),
    ]
    assert entries[1]["start_line"] == line_of(GUIDE, "## Berths")
    assert entries[1]["end_line"] >= entries[2]["end_line"]
    assert entries[1]["tokens"] > entries[2]["tokens"]
    shallow = agent.ask("outline", path="docs/guide.md", depth=2)["entries"]
    assert "Fees" not in [entry["title"] for entry in shallow]


def test_an_outline_of_code_shows_signatures(agent):
    entries = agent.ask("outline", path="src/harbour/berths.py")["entries"]
    titles = [entry["title"] for entry in entries]
    assert "def reserve_berth(number: int, length: float) -> int" in titles
    reserve = next(e for e in entries if "reserve_berth" in e["title"])
    assert reserve["start_line"] == line_of(CODE, "def reserve_berth")


def test_without_a_path_the_documents_are_listed_page_by_page(agent):
    first = agent.ask("outline", limit=4)
    assert [entry["path"] for entry in first["entries"]] == sorted(FILES)[:4]
    assert first["left_out"] == len(FILES) - 4
    rest = agent.ask("outline", after=4)
    assert [entry["path"] for entry in rest["entries"]] == sorted(FILES)[4:]
    assert rest["left_out"] == 0
    text = text_of(agent.call("outline", limit=4))
    assert text.endswith(f"[{len(FILES) - 4} more: after=4]")


def test_relatives_of_a_symbol_have_places(agent):
    found = agent.ask("related", symbol="reserve_berth")
    assert found["symbol"]["name"].endswith("harbour.berths.reserve_berth")
    assert found["symbol"]["signature"].startswith("def reserve_berth(number: int")
    assert found["symbol"]["start_line"] == line_of(CODE, "def reserve_berth")
    by_relation = {each["relation"]: each for each in found["related"]}
    caller = by_relation["caller"]
    assert caller["heading"].endswith("main")
    assert caller["path"] == "src/harbour/berths.py"
    assert caller["start_line"] <= line_of(CODE, "def main") <= caller["end_line"]
    assert by_relation["mention"]["path"] == "docs/guide.md"
    text = text_of(agent.call("related", symbol="reserve_berth"))
    assert f"caller: {caller['path']}:{caller['start_line']}-" in text


def test_relatives_of_a_document_are_the_symbols_it_names(agent):
    found = agent.ask("related", symbol="reserve_berth", relation="mentions")
    (mention,) = found["related"]
    named = agent.ask("related", symbol=mention["id"])
    assert "symbol" not in named
    assert [each["path"] for each in named["related"]] == ["src/harbour/berths.py"]


def test_relatives_of_a_chunk_of_code_are_those_of_its_symbol(agent):
    hit = agent.ask("search", query="reserve_berth", kind="code", limit=1)["hits"][0]
    found = agent.ask("related", symbol=hit["id"], relation="callers")
    assert {each["relation"] for each in found["related"]} == {"caller"}


def test_calls_outside_the_project_are_named(agent):
    found = agent.ask("related", symbol="harbour.berths.main")
    assert "builtins.print" in found["external"]


def test_more_relatives_than_the_limit_are_said_to_be_there(agent):
    found = agent.ask("related", symbol="reserve_berth", limit=1)
    assert len(found["related"]) == 1
    assert found["more"]
    assert "[more: give a greater limit]" in text_of(
        agent.call("related", symbol="reserve_berth", limit=1)
    )


def test_the_status_counts(agent, harbour):
    status = agent.ask("index_status")
    assert status["project"] == str(harbour)
    assert status["documents"] == {"code": 1, "markdown": 4, "text": 1}
    assert status["symbols"] > 0
    assert (status["changed"], status["gone"]) == (0, 0)
    assert "advice" not in status


def test_row_4_35_sections_are_found_and_can_be_read(agent):
    found = agent.ask("search", query="fee per night", unit="section")["hits"][0]
    assert (found["unit"], found["depth"]) == ("section", 3)
    assert found["heading"].endswith("Fees")
    assert found["matches"]
    read = agent.ask("read_chunk", id=found["id"], before=1)["chunks"]
    assert any("fee per night" in chunk["text"] for chunk in read)


def test_row_4_31_hits_have_summaries(agent):
    result = agent.call("search", query="when does the basin fall dry")
    hit = result.structured_content["hits"][0]
    assert "tide" in hit["summary"].lower()
    assert hit["document_summary"]
    assert f"summary: {hit['summary']}" in text_of(result)


def test_row_4_33_a_context_has_summaries_where_asked_for(agent):
    packed = agent.ask("context", query="fees of berths", with_summaries=True)
    assert " document: " in packed["text"]
    assert " document: " not in agent.ask("context", query="fees of berths")["text"]


def test_row_2_51_the_hierarchy_is_walked(agent):
    found = agent.ask("search", query="berth", unit="section", section="berths")["hits"]
    berths = next(hit for hit in found if hit["heading"].endswith("Berths"))
    below = agent.ask("hierarchy", id=berths["id"])["items"]
    assert [item["heading"].rpartition(" > ")[2] for item in below] == ["Fees"]
    above = agent.ask("hierarchy", id=below[0]["id"], relation="parents")["items"]
    assert above[-1]["id"] == berths["id"]
    beside = agent.ask("hierarchy", id=berths["id"], relation="siblings", limit=1)
    assert len(beside["items"]) == 1


@pytest.mark.parametrize("tool", ["search", "context"])
def test_a_misspelt_word_is_corrected_and_the_agent_is_told(agent, tool):
    answer = agent.ask(tool, query="watr level gauge")
    assert answer["searched_for"] == "water level gauge"
    assert "did_you_mean" not in answer
    lines = text_of(agent.call(tool, query="watr level gauge")).splitlines()
    mark = lines[0].partition(" ")[0]
    assert f"{mark} searched for: water level gauge" in lines
    assert "searched_for" not in agent.ask(tool, query="watr level", verbatim=True)
