"""Moves the entries of `changelog.d` into the section of the version being released."""

from __future__ import annotations

import re
from pathlib import Path

from outcrop import __version__

ROOT = Path(__file__).parents[1]
KINDS = ("added", "changed", "deprecated", "removed", "fixed", "security")


def collect(root: Path = ROOT, version: str = __version__) -> int:
    """Move all entries, and return how many there were.

    The section of the version is created if there is none; its own text stays.
    """
    page = root / "CHANGELOG.md"
    entries = sorted((root / "changelog.d").glob("*.*.md"))
    text = page.read_text(encoding="utf-8")
    heading = f"## [{version}]"
    if heading not in text:
        text = re.sub(
            r"^(?=## \[)|\Z", f"{heading}\n\n", text, count=1, flags=re.MULTILINE
        )
    start = text.index(heading) + len(heading)
    end = text.find("\n## [", start)
    end = len(text) if end < 0 else end + 1
    body = text[start:end]
    for kind in KINDS:
        found = [entry for entry in entries if entry.suffixes[-2] == f".{kind}"]
        body = _add(body, kind.capitalize(), [_item(entry) for entry in found])
    text = f"{text[:start]}{body.rstrip()}\n\n{text[end:]}".rstrip() + "\n"
    page.write_text(text, encoding="utf-8")
    for entry in entries:
        entry.unlink()
    return len(entries)


def _item(entry: Path) -> str:
    return f"- {' '.join(entry.read_text(encoding='utf-8').split())}"


def _add(body: str, title: str, items: list[str]) -> str:
    """Append items to a group of a section, which is created if there is none."""
    if not items:
        return body
    if f"### {title}\n" not in body:
        return f"{body.rstrip()}\n\n### {title}\n\n" + "\n".join(items) + "\n\n"
    start = body.index(f"### {title}\n")
    end = body.find("\n### ", start + 1)
    end = len(body) if end < 0 else end
    return body[:end].rstrip() + "\n" + "\n".join(items) + "\n" + body[end:]
