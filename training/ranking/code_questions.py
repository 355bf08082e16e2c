"""Questions that code answers: of comments, names, changes, paths and tracebacks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from training.ranking.definitions import Definition, find_definitions
from training.ranking.question import Question, Span
from training.ranking.wording import count_words, first_sentence, plain, words_of_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from random import Random

    from training.ranking.packages import Package

_MIN_WORDS, _MAX_WORDS = 4, 40
_TEST = re.compile(
    r"(?:^|/)(?:tests?|testing|specs?|examples?|benchmarks?)/|(?:^|/)test_|_test\.|\.test\.|\.spec\."
)
_COMMENT = re.compile(
    r"^[ \t]*#[ \t]+([A-Z][^\n]{30,200})\n(?:[ \t]*#[^\n]*\n)*", re.MULTILINE
)
_CHANGES = re.compile(r"(?:^|/)(?:change|history|news|release)[^/]*$", re.IGNORECASE)
_ENTRY = re.compile(
    r"^[ \t]*[-*+][ \t]+((?:[^\n]+\n)(?:[ \t]+[^\s*+-][^\n]*\n)*)", re.MULTILINE
)
_IDENTIFIER = re.compile(r"[A-Za-z_]\w{3,}")
_RAISE = re.compile(
    r"^[ \t]+raise (\w+)\((?:_\()?f?[\"']([^\"'\n]{15,120})[\"']", re.MULTILINE
)
_WHERE = ("where is {} defined", "definition of {}", "{} implementation", "what does {} do in the code",
          "find {}", "show me the code of {}", "{} source")  # fmt: skip
_ASKED = ("function to {}", "which function does this: {}", "code that does the following: {}",
          "where do we {}", "where is the code to {}", "how is this implemented: {}", "how does it {}")  # fmt: skip


class Place(NamedTuple):
    """A definition in a file."""

    path: str
    definition: Definition

    @property
    def span(self) -> Span:
        """The definition without its comment."""
        return Span(self.path, self.definition.start, self.definition.end)

    @property
    def doc(self) -> Span:
        """The comment."""
        return Span(self.path, self.definition.doc_start, self.definition.doc_end)


class CodeQuestions:
    """Makes questions about the code of one package."""

    def __init__(
        self, package: Package, counts: Mapping[str, int], random: Random
    ) -> None:
        self.random = random
        self.files = package.files
        self.places = [
            Place(path, definition)
            for path, text in sorted(package.files.items())
            for definition in find_definitions(path, text)
        ]
        # A name that is defined once has one answer.
        self.unique = {
            place.definition.name: place
            for place in self.places
            if counts.get(place.definition.name) == 1 and len(place.definition.name) > 3
        }

    def documented(self) -> list[Place]:
        """Return the definitions whose comments make questions, in random order."""
        found = [
            place
            for place in self.places
            if place.definition.doc[:1].isalnum()
            and _MIN_WORDS
            <= count_words(first_sentence(place.definition.doc))
            <= _MAX_WORDS
            and not _TEST.search(place.path)
        ]
        self.random.shuffle(found)
        return found

    def comments(self, limit: int) -> Iterator[Question]:
        """Ask with the first sentence of comments, the comment cut out."""
        for place in self.documented()[:limit]:
            text = self._sentence(place)
            kind = "doc_comment_type" if place.definition.is_type else "doc_comment"
            yield Question(kind, text, (place.span,), (place.doc,))

    def asked(self, limit: int) -> Iterator[Question]:
        """Ask likewise, as a question about code."""
        for place in self.documented()[:limit]:
            text = self._sentence(place).rstrip(".")
            text = re.sub(r"^(\w+?)(?:ie)?s\b", r"\1", text, count=1)
            text = self.random.choice(_ASKED).format(text[:1].lower() + text[1:])
            yield Question("asked", text, (place.span,), (place.doc,))

    def _sentence(self, place: Place) -> str:
        text = first_sentence(place.definition.doc)
        name = place.definition.name
        if text.startswith(name) and self.random.random() < 0.7:
            text = text.removeprefix(name).strip()
        return text

    def all_comments(self) -> Iterator[Span]:
        """Yield all comments of definitions."""
        for place in self.places:
            if place.definition.doc:
                yield place.doc

    def names(self, limit: int) -> Iterator[Question]:
        """Ask for names: alone, with the owner, in a sentence, in words."""
        found = [p for p in self.unique.values() if not _TEST.search(p.path)]
        self.random.shuffle(found)
        for place in found[:limit]:
            name, owner = place.definition.name, place.definition.owner
            words = words_of_name(name)
            roll = self.random.random()
            if roll < 0.3:
                text = (
                    f"{owner}.{name}" if owner and self.random.random() < 0.5 else name
                )
                yield Question("symbol", text, (place.span,))
            elif roll < 0.6:
                yield Question(
                    "where", self.random.choice(_WHERE).format(name), (place.span,)
                )
            elif " " in words:
                ending = self.random.choice(
                    ["", "", " function", " in " + place.path.rpartition("/")[2]]
                )
                yield Question("name_words", words + ending, (place.span,))

    def tests(self, limit: int) -> Iterator[Question]:
        """Ask for tests by the words of their names."""
        found = [
            p for n, p in self.unique.items()
            if n.startswith("test_") and n.count("_") > 2 and _TEST.search(p.path)
        ]  # fmt: skip
        self.random.shuffle(found)
        for place in found[:limit]:
            words = words_of_name(place.definition.name).removeprefix("test ")
            yield Question(
                "test",
                f"test {self.random.choice(['for', 'that', 'of'])} {words}",
                (place.span,),
            )

    def inner_comments(self, limit: int) -> Iterator[Question]:
        """Ask with comments inside of functions, cut out."""
        found = [
            (place, comment)
            for place in self.places
            if not place.definition.is_type
            and not _TEST.search(place.path)
            and place.path.endswith(".py")
            for comment in _COMMENT.finditer(
                self.files[place.path], place.definition.start, place.definition.end
            )
        ]
        self.random.shuffle(found)
        for place, comment in found[:limit]:
            if count_words(comment[1]) > _MIN_WORDS and "(" not in comment[1]:
                cut = Span(place.path, comment.start(), comment.end())
                yield Question(
                    "inner_comment", first_sentence(comment[1]), (place.span,), (cut,)
                )

    def changes(self, limit: int) -> Iterator[Question]:
        """Ask with entries of the list of changes that name one definition."""
        found = []
        for path, text in sorted(self.files.items()):
            if _CHANGES.search(path.rpartition("/")[2]):
                for entry in _ENTRY.finditer(text):
                    named = {
                        n
                        for n in _IDENTIFIER.findall(entry[1])
                        if n in self.unique and ("_" in n or not n.islower())
                    }
                    if (
                        len(named) == 1
                        and _MIN_WORDS < count_words(entry[1]) < 2 * _MAX_WORDS
                    ):
                        found.append((path, entry, self.unique[named.pop()]))
        self.random.shuffle(found)
        for path, entry, place in found[:limit]:
            cut = Span(path, entry.start(), entry.end())
            yield Question("change", plain(entry[1]), (place.span,), (cut,))

    def paths(self, limit: int) -> Iterator[Question]:
        """Ask with the name of the file."""
        for place in self.documented()[:limit]:
            file = "/".join(place.path.split("/")[-self.random.choice([1, 1, 2, 3]) :])
            text = self._sentence(place)
            form = self.random.choice(["{f}: {t}", "in {f}, {t}", "{t} ({f})", "{f}"])
            if form == "{f}":
                yield Question(
                    "path", file, (Span(place.path, 0, len(self.files[place.path])),)
                )
            else:
                yield Question(
                    "path", form.format(f=file, t=text), (place.span,), (place.doc,)
                )

    def tracebacks(self, limit: int) -> Iterator[Question]:
        """Report errors with the functions that the call went through."""
        raising = [
            (place, found)
            for place in self.places
            if place.path.endswith(".py")
            and not place.definition.is_type
            and not _TEST.search(place.path)
            for found in [
                _RAISE.search(
                    self.files[place.path], place.definition.start, place.definition.end
                )
            ]
            if found
        ]
        self.random.shuffle(raising)
        for place, error in raising[:limit]:
            callers = self._callers(place)
            frames = [
                self._frame(p, at)
                for p, at in [*reversed(callers), (place, error.start() + 1)]
            ]
            caller = callers[0][0] if callers else place
            about = first_sentence(
                caller.definition.doc
                or place.definition.doc
                or words_of_name(place.definition.name)
            )
            text = (
                f"{error[1]} when I try to {words_of_name(caller.definition.name)}\n\n{about}\n\n```\n"
                "Traceback (most recent call last):\n"
                + "".join(frames)
                + f"{error[1]}: {error[2]}\n```\n"
            )
            # The error is often where it is raised, and often where the call comes from.
            at_fault = caller if self.random.random() < 0.4 else place
            yield Question("traceback", text, (at_fault.span,))

    def _callers(self, place: Place) -> list[tuple[Place, int]]:
        found: list[tuple[Place, int]] = []
        for _ in range(2):
            name = (found[-1][0] if found else place).definition.name
            call = re.compile(rf"^[^\n#]*\b{re.escape(name)}\(", re.MULTILINE)
            for other in self.places:
                d = other.definition
                if (
                    d.is_type
                    or d.name == name
                    or not other.path.endswith(".py")
                    or _TEST.search(other.path)
                ):
                    continue
                hit = call.search(self.files[other.path], d.start, d.end)
                if hit and not hit[0].lstrip().startswith(("def ", "class ")):
                    found.append((other, hit.start()))
                    break
            else:
                break
        return found

    def _frame(self, place: Place, at: int) -> str:
        text = self.files[place.path]
        line = (
            text[at : text.find("\n", at)].strip()
            or text[at:].strip().partition("\n")[0]
        )
        number = text.count("\n", 0, at) + 1
        path = place.path.partition("/")[2]
        return f'  File "/usr/lib/python3/site-packages/{path}", line {number}, in {place.definition.name}\n    {line}\n'

    def reports(self, limit: int) -> Iterator[Question]:
        """Report a problem with a piece of code that uses a definition."""
        users: dict[str, tuple[str, int, int]] = {}
        for place in self.places:
            if _TEST.search(place.path) and not place.definition.is_type:
                text = self.files[place.path][
                    place.definition.start : place.definition.end
                ]
                for name in set(_IDENTIFIER.findall(text)):
                    if name in self.unique and not _TEST.search(self.unique[name].path):
                        users.setdefault(
                            name,
                            (place.path, place.definition.start, place.definition.end),
                        )
        names = sorted(n for n in users if self.unique[n].definition.doc)
        self.random.shuffle(names)
        for name in names[:limit]:
            place, (path, start, end) = self.unique[name], users[name]
            code = "\n".join(self.files[path][start:end].splitlines()[1:25])
            title = first_sentence(place.definition.doc)
            opening = self.random.choice(
                [
                    "{} does not work as expected",
                    "Problem with {}",
                    "{} gives a wrong result",
                    "Support more cases in {}",
                ]
            )
            about = name if self.random.random() < 0.5 else words_of_name(name)
            text = f"{opening.format(about)}\n\nIt should do this: {title}\n\n```\n{code}\n```\n\nThis fails with the current version."
            yield Question("report", text, (place.span,), (place.doc,))
