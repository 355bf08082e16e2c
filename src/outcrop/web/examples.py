"""Questions to start with, made of the headings of the index."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# First words of headings that tell what to do.
_VERB = re.compile(
    "add|build|change|check|choose|configure|connect|convert|create|cut|debug|define|"
    "delete|deploy|disable|enable|export|find|fix|get|import|index|inspect|install|load|"
    "make|manage|measure|migrate|move|open|publish|read|release|remove|rename|replace|"
    "restore|return|run|save|search|send|serve|set|show|start|stop|store|test|trace|try|"
    "update|upgrade|use|validate|verify|work|write",
    re.IGNORECASE,
)


def make_questions(headings: Iterable[str]) -> Iterator[str]:
    """Yield a question for each heading: `Install on Linux` asks how to do that.

    Documents that exist in several formats have the same headings; each is used once.
    """
    for heading in dict.fromkeys(headings):
        first, _, rest = heading.partition(" ")
        if _VERB.fullmatch(first):
            yield f"how to {first.lower()} {rest}".rstrip()
        else:
            yield heading
