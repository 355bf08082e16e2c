"""The HTTP interface, from its OpenAPI description."""

from __future__ import annotations

import json
from typing import Any, cast

from outcrop.http.app import create_app

_HEAD = """\
# HTTP

Every request that `outcrop serve` answers, from its OpenAPI description, which the server itself gives at `/openapi.json`. [Serve an index](../howto/serve.md) explains limits, tokens and errors. The page is written by `make reference`.
"""
_SUCCESS = ("200", "201", "202")


def render() -> str:
    """Return the page."""
    described = create_app(cast("Any", None)).openapi()
    schemas = described.get("components", {}).get("schemas", {})
    parts = [_HEAD]
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            parts.append(_operation(f"{method.upper()} {path}", operation, schemas))
    return "\n".join(parts)


def _operation(title: str, operation: dict[str, Any], schemas: dict[str, Any]) -> str:
    said = operation.get("description") or operation.get("summary", "")
    lines = [f"## {title}", "", _paragraphs(said), ""]
    if parameters := operation.get("parameters"):
        lines += ["| parameter | in | type | meaning |", "|---|---|---|---|"]
        lines += [_parameter(found) for found in parameters] + [""]
    body = operation.get("requestBody", {}).get("content", {}).get("application/json")
    if body:
        schema = _resolve(body["schema"], schemas)
        lines += ["| field | type | default | meaning |", "|---|---|---|---|"]
        lines += [
            _field(name, field, schema.get("required", []), schemas)
            for name, field in schema.get("properties", {}).items()
        ]
        lines += ["", *_example("The body", schema, body)]
    for status, response in operation["responses"].items():
        content = response.get("content", {}).get("application/json")
        if status in _SUCCESS and content:
            schema = _resolve(content.get("schema", {}), schemas)
            lines += _example(f"The answer, {status}", schema, content)
    statuses = ", ".join(f"`{status}`" for status in operation["responses"])
    return "\n".join([*lines, f"Statuses: {statuses}.", ""])


def _parameter(found: dict[str, Any]) -> str:
    need = "" if found.get("required") else ", optional"
    meaning = _cell(found.get("description") or "")
    return f"| `{found['name']}` | {found['in']}{need} | {_type(found['schema'])} | {meaning} |"


def _field(
    name: str, field: dict[str, Any], required: list[str], schemas: dict[str, Any]
) -> str:
    default = "–" if name in required else f"`{json.dumps(field.get('default'))}`"
    meaning = _cell(field.get("description") or "")
    return f"| `{name}` | {_type(_resolve(field, schemas))} | {default} | {meaning} |"


def _type(schema: dict[str, Any]) -> str:
    if choices := schema.get("enum"):
        return " or ".join(f"`{choice}`" for choice in choices)
    if options := schema.get("anyOf"):
        kinds = [_type(option) for option in options if option.get("type") != "null"]
        return " or ".join(dict.fromkeys(kinds))
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}))}"
    return str(schema.get("type") or schema.get("title") or "any")


def _example(label: str, schema: dict[str, Any], content: dict[str, Any]) -> list[str]:
    examples = (
        schema.get("examples") or [content["example"]]
        if (schema.get("examples") or "example" in content)
        else []
    )
    if not examples:
        return []
    text = json.dumps(examples[0], ensure_ascii=False, indent=2)
    return [f"{label}, for example:", "", f"```json\n{text}\n```", ""]


def _resolve(schema: dict[str, Any], schemas: dict[str, Any]) -> dict[str, Any]:
    name = schema.get("$ref", "").rpartition("/")[2]
    return {**schemas.get(name, {}), **schema} if name else schema


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _paragraphs(text: str) -> str:
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))
