"""Reference pages that are made from the code; a test compares them with it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from website.reference import api, commands, http, licences, mcp

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[2]
PAGES: dict[str, Callable[[], str]] = {
    "docs/reference/api.md": api.render,
    "docs/reference/help.md": commands.render,
    "docs/reference/http.md": http.render,
    "docs/reference/mcp.md": mcp.render,
    "docs/reference/licences.md": licences.render,
}


def write_all() -> list[str]:
    """Write every page, and return the names of those that changed."""
    changed = []
    for name, render in PAGES.items():
        text, path = render(), ROOT / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            changed.append(name)
    return changed
