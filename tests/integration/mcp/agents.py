"""Agents for tests: the official client, asked from code that is not asynchronous."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import anyio
import pytest
from mcp import Client, MCPError

from integration.http.served import make_project, remove_project
from outcrop.indexing.config import IndexConfig
from outcrop.indexing.index import Index
from outcrop.mcp.server import create_server, make_gate
from outcrop.mcp.source import IndexSource

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator
    from pathlib import Path

    from mcp_types import CallToolResult


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent that starts anew for every question.

    Attributes:
        target: What its client connects to.
        mode: Which generation of the protocol it speaks.
    """

    target: Any
    mode: str = "auto"

    def do(self, work: Callable[[Client], Awaitable[Any]]) -> Any:
        """Do something with a connected client."""

        async def connected() -> Any:
            target = self.target() if callable(self.target) else self.target
            async with Client(target, mode=self.mode) as client:
                try:
                    return await work(client), None
                except MCPError as error:  # by itself, not in a group
                    return None, error

        result, error = anyio.run(connected)
        if error is not None:
            raise error
        return result

    def call(self, tool: str, **arguments: Any) -> CallToolResult:
        """Call one tool."""
        return self.do(lambda client: client.call_tool(tool, arguments))

    def ask(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call one tool that answers, and return the data."""
        result = self.call(tool, **arguments)
        assert not result.is_error, text_of(result)
        assert result.structured_content is not None
        return result.structured_content

    def read(self, uri: str) -> str:
        """Read one resource."""
        return self.do(lambda client: client.read_resource(uri)).contents[0].text


def text_of(result: CallToolResult) -> str:
    """Return what a model reads."""
    return "\n".join(block.text for block in result.content)


def agent_of(index: Index, *, allow_writes: bool = False) -> Agent:
    """Return an agent with a server of its own, in memory."""
    source = IndexSource(lambda: index, owned=False)
    return Agent(lambda: create_server(source, make_gate(), allow_writes=allow_writes))


@pytest.fixture
def agent(harbour_index: Index) -> Agent:
    """Return an agent that may read the harbour's index."""
    return agent_of(harbour_index)


@pytest.fixture(scope="module")
def own_project() -> Iterator[Path]:
    """Return a project that tests may change."""
    folder = make_project()
    (folder / "docs").mkdir()
    (folder / "docs" / "tea.md").write_text("# Tea\n\nSteep it for three minutes.\n")
    yield folder
    remove_project(folder)


@pytest.fixture(scope="module")
def own_index(own_project: Path) -> Iterator[Index]:
    """Return the index of `own_project`, filled."""
    with Index.open(own_project, config=IndexConfig(workers=1)) as index:
        index.index(["docs"])
        yield index
