"""What cannot be answered is refused with what to do, and nothing breaks."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import anyio
import pytest

from integration.mcp.agents import Agent, agent_of, text_of
from outcrop.cli.opening import Choice
from outcrop.errors import InvariantError, StorageError
from outcrop.indexing.index import Index
from outcrop.mcp.server import create_server, make_gate
from outcrop.mcp.source import IndexSource

if TYPE_CHECKING:
    from mcp import Client

WRONG = [
    ("search", {}, "query: field required"),
    ("search", {"query": ""}, "the query is empty; say what to search for"),
    ("search", {"query": "\0 \0"}, "the query is empty"),
    ("search", {"query": 7}, "query: input should be a valid string"),
    ("search", {"query": "x", "limit": 0}, "limit: input should be greater than"),
    ("search", {"query": "x", "limit": 10**30}, "limit: "),
    ("search", {"query": "x", "limit": "many"}, "limit: input should be a valid int"),
    ("search", {"query": "x", "kind": "cod"}, "kind: input should be 'doc' or 'code'"),
    ("search", {"query": "x", "path_glob": "\0"}, "must not contain a NUL"),
    ("search", {"query": "x", "path_glob": {"a": 1}}, "path_glob: input should be"),
    ("search", {"query": "x", "path_glob": "*" * 999}, "at most 300 characters"),
    ("search", {"query": "x", "path_glob": ["*" * 999]}, "at most 300 characters"),
    ("search", {"query": "x", "path_glob": ["a"] * 99}, "at most 20 items"),
    (
        "search",
        {"q": "x"},
        "no argument 'q'; it takes query, limit, kind, path_glob, package, unit",
    ),
    ("context", {"query": "x", "max_tokens": 5}, "max_tokens: input should be greater"),
    (
        "context",
        {"query": "x", "max_tokens": 10**6},
        "max_tokens: input should be less",
    ),
    ("read_chunk", {"id": ""}, "give at least 4 digits"),
    ("read_chunk", {"id": "no id"}, "there is no chunk 'no id' in the index"),
    ("read_chunk", {"id": "%%%%%%"}, "there is no chunk"),
    ("read_chunk", {"id": "0" * 16, "before": -1}, "before: input should be greater"),
    ("hierarchy", {"id": "chunk://no id"}, "there is no chunk 'no id' in the index"),
    ("hierarchy", {"id": "0000", "offset": 2**70}, "offset: input should be less"),
    ("outline", {"path": "../../etc/passwd"}, "there is no document"),
    ("outline", {"path": "docs/giude.md"}, "similar: docs/guide.md"),
    ("outline", {"path": "a\0b"}, "there is no document"),
    ("related", {"symbol": ""}, "unknown symbol ''; find one with search"),
    ("related", {"symbol": "zzz"}, "unknown symbol 'zzz'; find one with search"),
    ("related", {"symbol": "reserve_bert"}, "similar: harbour.berths.reserve_berth"),
    ("related", {"symbol": "reserve_birth"}, "similar: harbour.berths.reserve_berth"),
    ("related", {"symbol": "bert.reserve_berth"}, "harbour.berths.reserve_berth"),
    ("related", {"symbol": "a\0"}, "unknown symbol"),
    ("related", {"symbol": "x", "relation": "cousins"}, "relation: input should be"),
    ("index_status", {"verbose": True}, "no argument 'verbose'; it takes none"),
    ("reindex", {}, "unknown tool 'reindex'; the tools are search, context"),
    ("x" * 5_000, {}, "unknown tool 'xxx"),
]


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    WRONG,
    ids=[f"{w[0][:9]}-{n}" for n, w in enumerate(WRONG)],
)
def test_a_wrong_call_is_told_what_is_wrong(agent, tool, arguments, message):
    result = agent.call(tool, **arguments)
    text = text_of(result)
    assert result.is_error
    assert message in text
    assert len(text) < 600
    assert "Traceback" not in text
    assert "pydantic" not in text


@pytest.mark.parametrize(
    ("tool", "name"),
    [("search", "query"), ("context", "query"), ("read_chunk", "id"),
     ("outline", "path"), ("related", "symbol")],
)  # fmt: skip
@pytest.mark.parametrize("value", ["word " * 400_000, "ы" * 1_000_000])
def test_huge_arguments_get_small_answers(agent, tool, name, value):
    result = agent.call(tool, **{name: value})
    assert len(text_of(result)) < 10_000
    assert agent.ask("index_status")["chunks"]


def test_a_lone_surrogate_is_no_reason_to_fail(agent):
    for tool, name in (
        ("search", "query"),
        ("read_chunk", "id"),
        ("outline", "path"),
        ("related", "symbol"),
    ):
        text = text_of(agent.call(tool, **{name: "abc\ud800b"}))
        assert text.encode()
        assert "bug" not in text


def test_a_folder_without_an_index_says_what_to_run(tmp_path):
    choice = Choice(project=tmp_path, database_url=None, embedder=None)
    agent = Agent(create_server(IndexSource(choice.open_all), make_gate()))
    for tool, arguments in (("search", {"query": "x"}), ("index_status", {})):
        result = agent.call(tool, **arguments)
        assert result.is_error
        assert text_of(result) == (
            f"there is no index in {tmp_path} or above it; create one with: outcrop index"
            " PATH"
        )
    assert list(tmp_path.iterdir()) == []


def test_an_empty_index_says_what_to_run(own_project, server_url):
    with Index.open(own_project, database_url=server_url, schema="empty_one") as index:
        agent = agent_of(index, allow_writes=True)
        for tool, arguments in (
            ("search", {"query": "tea"}),
            ("context", {"query": "tea"}),
            ("outline", {}),
            ("outline", {"path": "docs/tea.md"}),
            ("related", {"symbol": "tea"}),
        ):
            result = agent.call(tool, **arguments)
            assert result.is_error, tool
            assert "the index is empty; fill it with: outcrop index PATH" in text_of(
                result
            )
        status = agent.ask("index_status")
        assert status["advice"].startswith("the index is empty")


def failing(error: Exception) -> Agent:
    def fail() -> Index:
        raise error

    return Agent(create_server(IndexSource(fail), make_gate()))


def test_an_error_of_the_database_says_who_can_look():
    text = text_of(failing(StorageError("the database failed")).call("index_status"))
    assert text == (
        "the database failed; the person who runs the server can look with:"
        " outcrop doctor"
    )


@pytest.mark.parametrize(
    "error", [InvariantError("x is y"), ZeroDivisionError("secret")]
)
def test_a_bug_is_called_one_and_its_text_stays_on_the_server(error, caplog):
    with caplog.at_level(logging.ERROR):
        result = failing(error).call("index_status")
    assert result.is_error
    assert "bug in Outcrop" in text_of(result)
    assert "secret" not in text_of(result)
    assert "Traceback" not in text_of(result)


def test_the_next_call_tries_again_to_open(harbour_index):
    opened = iter([StorageError("not yet"), harbour_index])

    def open_index() -> Index:
        found = next(opened)
        if isinstance(found, Exception):
            raise found
        return found

    agent = Agent(create_server(IndexSource(open_index, owned=False), make_gate()))
    assert agent.call("index_status").is_error
    assert agent.ask("index_status")["chunks"]


def test_making_a_server_leaves_the_logging_of_the_process_alone(harbour_index):
    before = list(logging.getLogger().handlers)
    create_server(IndexSource(lambda: harbour_index), make_gate())
    assert logging.getLogger().handlers == before


def test_many_calls_at_a_time_are_all_answered(harbour_index):
    calls = [
        ("search", {"query": "north quay"}),
        ("context", {"query": "fees"}),
        ("outline", {"path": "docs/guide.md"}),
        ("related", {"symbol": "Berth"}),
        ("index_status", {}),
    ] * 12

    async def all_at_once(client: Client) -> list[bool]:
        answered = []

        async def one(tool, arguments):
            answered.append((await client.call_tool(tool, arguments)).is_error)

        async with anyio.create_task_group() as group:
            for call in calls:
                group.start_soon(one, *call)
        return answered

    answered = agent_of(harbour_index).do(all_at_once)
    assert len(answered) == len(calls)
    assert not any(answered)


def test_calls_that_are_given_up_block_nothing(harbour_index):
    async def give_up(client: Client) -> bool:
        for _ in range(50):
            with anyio.move_on_after(0.001):
                await client.call_tool("search", {"query": "north quay"})
        return (await client.call_tool("search", {"query": "north quay"})).is_error

    for mode in ("auto", "legacy"):
        source = IndexSource(lambda: harbour_index, owned=False)
        assert Agent(create_server(source, make_gate()), mode).do(give_up) is False


@pytest.mark.parametrize("tool", ["search", "context"])
@pytest.mark.parametrize(
    ("filters", "reason"),
    [
        ({"path_glob": "doc/**"}, "no document has a path that matches 'doc/**'"),
        ({"path_glob": ["docs/**", "no/"]}, None),
        ({"package": "harbor"}, "no code is in a package, module or type 'harbor'"),
        ({"section": "Nowhere"}, "no heading is 'Nowhere'"),
        ({"tag": ["tide"]}, "no document has the tag 'tide'"),
    ],
    ids=["path", "one of two paths", "package", "section", "tag"],
)
def test_a_filter_that_nothing_meets_is_named(agent, tool, filters, reason):
    text = text_of(agent.call(tool, query="berth", **filters))
    if reason is None:
        assert "nothing found" not in text
    else:
        assert text == f"nothing found: {reason}"
