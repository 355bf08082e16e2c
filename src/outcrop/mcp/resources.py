"""Resources: a chunk by its id, a document by its path."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError
from mcp.server.mcpserver.resources import ResourceSecurity
from mcp_types import Completion, ResourceTemplateReference

from outcrop.errors import NotFoundError, OutcropError
from outcrop.mcp.answers import explain
from outcrop.mcp.source import find_document, read_text
from outcrop.thread_gate import GateError

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp.server.mcpserver import MCPServer
    from mcp_types import CompletionArgument, CompletionContext, PromptReference

    from outcrop.mcp.source import IndexSource
    from outcrop.thread_gate import ThreadGate

CHUNK = "chunk://{id}"
DOCUMENT = "doc://{+path}"

# About 100,000 tokens, which is more than most models can take in.
_MAX_CHARS = 400_000
_MAX_COMPLETIONS = 100  # the protocol's limit

# A path is compared with stored ones and never opened, so absolute ones are safe:
# documents outside the project are stored with such paths.
_COMPARED = ResourceSecurity(exempt_params={"path"})


def add_resources(
    server: MCPServer[None], source: IndexSource, gate: ThreadGate
) -> None:
    """Add the resources of an index to a server."""

    @server.resource(CHUNK, title="Chunk", mime_type="text/plain")
    async def chunk(id: str) -> str:  # noqa: A002 - the name in the template
        """Read the whole text of a chunk."""
        return await _refusing(gate, lambda: source.get().get(id).content)

    @server.resource(
        DOCUMENT, title="Document", mime_type="text/plain", security=_COMPARED
    )
    async def document(path: str) -> str:
        """Read a document as it was indexed, by its path relative to the project."""
        return await _refusing(gate, lambda: _read(source, path))

    @server.completion()  # type: ignore[no-untyped-call, untyped-decorator]  # the library is untyped here
    async def complete(
        ref: PromptReference | ResourceTemplateReference,
        argument: CompletionArgument,
        _context: CompletionContext | None,
    ) -> Completion | None:
        if not isinstance(ref, ResourceTemplateReference) or ref.uri != DOCUMENT:
            return None
        return await gate.run(partial(_complete, source, argument.value))


def _read(source: IndexSource, path: str) -> str:
    index = source.get()
    text = read_text(index, find_document(index, path))
    if len(text) <= _MAX_CHARS:
        return text
    shown = text[:_MAX_CHARS]
    return f"{shown}\n[cut here: the tools outline and read_chunk give the rest]"


def _complete(source: IndexSource, typed: str) -> Completion:
    """Complete a path: documents that start with it, then those that contain it."""
    try:
        paths = [document.path for document in source.get().documents()]
    except OutcropError:
        return Completion(values=[])
    wanted = typed.lower()
    starts = [path for path in paths if path.lower().startswith(wanted)]
    known = set(starts)
    holds = [p for p in paths if wanted in p.lower() and p not in known]
    found = [*starts, *holds]
    return Completion(
        values=found[:_MAX_COMPLETIONS],
        total=len(found),
        has_more=len(found) > _MAX_COMPLETIONS,
    )


async def _refusing(gate: ThreadGate, read: Callable[[], str]) -> str:
    try:
        return await gate.run(read)
    except NotFoundError as error:
        raise ResourceNotFoundError(explain(error)) from error
    except OutcropError as error:
        raise ResourceError(explain(error)) from error
    except GateError as error:
        raise ResourceError(str(error)) from error
