"""Folding passages of one place: of the first five hits, no two show the same section.

The best part of a section is shown; the others come after the first five hits, and those
that no longer fit are listed under it, so that nothing is lost to a program that asks
for many hits. A document takes at most three of the first five hits as long as others
have something to show. Code is left as it is: whoever looks for one definition in a file
often needs the next.

Translations of a page are one place throughout, shown in the question's language; so
are copies of a section: in other versions of a page, or the same text on another page.
Translations are recognised by their paths: `docs/ru/setup.md`, `docs/setup.ru.md` and
`docs/setup_ru.md` are translations of `docs/setup.md`, and of `docs/en/setup.md`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import lru_cache
from math import isclose
from typing import TYPE_CHECKING, NamedTuple

from outcrop.search.passages import MAX_PLACE_PARTS

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from outcrop.model.candidate import Candidate
    from outcrop.search.passages import Passage

# What a reader looks at before scrolling, and how much of it one document may take.
_FIRST_PLACES = 5
_MAX_OF_DOCUMENT = 3
# More of one place would not be read.
_MAX_OTHERS = 5
# How far the sizes and the scores of two copies of a section may differ.
_COPY_TOLERANCE = 0.05
# How far the cosines of two equal texts may differ: they are computed in single precision.
_SAME_TEXT_TOLERANCE = 1e-6

# Of languages, and where a path has them.
_CODES = frozenset(
    re.findall(
        r"\w+",
        "ar az bg bn ca cs da de el en es et eu fa fi fr gl he hi hr hu hy id is it ja"
        " ka kk ko lt lv mk ml mn mr ms my nb ne nl nn no pa pl pt ro ru sk sl sq sr sv"
        " sw ta te th tl tr uk ur uz vi yo zh",
    )
)
_TAG = re.compile(
    r"([a-z]{2})(?:[-_](?:[a-z]{2}|hans|hant|latn|cyrl|419))?", re.IGNORECASE
)
_FILE_NAME = re.compile(r"(.+?)[._-]([A-Za-z]{2}(?:[-_]\w{2,4})?)(\.\w+)")


class Place(NamedTuple):
    """Passages of one place.

    Attributes:
        best: The one that is shown.
        others: The others, best first.
    """

    best: Passage
    others: tuple[Passage, ...] = ()

    def with_others(self, places: Iterable[Place]) -> Place:
        """Return this place with other places listed under it."""
        more = (passage for p in places for passage in (p.best, *p.others))
        return Place(self.best, (*self.others, *more)[:_MAX_OTHERS])


def leave_unfolded(passages: Sequence[Passage], limit: int) -> list[Place]:
    """Make each of the best passages a place of its own."""
    return [Place(passage) for passage in passages[:limit]]


def fold(passages: Sequence[Passage], limit: int, language: str | None) -> list[Place]:
    """Fold passages, best first, into places and mix documents.

    The language is that of the question, if it is known.
    """
    places = [Place(passage) for passage in passages]
    places = _mix(_fold_copies(_fold_translations(places, language)))
    shown, rest = places[:limit], places[limit:]
    sections = {_section_of(place.best) for place in shown}
    left: defaultdict[Hashable, list[Place]] = defaultdict(list)
    for place in rest:
        section = _section_of(place.best)
        if section in sections:
            left[section].append(place)
    # Under the best part of a section; the first of them is the best.
    if not left:
        return shown
    return [place.with_others(left.pop(_section_of(place.best), ())) for place in shown]


def _section_of(passage: Passage) -> Hashable:
    """Return what the passages of one section have in common.

    A text of many pages without headings has many places.
    """
    candidate = passage.candidate
    if candidate.is_code or _is_of_many_pages(candidate):
        return candidate.id
    return candidate.section


def _is_of_many_pages(candidate: Candidate) -> bool:
    return (candidate.parts or 0) > MAX_PLACE_PARTS


def _fold_translations(places: Sequence[Place], language: str | None) -> list[Place]:
    """Fold the translations of a page into the page in the question's language."""
    paths = {place.best.candidate.path for place in places}
    if len({page_of(path).language for path in paths}) <= 1:
        return [*places]
    pages: defaultdict[str, list[Place]] = defaultdict(list)
    for place in places:
        candidate = place.best.candidate
        if not candidate.is_code:
            pages[page_of(candidate.path).key].append(place)
    replaced: dict[str, Place] = {}
    folded: set[str] = set()
    for translations in pages.values():
        if len(translations) == 1:
            continue
        found = [page_of(place.best.candidate.path).language for place in translations]
        shown = _choose_language(found, language)
        if all(each == shown for each in found):
            continue
        kept = translations[found.index(shown)]
        hidden = [
            p for p, each in zip(translations, found, strict=True) if each != shown
        ]
        folded.update(place.best.id for place in (kept, *hidden))
        # It takes the rank of the best translation.
        replaced[translations[0].best.id] = kept.with_others(hidden)
    if not replaced:
        return [*places]
    return [
        replaced.get(place.best.id, place)
        for place in places
        if place.best.id in replaced or place.best.id not in folded
    ]


def _choose_language(found: Sequence[str | None], wanted: str | None) -> str | None:
    """Return the language to show; a path without one is in the main language."""
    if wanted in found:
        return wanted
    return None if None in found else found[0]


def _fold_copies(places: Sequence[Place]) -> list[Place]:
    """Fold sections of documents that say the same below the same headings."""
    found: list[Place] = []
    known: defaultdict[Hashable, list[int]] = defaultdict(list)
    for place in places:
        candidate = place.best.candidate
        alike = known[candidate.section_path]
        at = None
        if alike:  # of most names there is one
            copies = (i for i in alike if _is_copy(candidate, found[i].best.candidate))
            at = next(copies, None)
        if at is None:
            alike.append(len(found))
            found.append(place)
        else:
            found[at] = found[at].with_others([place])
    return found


def _is_copy(candidate: Candidate, other: Candidate) -> bool:
    """Return whether two sections say the same, or nearly in files of one name."""
    if candidate.is_code or candidate.document_id == other.document_id:
        return False
    if _file_name(candidate) != _file_name(other):
        return _has_same_text(candidate, other)
    return (
        candidate.place == other.place
        and _is_close(candidate.token_count, other.token_count)
        and _is_close(candidate.lexical, other.lexical)
        and _is_close(candidate.similarity or 0.0, other.similarity or 0.0)
    )


def _file_name(candidate: Candidate) -> str:
    return candidate.path.rpartition("/")[2]


def _has_same_text(candidate: Candidate, other: Candidate) -> bool:
    """Return whether two texts of one heading path are equal, by size and vector.

    The name of the file is not part of what is embedded.
    """
    similarity, others = candidate.similarity, other.similarity
    return (
        similarity is not None
        and others is not None
        and candidate.token_count == other.token_count
        and isclose(similarity, others, rel_tol=_SAME_TEXT_TOLERANCE)
    )


def _is_close(value: float, other: float) -> bool:
    return isclose(value, other, rel_tol=_COPY_TOLERANCE)


def _mix(places: Sequence[Place]) -> list[Place]:
    """Move more of a section, and a fourth of a document, after the first five."""
    first: list[Place] = []
    later: list[Place] = []
    sections: set[Hashable] = set()
    documents: defaultdict[str, int] = defaultdict(int)
    for at, place in enumerate(places):
        if len(first) == _FIRST_PLACES:
            later += places[at:]
            break
        section, candidate = _section_of(place.best), place.best.candidate
        is_full = documents[candidate.document_id] >= _MAX_OF_DOCUMENT
        is_free = candidate.is_code or _is_of_many_pages(candidate)
        is_new = section not in sections and (is_free or not is_full)
        if is_new:
            sections.add(section)
            documents[candidate.document_id] += 1
            first.append(place)
        else:
            later.append(place)
    return [*first, *later]


class Page(NamedTuple):
    """A page in one of its languages.

    Attributes:
        key: The path without the language: equal for all translations.
        language: The language in the path, as `ru`; None if the path has none.
    """

    key: str
    language: str | None


@lru_cache(maxsize=20_000)
def page_of(path: str) -> Page:
    """Return which page the document at a path is, and in which language."""
    *folders, name = path.split("/")
    match = _FILE_NAME.fullmatch(name)
    if match is not None and (language := _language(match[2])) is not None:
        return Page("/".join([*folders, match[1] + match[3]]), language)
    for at, folder in enumerate(folders):
        if (language := _language(folder)) is not None:
            return Page("/".join([*folders[:at], *folders[at + 1 :], name]), language)
    return Page(path, None)


def _language(text: str) -> str | None:
    match = _TAG.fullmatch(text)
    code = match[1].lower() if match is not None else ""
    return code if code in _CODES else None
