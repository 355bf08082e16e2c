"""The harbour of the HTTP tests, served to agents."""

from integration.http.served import harbour, harbour_index, locked, served
from integration.mcp.agents import agent, own_index, own_project
from integration.store.servers import server_url

__all__ = [
    "agent",
    "harbour",
    "harbour_index",
    "locked",
    "own_index",
    "own_project",
    "served",
    "server_url",
]
