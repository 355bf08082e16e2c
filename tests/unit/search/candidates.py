"""Candidates of which a test says what matters alone."""

from __future__ import annotations

from outcrop.model.candidate import Candidate


def candidate(name: str, **given: object) -> Candidate:
    values: dict[str, object] = {
        "document_id": name,
        "parent_id": None,
        "place": 0,
        "section_path": (),
        "token_count": 10,
        "rank_boost": 1.0,
        "part": None,
        "parts": None,
        "path": f"{name}.md",
        "source": "doc",
        "node_id": None,
        "node_kind": None,
        "lang": None,
        "lexical": 0.0,
        "similarity": None,
    }
    return Candidate(id=name, **{**values, **given})


def code(name: str, **given: object) -> Candidate:
    """Return a candidate that defines something."""
    values: dict[str, object] = {
        "path": f"src/{name}.py",
        "source": "code",
        "node_kind": "FUNCTION",
        "section_path": ("src", name),
    }
    return candidate(name, **{**values, **given})
