"""Pairs from documentation: headings, sentences and links with their sections."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING

from training.pair import Pair
from training.sections import DocSection, links_in, without_links

if TYPE_CHECKING:
    from collections.abc import Iterator

_SENTENCE = re.compile(r"(?<=[.!?。！？])\s+(?=\S)|\n\s*\n")
_MIN_SECTION = 120
_MAX_SECTION = 1_200
_MIN_HEADING = 4
_MIN_SENTENCE, _MAX_SENTENCE = 40, 300
_MIN_SENTENCES = 3
_MIN_WORDS, _MIN_SHARE = 5, 0.7
_USELESS = frozenset(
    ["contents", "table of contents", "index", "navigation", "copyright", "license",
     "authors", "see also", "overview", "notes", "description", "changelog"]
)  # fmt: skip


def document_pairs(sections: list[DocSection]) -> Iterator[Pair]:
    """Yield pairs of the sections of one document."""
    for section in sections:
        text = without_links(section.text).strip()
        if len(text) < _MIN_SECTION:
            continue
        heading = section.path[-1] if section.path else ""
        if (
            heading.lower().strip(" ¶#") not in _USELESS
            and len(heading) >= _MIN_HEADING
        ):
            question = " ".join(section.path[-2:])
            yield Pair("heading", question, text[:_MAX_SECTION])
        yield from _sentence_pairs(" > ".join(section.path), text)


def is_prose(said: str) -> bool:
    """Return whether a sentence is one, and not code, a table or a list of names."""
    words = sum(word.strip("().,:;!?'\"").isalpha() for word in said.split())
    return (
        _MIN_SENTENCE < len(said) < _MAX_SENTENCE
        and words >= max(_MIN_WORDS, _MIN_SHARE * (said.count(" ") + 1))
        and "::" not in said
    )


def _sentence_pairs(above: str, text: str) -> Iterator[Pair]:
    sentences = _SENTENCE.split(text[: 2 * _MAX_SECTION])
    for at in range(0, len(sentences) - _MIN_SENTENCES + 1, 2):
        said = " ".join(sentences[at].split())
        if is_prose(said):
            rest = " ".join(sentences[:at] + sentences[at + 1 :])
            yield Pair("sentence", said, f"{above}\n{rest}"[:_MAX_SECTION])


class Links:
    """The links of a package's documents and the sections they lead to."""

    def __init__(self) -> None:
        self._sections: dict[tuple[str, str], DocSection] = {}
        self._said: list[tuple[str, str, str]] = []

    def add(self, page: str, sections: list[DocSection]) -> None:
        """Record the sections of a page and the sentences with links in them."""
        for section in sections:
            if len(section.text) >= _MIN_SECTION:
                self._sections.setdefault((page, ""), section)
                for anchor in section.anchors:
                    key = ("", anchor) if anchor.startswith("ref:") else (page, anchor)
                    self._sections.setdefault(key, section)
            for sentence in _SENTENCE.split(section.text):
                targets = links_in(sentence)
                said = " ".join(without_links(sentence).split())
                if len(targets) == 1 and is_prose(said):
                    self._said.append((page, targets[0], said))

    def pairs(self) -> Iterator[Pair]:
        """Yield each sentence with the section its link leads to."""
        for page, target, said in self._said:
            section = self._sections.get(_resolve(page, target))
            if section is None:
                continue
            text = without_links(section.text).strip()
            if said not in " ".join(text.split()):
                above = " > ".join(section.path)
                yield Pair("link", said, f"{above}\n{text}"[:_MAX_SECTION])


def _resolve(page: str, target: str) -> tuple[str, str]:
    if target.startswith("ref:"):
        return "", target
    path, _, anchor = target.partition("#")
    if not path:
        return page, anchor
    return posixpath.normpath(posixpath.join(posixpath.dirname(page), path)), anchor
