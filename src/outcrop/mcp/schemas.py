"""Schemas of tools, reduced to what a model needs.

A client puts every schema into every conversation, so each word in it costs tokens
every time.
"""

from __future__ import annotations

from typing import Any

_NAMED = frozenset(["properties", "$defs"])


def compact(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema without titles and without null as a choice."""
    return {
        name: _value(name, value) for name, value in schema.items() if name != "title"
    }


def compact_arguments(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of arguments; others are not allowed."""
    return {**compact(schema), "additionalProperties": False}


def _value(name: str, value: Any) -> Any:
    if name in _NAMED and isinstance(value, dict):
        return {key: _optional(compact(below)) for key, below in value.items()}
    if isinstance(value, dict):
        return compact(value)
    if isinstance(value, list):
        return [compact(below) if isinstance(below, dict) else below for below in value]
    return value


def _optional(schema: dict[str, Any]) -> dict[str, Any]:
    """Drop `null` and its default: omitting the argument means the same."""
    if "default" not in schema or schema["default"] is not None:
        return schema
    choices = [choice for choice in schema.get("anyOf", ()) if choice != _NULL]
    rest = {name: v for name, v in schema.items() if name not in {"default", "anyOf"}}
    if len(choices) == 1:
        return {**choices[0], **rest}
    return {"anyOf": choices, **rest} if choices else rest


_NULL = {"type": "null"}
