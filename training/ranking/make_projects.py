"""Make one index per project, of its documents and its code, with questions about it.

    python -m training.ranking.make_projects ARCHIVE... --out GROUPS

An archive is the source archive of a Python package that has its documents. The questions
are of three kinds: a sentence around a link to a section asks for that section (`link`), a
sentence that refers to a definition asks for the definition (`reference`), and the name
alone does so, too (`symbol`). What a question quotes is cut out of the documents.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from training.ranking.definitions import find_definitions
from training.ranking.document_questions import DocumentQuestions
from training.ranking.packages import Package, archive_licence, read_files
from training.ranking.question import Question, Span, cut_out
from training.ranking.references import find_references, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MIN_BYTES, MAX_BYTES = 60_000, 5_000_000  # of documents and of code, each
MAX_LINKS, MAX_REFERENCES, MAX_SYMBOLS = 40, 30, 20
MIN_LINKS = 8
_PER_SECTION = 2
_MIN_SECTION, _MAX_SECTION = 120, 8_000
_MIN_NAME = 4
# An entry of a list of contents is a title and little else.
_MIN_OTHER_WORDS = 4
_DOCUMENTS = (".md", ".rst", ".mdx", ".txt")
_ASIDE = re.compile(
    r"(?:^|/)(?:tests?|testing|_?examples?|benchmarks?|ci|tools|scripts|samples|demos?"
    r"|stubs?|typings|newsfragments|changelog\.d)/|(?:^|/)(?:test_|conftest|setup\.py)"
    r"|_test\.py|/docs?/.*\.py$"
)


class Project:
    """The documents and the code of a project, and questions about them."""

    def __init__(self, name: str, files: dict[str, str]) -> None:
        """Find definitions whose name, alone or with its owner's, occurs once."""
        self.files = files
        self.random = Random(name)
        self.documents = DocumentQuestions(Package(name, "", files), {}, self.random)
        found = [
            (key, Span(path, d.start, d.end))
            for path, text in files.items()
            if path.endswith(".py")
            for d in find_definitions(path, text)
            for key in {d.name, f"{d.owner}.{d.name}" if d.owner else d.name}
        ]
        counts = Counter(key for key, _ in found)
        self._places = {key: place for key, place in found if counts[key] == 1}

    def questions(self) -> list[Question]:
        """Return the questions, or none if there are too few links."""
        links = list(self._links())
        if len(links) < MIN_LINKS:
            return []
        return [*links, *self._references(), *self._symbols()]

    def _links(self) -> Iterator[Question]:
        found = [
            (sentence, section)
            for sentence in self.documents.all_sentences()
            if (section := self.documents.target(sentence))
            and section.end - section.body >= _MIN_SECTION
            and section.end - section.start <= _MAX_SECTION
        ]
        self.random.shuffle(found)
        taken: Counter[Span] = Counter()
        for sentence, section in found:
            answer = Span(section.path, section.start, section.end)
            text = shown(sentence.text, self.documents.titles)
            others = set(_words(text)) - set(_words(section.title))
            if taken[answer] < _PER_SECTION and len(others) >= _MIN_OTHER_WORDS:
                taken[answer] += 1
                yield Question("link", text, (answer,), (sentence.span,))
            if taken.total() == MAX_LINKS:
                return

    def _references(self) -> Iterator[Question]:
        found = self._find_references()
        self.random.shuffle(found)
        taken: dict[str, Question] = {}
        for text, key, span in found:
            taken.setdefault(
                key, Question("reference", text, (self._places[key],), (span,))
            )
        yield from list(taken.values())[:MAX_REFERENCES]

    def _symbols(self) -> Iterator[Question]:
        named = sorted({key for _, key, _ in self._find_references()})
        self.random.shuffle(named)
        for key in named[:MAX_SYMBOLS]:
            yield Question("symbol", key, (self._places[key],))

    def _find_references(self) -> list[tuple[str, str, Span]]:
        """Return sentences that refer to one definition and to no section."""
        found = []
        for sentence in self.documents.all_sentences():
            named = find_references(sentence.text)
            keys = {key for name in named if (key := self._resolve(name))}
            if len(keys) == 1 and not self.documents.target(sentence):
                text = shown(sentence.text, self.documents.titles)
                found.append((text, keys.pop(), sentence.span))
        return found

    def _resolve(self, name: str) -> str | None:
        parts = name.split(".")
        if len(parts[-1]) < _MIN_NAME:
            return None
        return next(
            (k for k in (".".join(parts[-2:]), parts[-1]) if k in self._places), None
        )


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z]{3,}", text.lower())


def choose_files(files: dict[str, str]) -> dict[str, str]:
    """Return the documents and the Python code, or nothing if one side is too small."""
    kept = {
        path: text
        for path, text in files.items()
        if path.endswith((*_DOCUMENTS, ".py"))
        and not _ASIDE.search(path.partition("/")[2])
    }
    code = sum(len(text) for path, text in kept.items() if path.endswith(".py"))
    documents = sum(map(len, kept.values())) - code
    is_fitting = all(MIN_BYTES <= size <= MAX_BYTES for size in (code, documents))
    return kept if is_fitting else {}


def write_project(folder: Path, name: str, files: dict[str, str]) -> int:
    """Write the files and the questions of a project; return how many there are."""
    texts, questions = cut_out(files, Project(name, files).questions())
    for path, text in texts.items() if questions else ():
        file = folder / "files" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
    rows = [
        {"package": name, "kind": q.kind, "q": q.text, "answers": q.answers}
        for q in questions
    ]
    if rows:
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / "questions.jsonl").write_text(lines, encoding="utf-8")
    return len(rows)


def main(arguments: Sequence[str] | None = None) -> None:
    """Make the groups."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("archives", nargs="+", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args(arguments)
    for archive in given.archives:
        name = archive.name.rpartition("-")[0].lower()
        if archive_licence(archive) is None:
            print(f"{name}: no permissive licence found")
            continue
        files = choose_files(read_files(archive, name))
        number = write_project(given.out / name, name, files) if files else 0
        print(f"{name}: {number} questions", flush=True)


if __name__ == "__main__":
    main()
