"""Chunks and documents as resources: what was indexed, and nothing else."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from mcp import MCPError
from mcp_types import ResourceTemplateReference

from integration.http.served import FILES
from integration.mcp.agents import agent_of


def test_the_templates_are_listed(agent):
    found = agent.do(lambda client: client.list_resource_templates())
    assert [template.uri_template for template in found.resource_templates] == [
        "chunk://{id}",
        "doc://{+path}",
    ]


@pytest.mark.parametrize("path", sorted(FILES))
def test_a_document_is_read_as_it_was_indexed(agent, path):
    # Of white space at the very start only the amount is known.
    assert agent.read(f"doc://{quote(path)}").lstrip() == FILES[path].lstrip()


def test_a_chunk_is_read_by_its_id(agent):
    hit = agent.ask("search", query="north quay", limit=1)["hits"][0]
    assert "north quay" in agent.read(f"chunk://{hit['id']}")


@pytest.mark.parametrize(
    ("uri", "message"),
    [
        ("doc://../../../../etc/passwd", "there is no document"),
        ("doc:///etc/passwd", "there is no document '/etc/passwd'"),
        ("doc://%2e%2e%2fetc%2fpasswd", "there is no document '../etc/passwd'"),
        ("doc://docs/%00", "there is no document"),
        ("doc://guide.md", "similar: docs/guide.md"),
        ("doc://docs", "there is no document 'docs'"),
        ("chunk://zzzz", "there is no chunk 'zzzz'"),
        ("chunk://0", "give at least 4 digits"),
        ("chunk://%25", "give at least 4 digits"),
        ("file:///etc/passwd", "Unknown resource"),
    ],
)
def test_what_is_not_indexed_is_refused(agent, uri, message):
    with pytest.raises(MCPError) as caught:
        agent.read(uri)
    assert message in str(caught.value)
    assert "Traceback" not in str(caught.value)


def test_a_link_that_takes_a_documents_place_is_not_followed(own_project, own_index):
    secret = own_project / "secret.txt"
    secret.write_text("do not tell")
    document = own_project / "docs" / "tea.md"
    text = document.read_text()
    document.unlink()
    document.symlink_to(secret)
    try:
        assert agent_of(own_index).read("doc://docs/tea.md") == text
    finally:
        document.unlink()
        document.write_text(text)
        secret.unlink()


def complete(agent, uri, typed):
    reference = ResourceTemplateReference(type="ref/resource", uri=uri)
    argument = {"name": "path", "value": typed}
    found = agent.do(lambda client: client.complete(reference, argument))
    return found.completion.values


def test_paths_are_completed_from_their_start_or_their_middle(agent):
    assert complete(agent, "doc://{+path}", "docs/g") == ["docs/guide.md"]
    assert complete(agent, "doc://{+path}", "BERTHS") == ["src/harbour/berths.py"]
    assert complete(agent, "doc://{+path}", "nowhere") == []
    assert complete(agent, "chunk://{id}", "a") == []
