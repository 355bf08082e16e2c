"""The description of the HTTP interface as a page, without files of other hosts."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from outcrop.web.render import render

router = APIRouter()

_PREFIX = "#/components/schemas/"


@router.get("/docs")
async def api_page(request: Request) -> HTMLResponse:
    """Show every operation with its parameters, its body and its answers."""
    described = request.app.openapi()
    page = render(
        "api.html",
        view="api",
        about=described["info"]["description"].strip(),
        operations=list_operations(described),
    )
    return HTMLResponse(page)


def list_operations(described: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the operations of an OpenAPI description, in its order, for the page."""
    schemas = described.get("components", {}).get("schemas", {})
    return [
        {
            "method": method.upper(),
            "path": path,
            "summary": operation.get("summary", ""),
            "about": operation.get("description", ""),
            "fields": [
                *map(_parameter, operation.get("parameters", [])),
                *_body_fields(operation, schemas),
            ],
            "answers": [
                (status, answer.get("description", ""))
                for status, answer in sorted(operation.get("responses", {}).items())
            ],
        }
        for path, methods in described["paths"].items()
        for method, operation in methods.items()
    ]


def _parameter(parameter: dict[str, Any]) -> dict[str, str]:
    schema = parameter.get("schema", {})
    return {
        "name": parameter["name"],
        "place": parameter["in"],
        "type": type_in_words(schema),
        "default": _default(schema, is_required=parameter.get("required", False)),
        "about": parameter.get("description") or schema.get("description", ""),
    }


def _body_fields(
    operation: dict[str, Any], schemas: dict[str, Any]
) -> list[dict[str, str]]:
    content = operation.get("requestBody", {}).get("content", {})
    schema = content.get("application/json", {}).get("schema", {})
    schema = schemas.get(schema.get("$ref", "").removeprefix(_PREFIX), schema)
    required = schema.get("required", [])
    return [
        {
            "name": name,
            "place": "body",
            "type": type_in_words(field),
            "default": _default(field, is_required=name in required),
            "about": field.get("description", ""),
        }
        for name, field in schema.get("properties", {}).items()
    ]


def type_in_words(schema: dict[str, Any]) -> str:
    """Return the type of a field: `string`, `list of string`, `"a" or "b"`."""
    if "$ref" in schema:
        return str(schema["$ref"]).removeprefix(_PREFIX)
    if choices := schema.get("anyOf"):
        return " or ".join(dict.fromkeys(map(type_in_words, choices)))
    if values := schema.get("enum"):
        return " or ".join(f'"{value}"' for value in values)
    if schema.get("type") == "array":
        return f"list of {type_in_words(schema.get('items', {}))}"
    return str(schema.get("type", "any"))


def _default(schema: dict[str, Any], *, is_required: bool) -> str:
    if is_required:
        return "required"
    default = schema.get("default")
    return "" if default is None else str(default)
