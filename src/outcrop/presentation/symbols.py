"""Symbols of the code graph for people: short signatures, and links by file."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from outcrop.model.graph import Link

MAX_SIGNATURE_CHARS = 200


def short_signature(signature: str) -> str:
    """Return a signature in one line, without its end if it is long."""
    line = " ".join(signature.split())
    if len(line) <= MAX_SIGNATURE_CHARS:
        return line
    return f"{line[:MAX_SIGNATURE_CHARS].rstrip()} …"


def by_file(links: Iterable[Link]) -> list[tuple[str, list[Link]]]:
    """Return links by the file they lead to, the file with most of them first.

    Links that lead out of the project are in one group, without a file.
    """
    groups: dict[str, list[Link]] = {}
    for link in links:
        path = (link.node.file_path if link.node is not None else None) or ""
        groups.setdefault(path, []).append(link)
    return sorted(groups.items(), key=lambda group: (-len(group[1]), group[0]))
