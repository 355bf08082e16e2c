"""Questions that documents answer, and questions of documents that code answers."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from training.ranking.question import Question, Span
from training.ranking.wording import count_words, plain, sentences

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from random import Random

    from training.ranking.code_questions import Place
    from training.ranking.packages import Package

_MIN_WORDS, _MAX_WORDS = 6, 60
_MIN_SECTION, _MAX_SECTION = 120, 6_000
_MD_HEADING = re.compile(r"^(#{1,6})[ \t]+(.+?)[ \t#]*$", re.MULTILINE)
_RST_HEADING = re.compile(
    r"^(?P<title>\S[^\n]*)\n(?P<line>([=\-`:'\"~^_*+#<>])\3{2,})[ \t]*$", re.MULTILINE
)
_RST_LABEL = re.compile(
    r"^\.\. _([^:\n]+):[ \t]*\n(?:\s*\n|\.\. _[^\n]*\n)*", re.MULTILINE
)
_FENCE = re.compile(r"^[ \t]*(```|~~~).*?^[ \t]*\1[ \t]*$", re.MULTILINE | re.DOTALL)
_MD_LINK = re.compile(r"\[([^\]\n]{3,80})\]\(([^)\s#]*)#([\w.-]+)\)")
_RST_REF = re.compile(r":ref:`(?:[^`<]*<([^>`]+)>|([^`]+))`")
_CODE_NAME = re.compile(r"`{1,2}[~.]?([\w.:]+?)(?:\([^`]*\))?`{1,2}")
_PARAGRAPH = re.compile(
    r"(?:(?!^[ \t]*(?:\.\. |:\w|[|+=#>]|```))^[^\n]+\n?)+", re.MULTILINE
)
_ITEM = re.compile(
    r"^[ \t]*(?:[-*+]|\d+\.|#\.)[ \t]+"
    r"((?:[^\n]+\n?)(?:[ \t]+(?![-*+] |\d+\.)[^\s][^\n]*\n?)*)",
    re.MULTILINE,
)
_HOW = ("how to {}", "how do I {}?", "how can I {}?", "{}", "{}", "{} docs")
_WHAT = ("what is {}?", "{}", "{}", "explain {}", "{} guide")
_COMMON = frozenset(
    [
        "the",
        "a",
        "an",
        "of",
        "to",
        "in",
        "on",
        "for",
        "with",
        "and",
        "or",
        "is",
        "are",
        "be",
        "by",
        "as",
        "it",
        "this",
        "that",
        "from",
        "at",
        "if",
    ]
)


def _is_sentence(text: str) -> bool:
    bare = plain(text)
    return (
        _MIN_WORDS <= count_words(bare) <= _MAX_WORDS
        and text.rstrip()[-1:] in ".!?:"
        and "|" not in bare
        and ": {" not in bare
    )


class Section(NamedTuple):
    """A section of a document, from its heading to that of the next."""

    path: str
    title: str
    level: int
    start: int
    body: int
    end: int

    @property
    def span(self) -> Span:
        """The section with its heading and, at most, its beginning."""
        return Span(self.path, self.start, min(self.end, self.start + _MAX_SECTION))


class Sentence(NamedTuple):
    """A sentence of a document, with its markup."""

    span: Span
    text: str


def slug(title: str) -> str:
    """Return the anchor that most programs give a heading."""
    return re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-")


def find_sections(path: str, text: str) -> list[Section]:
    """Return the sections of a document; each extends over its subsections."""
    heads: list[tuple[int, int, str, int]] = []
    if path.endswith((".md", ".markdown", ".mdx")):
        fences = [found.span() for found in _FENCE.finditer(text)]
        heads = [
            (found.start(), found.end(), plain(found[2]), len(found[1]))
            for found in _MD_HEADING.finditer(text)
            if not any(a <= found.start() < b for a, b in fences)
        ]
    elif path.endswith(".rst"):
        levels: dict[str, int] = {}
        for found in _RST_HEADING.finditer(text):
            if (
                len(found["line"]) + 1 >= len(found["title"])
                and found["title"][0] not in "=-.:"
            ):
                level = levels.setdefault(found["line"][0], len(levels) + 1)
                heads.append((found.start(), found.end(), plain(found["title"]), level))
    sections = []
    for at, (start, body, title, level) in enumerate(heads):
        end = next(
            (s for s, _, _, other in heads[at + 1 :] if other <= level), len(text)
        )
        sections.append(Section(path, title, level, start, body, end))
    return sections


def _of_items(path: str, text: str) -> Iterator[Sentence]:
    """Yield the sentences of the items of lists."""
    for item in _ITEM.finditer(text):
        if "```" in item[1] or "::\n" in item[1]:
            continue
        for a, b in sentences(item[1]):
            found = item[1][a:b]
            start = item.start(1) + a + len(found) - len(found.lstrip())
            words = count_words(plain(found))
            if _MIN_WORDS <= words <= _MAX_WORDS and "|" not in found:
                yield Sentence(Span(path, start, item.start(1) + b), found.strip())


class DocumentQuestions:
    """Makes questions about the documents of one package."""

    def __init__(
        self, package: Package, unique: Mapping[str, Place], random: Random
    ) -> None:
        self.random = random
        self.files = package.files
        self.unique = unique
        self.sections = [
            section
            for path, text in sorted(package.files.items())
            for section in find_sections(path, text)
        ]
        self._starts: defaultdict[str, list[int]] = defaultdict(list)
        for section in self.sections:
            self._starts[section.path].append(section.start)
        self._labels = dict(self._read_labels())

    def _read_labels(self) -> Iterator[tuple[str, Section]]:
        starts = {(s.path, s.start): s for s in self.sections}
        for path, text in self.files.items():
            for found in _RST_LABEL.finditer(text) if path.endswith(".rst") else ():
                section = starts.get((path, found.end()))
                if section:
                    yield found[1].strip("`").lower(), section

    @cached_property
    def titles(self) -> dict[str, str]:
        """The titles of sections by their labels."""
        return {label: section.title for label, section in self._labels.items()}

    @cached_property
    def _anchors(self) -> dict[tuple[str, str], Section]:
        return {(s.path, slug(s.title)): s for s in self.sections}

    def all_sentences(self) -> Iterator[Sentence]:
        """Yield the sentences of paragraphs and of items of lists."""
        for path, text in sorted(self.files.items()):
            if path.endswith((".md", ".rst", ".mdx")):
                known = {}
                for start, end, found in self._sentences(path, 0, len(text)):
                    known[start] = Sentence(Span(path, start, end), found)
                for sentence in _of_items(path, text):
                    known.setdefault(sentence.span.start, sentence)
                yield from known.values()

    def target(self, sentence: Sentence) -> Section | None:
        """Return the section that a sentence links to, unless it is its own."""
        (path, start, _), text = sentence
        section = self._target(path, text, self._anchors)
        if section and section.path == path and section.start <= start < section.end:
            return None
        return section

    def _own(self, section: Section) -> tuple[int, int]:
        """Return the text of a section without its subsections."""
        starts = self._starts[section.path]
        following = bisect_left(starts, section.body)
        return section.body, min([*starts[following : following + 1], section.end])

    def _sentences(
        self, path: str, start: int, end: int
    ) -> Iterator[tuple[int, int, str]]:
        text = self.files[path][start:end]
        for paragraph in _PARAGRAPH.finditer(text):
            if paragraph[0][:1] in " \t-*|" or ".. " in paragraph[0]:
                continue
            for a, b in sentences(paragraph[0]):
                found = paragraph[0][a:b]
                if _is_sentence(found):
                    at = start + paragraph.start() + a
                    yield at, at + b - a, found

    def _answerable(self) -> list[tuple[Section, list[tuple[int, int, str]]]]:
        found = []
        for section in self.sections:
            if (
                len(section.title) > 2
                and _MIN_SECTION <= section.end - section.body <= _MAX_SECTION
            ):
                start, end = self._own(section)
                found.append((section, list(self._sentences(section.path, start, end))))
        self.random.shuffle(found)
        return found

    def quoted(self, limit: int) -> Iterator[Question]:
        """Ask with a sentence, cut out of its section."""
        chosen = [item for item in self._answerable() if len(item[1]) > 2][:limit]
        for section, found in chosen:
            start, end, text = self.random.choice(found)
            yield Question(
                "sentence",
                plain(text),
                (section.span,),
                (Span(section.path, start, end),),
            )

    def keywords(self, limit: int) -> Iterator[Question]:
        """Ask with some words of a sentence, which stays where it is."""
        for section, found in [item for item in self._answerable() if item[1]][:limit]:
            start, end, text = self.random.choice(found)
            words = [
                w
                for w in re.findall(r"[\w.-]*\w", plain(text))
                if w.lower() not in _COMMON
            ]
            if len(words) < 6:
                continue
            kept = sorted(
                self.random.sample(
                    range(len(words)), self.random.randint(4, min(9, len(words)))
                )
            )
            near = Span(
                section.path,
                max(section.start, start - 400),
                min(section.end, end + 400),
            )
            yield Question("keywords", " ".join(words[at] for at in kept), (near,))

    def headings(self, limit: int) -> Iterator[Question]:
        """Ask for headings that occur once."""
        titles = Counter(section.title.lower() for section in self.sections)
        found = [
            section for section, _ in self._answerable()
            if titles[section.title.lower()] == 1 and count_words(section.title) > 1
        ]  # fmt: skip
        for section in found[:limit]:
            verb = re.match(r"(\w+)ing\b", section.title)
            form = self.random.choice(_HOW if verb else _WHAT)
            title = section.title[:1].lower() + section.title[1:]
            yield Question("heading", form.format(title), (section.span,))

    def links(self, limit: int) -> Iterator[Question]:
        """Ask with the sentence around a link to a section, cut out."""
        anchors = {(s.path, slug(s.title)): s for s in self.sections}
        found = []
        for path, text in sorted(self.files.items()):
            if not path.endswith((".md", ".rst", ".mdx")):
                continue
            for start, end, sentence in self._sentences(path, 0, len(text)):
                section = self._target(path, sentence, anchors)
                if section and not (
                    section.path == path and section.start <= start < section.end
                ):
                    found.append((path, start, end, sentence, section))
        self.random.shuffle(found)
        taken: set[Section] = set()
        for path, start, end, sentence, section in found:
            if (
                section not in taken
                and len(taken) < limit
                and section.end - section.body >= _MIN_SECTION
            ):
                taken.add(section)
                yield Question(
                    "link", plain(sentence), (section.span,), (Span(path, start, end),)
                )

    def _target(
        self, path: str, sentence: str, anchors: dict[tuple[str, str], Section]
    ) -> Section | None:
        ref = _RST_REF.search(sentence)
        if ref:
            return self._labels.get((ref[1] or ref[2]).strip().lower())
        link = _MD_LINK.search(sentence)
        if not link:
            return None
        target = link[2].rpartition("/")[2]
        for (other, anchor), section in anchors.items():
            if anchor == link[3].lower() and (
                other == path
                if not target
                else other.rpartition("/")[2].partition(".")[0]
                == target.partition(".")[0]
            ):
                return section
        return None

    def mentions(self, limit: int) -> Iterator[Question]:
        """Ask with a sentence that names a definition, cut out; the code answers."""
        found = []
        for path, text in sorted(self.files.items()):
            if not path.endswith((".md", ".rst", ".mdx")):
                continue
            for start, end, sentence in self._sentences(path, 0, len(text)):
                names = {
                    n.rpartition(".")[2].rpartition(":")[2]
                    for n in _CODE_NAME.findall(sentence)
                }
                named = [n for n in names if n in self.unique]
                if len(named) == 1:
                    found.append((path, start, end, sentence, self.unique[named[0]]))
        self.random.shuffle(found)
        for path, start, end, sentence, place in found[:limit]:
            yield Question(
                "mention", plain(sentence), (place.span,), (Span(path, start, end),)
            )
