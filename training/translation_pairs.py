"""Pairs across languages: messages and pages of programs, and their translations."""

from __future__ import annotations

import re
import struct
from collections import defaultdict
from pathlib import PurePath
from typing import TYPE_CHECKING

from training.catalogues import (
    BILINGUAL,
    KEYED,
    read_vscode_array,
    read_vscode_originals,
)
from training.document_pairs import document_pairs
from training.pair import Pair
from training.sections import read_html, without_links

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from training.archives import Member

LANGUAGES = ("ru", "ja", "zh", "ko", "de", "es", "fr", "pt")
_TAG = re.compile(
    r"(?<![A-Za-z0-9])(en|ru|ja|zh|ko|de|es|fr|pt)"
    r"(?i:[-_](?:US|BR|CN|HANS|JP|KR|RU|DE|ES|FR|PT|UTF-?8))*(?![A-Za-z0-9]|[-_][A-Za-z]{2})"
)
_CHARSET = re.compile(rb"charset=[\"']?([\w-]+)", re.IGNORECASE)
_MARKUP = re.compile(
    r"</?\w[^>]*>|\(&\w\)|\(_\w\)|[&_](?=\w)|%\(?\w*\)?[sdifu]?|\$?\{[^{}]*\}|`|\*\*|\[\[|\]\]"
)
_LETTER = re.compile(r"[^\W\d_]")
_PAGE = {".html", ".htm"}
_MIN_SOURCE_LETTERS, _MIN_TARGET_LETTERS = 3, 2
_MAX_MESSAGE = 900
RUN = 4  # messages that follow each other, taken for a passage


def language_of(path: str) -> tuple[str, str] | None:
    """Return the language in a path, and the path with a gap in its place."""
    found = list(_TAG.finditer(path))
    if not found:
        return None
    last = found[-1]
    return last[1].lower(), f"{path[: last.start()]}*{path[last.end() :]}"


def translation_pairs(members: Iterable[Member]) -> Iterator[Pair]:
    """Yield the pairs of all files of a package that are translations."""
    groups: dict[str, dict[str, Member]] = defaultdict(dict)
    for member in members:
        language, place = language_of(member.path) or ("", "")
        if reader := _bilingual_reader(member.path):
            if language in LANGUAGES:
                yield from message_pairs(reader(member.data), language)
        elif language:
            groups[place][language] = member
        elif member.path.endswith(".properties"):
            groups[f"{member.path.removesuffix('.properties')}_*.properties"]["en"] = (
                member
            )
    for files in groups.values():
        if "en" in files:
            for language in files.keys() & set(LANGUAGES):
                yield from _file_pairs(files["en"], files[language], language)


def _bilingual_reader(path: str) -> Callable[[bytes], dict[str, str]] | None:
    found = (reader for ending, reader in BILINGUAL.items() if path.endswith(ending))
    return next(found, None)


def _file_pairs(source: Member, target: Member, language: str) -> Iterator[Pair]:
    suffix = PurePath(source.path).suffix
    if suffix in _PAGE:
        yield from page_pairs(_text(source), _text(target), language)
    if suffix not in KEYED:
        return
    try:
        left, right = KEYED[suffix](source.data), KEYED[suffix](target.data)
    except (struct.error, UnicodeDecodeError):
        return
    yield from message_pairs(join(left, right), language)


def _text(page: Member) -> str:
    declared = _CHARSET.search(page.data[:2_000])
    try:
        return page.data.decode(
            declared[1].decode() if declared else "utf-8", "replace"
        )
    except LookupError:
        return page.data.decode("utf-8", "replace")


def editor_pairs(
    scripts: Iterable[Member], packs: Mapping[str, Member]
) -> Iterator[Pair]:
    """Yield the messages of an editor whose packs number its messages."""
    originals: dict[str, str] = {}
    for script in scripts:
        originals |= read_vscode_originals(script.data)
    for language, pack in packs.items():
        translated = read_vscode_array(pack.data)
        yield from message_pairs(join(originals, translated), language)


def join(source: Mapping[str, str], target: Mapping[str, str]) -> dict[str, str]:
    """Return originals and translations that share a key."""
    return {text: target[key] for key, text in source.items() if key in target}


def message_pairs(messages: Mapping[str, str], language: str) -> Iterator[Pair]:
    """Yield messages with their translations both ways, and with their neighbours."""
    kind = f"translation_{language}"
    run: list[tuple[str, str]] = []
    for source, target in messages.items():
        one, other = _plain(source), _plain(target)
        if one.casefold() == other.casefold() or not _says(one, other):
            continue
        yield Pair(kind, one, other)
        yield Pair(kind, other, one)
        run.append((one, other))
        if len(run) == RUN:
            passage = "\n".join(text for _, text in run)
            yield from (Pair(f"passage_{language}", text, passage) for text, _ in run)
            run.clear()


def page_pairs(source: str, target: str, language: str) -> Iterator[Pair]:
    """Yield the sections of a page with those of its translation."""
    left, right = read_html(source), read_html(target)
    yield from document_pairs(right)
    if len(left) != len(right):
        return
    for one, other in zip(left, right, strict=True):
        text = " ".join(without_links(other.text).split())
        if one.path and _says(one.path[-1], text):
            yield Pair(f"passage_{language}", " ".join(one.path[-2:]), text)
        said = " ".join(without_links(one.text).split())
        if said != text and _says(said, text):
            yield Pair(f"passage_{language}", said, text)


def _plain(text: str) -> str:
    return " ".join(_MARKUP.sub(" ", text[:_MAX_MESSAGE]).split())


def _says(source: str, target: str) -> bool:
    return (
        len(_LETTER.findall(source[:200])) >= _MIN_SOURCE_LETTERS
        and len(_LETTER.findall(target[:200])) >= _MIN_TARGET_LETTERS
    )
