"""The tools and resources that agents see, from the server itself."""

from __future__ import annotations

import asyncio
from typing import Any, cast

from outcrop.mcp.server import create_server, make_gate

_HEAD = """\
# MCP

Every tool and resource of `outcrop mcp` and of `/mcp`, as the server describes them to a client. [Give a coding agent the index](../howto/mcp.md) explains how to set it up. The page is written by `make reference`.
"""


def render() -> str:
    """Return the page."""
    gate = make_gate()
    try:
        server = create_server(cast("Any", None), gate, allow_writes=True)
        return asyncio.run(_page(server))
    finally:
        gate.close()


async def _page(server: Any) -> str:
    parts = [_HEAD, "## Tools\n"]
    parts += [_tool(tool) for tool in await server.list_tools()]
    parts += ["## Resources\n", "| address | description |", "|---|---|"]
    for template in await server.list_resource_templates():
        said = " ".join((template.description or template.title or "").split())
        parts.append(f"| `{template.uri_template}` | {said} |")
    return "\n".join(parts) + "\n"


def _tool(tool: Any) -> str:
    hints = tool.annotations
    kind = (
        "Reads only."
        if hints and hints.read_only_hint
        else "Writes; only with `--allow-writes`."
    )
    described = "\n".join(
        line.strip() for line in (tool.description or "").splitlines()
    )
    lines = [f"### {tool.name}", "", described, "", kind, ""]
    properties = tool.input_schema.get("properties", {})
    if properties:
        required = tool.input_schema.get("required", [])
        lines += ["| argument | type | default | meaning |", "|---|---|---|---|"]
        lines += [
            _argument(name, found, required) for name, found in properties.items()
        ]
        lines.append("")
    return "\n".join(lines)


def _argument(name: str, found: dict[str, Any], required: list[str]) -> str:
    default = "–" if name in required else f"`{found.get('default')!r}`"
    meaning = " ".join((found.get("description") or "").split()).replace("|", "\\|")
    return f"| `{name}` | {_type(found)} | {default} | {meaning} |"


def _type(found: dict[str, Any]) -> str:
    if choices := found.get("enum"):
        return " or ".join(f"`{choice}`" for choice in choices)
    if options := found.get("anyOf"):
        kinds = [_type(option) for option in options if option.get("type") != "null"]
        return " or ".join(dict.fromkeys(kinds))
    if found.get("type") == "array":
        return f"list of {_type(found.get('items', {}))}"
    return str(found.get("type") or "any")
