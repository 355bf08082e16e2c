"""Schemas say what a model needs to know, and no more."""

from __future__ import annotations

from outcrop.mcp.server import compact, compact_arguments

FULL = {
    "title": "searchArguments",
    "type": "object",
    "$defs": {"Hit": {"title": "Hit", "type": "object", "properties": {}}},
    "properties": {
        "title": {"title": "Title", "type": "string"},
        "kind": {
            "anyOf": [{"enum": ["doc"], "type": "string"}, {"type": "null"}],
            "default": None,
            "title": "Kind",
        },
        "paths": {
            "anyOf": [
                {"type": "string"},
                {"items": {"title": "Item", "type": "string"}, "type": "array"},
                {"type": "null"},
            ],
            "default": None,
        },
        "limit": {"default": 8, "title": "Limit", "type": "integer"},
    },
    "required": ["title"],
}


def test_titles_go_and_a_property_of_that_name_stays():
    assert compact(FULL) == {
        "type": "object",
        "$defs": {"Hit": {"type": "object", "properties": {}}},
        "properties": {
            "title": {"type": "string"},
            "kind": {"enum": ["doc"], "type": "string"},
            "paths": {
                "anyOf": [
                    {"type": "string"},
                    {"items": {"type": "string"}, "type": "array"},
                ]
            },
            "limit": {"default": 8, "type": "integer"},
        },
        "required": ["title"],
    }


def test_arguments_say_that_there_are_no_others():
    assert compact_arguments(FULL)["additionalProperties"] is False


def test_what_is_given_is_not_changed():
    compact(FULL)
    assert FULL["properties"]["limit"]["title"] == "Limit"
