"""Make lists of sections from the documents of packages, and what asks for each of them.

    python -m training.reranking.documents FOLDER... --out documents.jsonl.gz --exclude DIR

Writes one pair per line, `[package, kind, query, passage]`, and beside it a list of the
packages used with their licences. Every section is the passage
of a `section`, whose query is the path of its headings. A sentence with a link asks for
the section it leads to (`section_link`), and one sentence of a section for the rest of it
(`section_sentence`). Both are cut out of the sections, so a section has the same text in
all of its pairs. Pages in other languages count as another package, `NAME.ja`.
"""

from __future__ import annotations

import argparse
import gzip
import posixpath
import random
import re
import sys
from collections import Counter, defaultdict
from multiprocessing import Pool
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from training.make_pairs import PairFile, forbidden
from training.packages import ReadPackage, archives_in, permitted_members
from training.pair import Pair
from training.sections import (
    DocSection,
    links_in,
    read_html,
    read_markdown,
    read_rst,
    without_links,
    without_shown,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from training.archives import Member

_READERS: dict[str, Callable[[str], list[DocSection]]] = {
    "md": read_markdown,
    "mdx": read_markdown,
    "markdown": read_markdown,
    "rst": read_rst,
    "html": read_html,
    "htm": read_html,
}
_LANGUAGES = r"de|es|fr|ja|ko|pt|ru|zh"
# The language is a folder, or stands before or after the suffix.
_LANGUAGE = re.compile(
    rf"/({_LANGUAGES})(?:[-_][A-Za-z]+)?/|[._]({_LANGUAGES})(?:[-_][A-Za-z]+)?\.\w+$"
    rf"|\.html\.([a-z]{{2}})(?:-\w+)?(?:\.[\w-]+)?$",
    re.IGNORECASE,
)
_PAGE = re.compile(
    rf"\.({'|'.join(_READERS)})(?:\.txt|\.[a-z]{{2}}(?:-\w+)?(?:\.[\w-]+)?)?$"
)
# A line of names of languages, which pages have at their top.
_OTHER_LANGUAGES = re.compile("^.*\xa0[a-z]{2}(?:-[a-z]{2})?\xa0.*$\n?", re.MULTILINE)
_CHARSET = re.compile(rb"charset=[\"']?([\w-]+)")
_NOT_DOCUMENTS = re.compile(
    r"/(?:tests?|testdata|vendor|third_?party|node_modules|fixtures|deps|releasenotes)/"
    r"|/(?:class-use|index-files|src-html|search|_modules)/|_source\.html$"
    r"|-members\.html$|/genindex|/py-modindex|_8[a-z]+\.html$|/allclasses"
    r"|change-?log|/news\b|licen[sc]e|copying|/releases?[-_./]",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=\S)|(?<=[。！？])\s*(?=\S)|\n\s*\n")
_IDEOGRAPHIC = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_LETTERS = re.compile(r"[^\W\d_]")
_MIN_LETTERS = 12
_MAX_BYTES = 3_000_000
_MAX_FILE = 600_000  # larger ones are generated
_MIN_SECTION, _MAX_SECTION = 60, 1_300
_MIN_SENTENCE, _MAX_SENTENCE = 30, 320
_MIN_IDEOGRAPHIC = 12
_MIN_WORDS, _MIN_SHARE = 5, 0.65
_MIN_SENTENCES = 4
_MAX_SECTIONS, _MAX_LINKS = 2_500, 2_500
_MAX_SENTENCES = 600


class Section(NamedTuple):
    """A section of a page, with its number among all of its package."""

    number: int
    page: str
    path: tuple[str, ...]
    text: str


class Query(NamedTuple):
    """What asks for a section, by the number of the section."""

    kind: str
    said: str
    number: int


class Documents:
    """The pages of a package in one language."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._sections: list[Section] = []
        self._targets: dict[tuple[str, str], int] = {}
        self._pages: set[str] = set()

    def add(self, page: str, sections: list[DocSection]) -> None:
        """Add the sections of a page."""
        self._pages.add(page)
        for section in sections:
            text = _OTHER_LANGUAGES.sub("", section.text).strip()
            if len(without_links(text)) < _MIN_SECTION or not section.path:
                continue
            number = len(self._sections)
            self._sections.append(Section(number, page, section.path, text))
            self._targets.setdefault((page, ""), number)
            for anchor in section.anchors:
                key = ("", anchor) if anchor.startswith("ref:") else (page, anchor)
                self._targets.setdefault(key, number)

    def pairs(self) -> Iterator[Pair]:
        """Yield the pairs of all sections."""
        chance = random.Random(self.name)
        cut: dict[int, set[str]] = defaultdict(set)
        links = list(self._links(cut))
        asked = chance.sample(links, min(len(links), _MAX_LINKS))
        asked += self._sentences(cut, chance)
        texts = self._texts({query.number for query in asked}, cut, chance)
        for number, text in texts.items():
            yield Pair("section", " > ".join(self._sections[number].path), text)
        for kind, said, number in asked:
            if number in texts:
                yield Pair(kind, said, texts[number])

    def _links(self, cut: dict[int, set[str]]) -> Iterator[Query]:
        """Yield sentences with a link, and note them as cut out."""
        for section in self._sections:
            for sentence in _SENTENCE.split(section.text):
                targets = set(links_in(sentence))
                said = _said(sentence)
                # An entry of a list of contents has nothing but the link.
                beside = len(_LETTERS.findall(without_shown(sentence)))
                if len(targets) != 1 or beside < _MIN_LETTERS or not is_question(said):
                    continue
                target = self._resolve(section.page, targets.pop())
                if target is not None and target != section.number:
                    cut[section.number].add(sentence)
                    yield Query("section_link", said, target)

    def _sentences(
        self, cut: dict[int, set[str]], chance: random.Random
    ) -> Iterator[Query]:
        """Yield one sentence of each of some sections, and note it as cut out."""
        count = min(len(self._sections), _MAX_SENTENCES)
        for section in chance.sample(self._sections, count):
            sentences = _SENTENCE.split(section.text[:_MAX_SECTION])
            if len(sentences) < _MIN_SENTENCES:
                continue
            sentence = chance.choice(sentences)
            said = _said(sentence)
            if is_question(said) and not links_in(sentence):
                cut[section.number].add(sentence)
                yield Query("section_sentence", said, section.number)

    def _texts(
        self, wanted: set[int], cut: dict[int, set[str]], chance: random.Random
    ) -> dict[int, str]:
        """Return sections without what is cut out: those wanted, and some others."""
        others = [s.number for s in self._sections if s.number not in wanted]
        room = max(0, _MAX_SECTIONS - len(wanted))
        used = wanted.union(chance.sample(others, min(len(others), room)))
        texts: dict[int, str] = {}
        for number in sorted(used):
            text = self._sections[number].text
            for sentence in sorted(cut.get(number, ())):
                text = text.replace(sentence, " ")
            text = without_links(text).strip()[:_MAX_SECTION]
            if len(_LETTERS.findall(text)) >= _MIN_SECTION // 2:
                texts[number] = text
        return texts

    def _resolve(self, page: str, target: str) -> int | None:
        """Return the section that a link of a page leads to."""
        if target.startswith("ref:"):
            return self._targets.get(("", target))
        path, _, anchor = target.partition("#")
        if path:
            path = posixpath.normpath(posixpath.join(posixpath.dirname(page), path))
            page = next((p for p in _spellings(path, page) if p in self._pages), "")
        return self._targets.get((page, anchor))


def _said(sentence: str) -> str:
    """Return a sentence on one line, without the mark of a list."""
    return " ".join(without_links(sentence).split()).lstrip("*-•# ")


def _spellings(path: str, source: str) -> Iterator[str]:
    """Yield the files that a link may mean."""
    suffix = _PAGE.search(source)
    ending = suffix[0] if suffix else ""
    stem = re.sub(r"\.\w+$", "", path)
    yield from (path, path + ending, f"{stem}{ending}", f"{path}/index{ending}")


def is_question(said: str) -> bool:
    """Return whether a sentence is one, and not code, a table or a list of names."""
    if len(_IDEOGRAPHIC.findall(said)) >= _MIN_IDEOGRAPHIC:
        return len(said) < _MAX_SENTENCE
    words = sum(word.strip("().,:;!?'\"«»").isalpha() for word in said.split())
    return (
        _MIN_SENTENCE < len(said) < _MAX_SENTENCE
        and words >= max(_MIN_WORDS, _MIN_SHARE * (said.count(" ") + 1))
        and "::" not in said
    )


def read_documents(archive: Path) -> ReadPackage:
    """Return the pairs of the documents of a package whose licence allows it."""
    read, members = permitted_members(archive)
    if read.problem:
        return read
    pairs: list[Pair] = []
    documents: dict[str, Documents] = {}
    for language, path, sections in _pages(members):
        name = f"{read.name}.{language}" if language else read.name
        documents.setdefault(name, Documents(name)).add(path, sections)
    for name, found in documents.items():
        pairs += [pair.cut() for pair in found.pairs() if pair.is_useful]
        pairs += [Pair("package", name, "")]
    return read._replace(pairs=pairs)


def _pages(members: list[Member]) -> Iterator[tuple[str, str, list[DocSection]]]:
    """Yield language, path and sections of pages, up to a number of bytes of each."""
    has_sources = any("/_sources/" in member.path for member in members)
    budget: Counter[str] = Counter()
    random.Random(7).shuffle(members)
    for member in members:
        suffix = _PAGE.search(member.path)
        if suffix is None or _NOT_DOCUMENTS.search(member.path):
            continue
        if has_sources and suffix[1] in {"html", "htm"}:
            continue
        found = _LANGUAGE.search(member.path)
        language = next(filter(None, found.groups()), "").lower() if found else ""
        if len(member.data) > _MAX_FILE or budget[language] > _MAX_BYTES:
            continue
        budget[language] += len(member.data)
        charset = _CHARSET.search(member.data[:1_000])
        try:
            text = member.data.decode(charset[1].decode() if charset else "utf-8")
        except (LookupError, UnicodeDecodeError):
            text = member.data.decode("utf-8", "replace")
        yield language, member.path.removesuffix(".txt"), _READERS[suffix[1]](text)


def _lines(pairs: PairFile, read: ReadPackage) -> Iterator[str]:
    """Yield the lines of the pairs of each language."""
    part: list[Pair] = []
    for pair in read.pairs:
        if pair.kind == "package":
            yield from pairs.lines(read._replace(name=pair.query, pairs=part))
            part = []
        else:
            part.append(pair)


def main() -> None:
    """Read packages, drop what must not be learned from, write pairs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--exclude", type=Path, action="append", default=[])
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    pairs = PairFile(forbidden(given.exclude))
    archives = archives_in(given.folders)
    random.Random(7).shuffle(archives)
    used: list[str] = []
    with (
        gzip.open(given.out, "wt", compresslevel=3) as out,
        Pool(given.workers) as pool,
    ):
        for read in pool.imap_unordered(read_documents, archives):
            lines = list(_lines(pairs, read))
            out.writelines(lines)
            print(read.name, read.problem or read.licence, len(lines), flush=True)
            if lines:
                used.append(f"{read.name}\t{read.licence}\t{len(lines)}")
    given.out.with_suffix(".packages.tsv").write_text("\n".join(sorted(used)) + "\n")
    print(dict(pairs.kinds), dict(pairs.refused), file=sys.stderr)


if __name__ == "__main__":
    main()
