"""Changes to a text that leave most of it as it was.

Each change is a function from a text and a source of randomness to another text. They
work on characters, lines, blocks and bytes, and know of Markdown only which characters
and line starts it cares for.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from random import Random

    Change = Callable[[str, Random], str]

_CHARACTERS: tuple[str, ...] = (
    *"#`~|-*_>+=.)([]:<!&$\\{}^'\" \t\n\r0123456789ab",
    "\r\n", "\n\n", "\x00", "\x0b", "\x0c", "\x1c", "\u0085", "\u00a0", "\u2028", "\u3000",
    "\ufeff", "\u200d", "\u0301", "\udc80", "\ud83d", "é", "中", "👩‍👩‍👧", "🇩🇪", "ß", "İ",
)  # fmt: skip
_PREFIXES = (
    "> ", ">", "- ", "* ", "+ ", "1. ", "10) ", " ", "  ", "   ", "    ", "\t", "# ", "### ",
    "-    ", "[^1]: ", "- [ ] ", "-\t", ">\t", "| ", "$$",
)  # fmt: skip
_LINES = (
    "", "---", "===", "```", "~~~", "````py", "$$", "| a | b |", "|---|---|", "-", ">", "#",
    "<div>", "</div>", "<!--", "-->", "[a]: b", "[^1]: note", "***", "    code", "{#id}",
)  # fmt: skip
_LINE_ENDS = re.compile(r"(?<=\n)|(?<=\r)(?!\n)")


def lines_of(text: str) -> list[str]:
    """Cut a text after its line ends, which are those of Markdown alone."""
    return [line for line in _LINE_ENDS.split(text) if line]


def _range(length: int, random: Random, most: int) -> tuple[int, int]:
    start = random.randint(0, length)
    return start, min(length, start + random.randint(1, most))


def _insert_character(text: str, random: Random) -> str:
    at = random.randint(0, len(text))
    times = random.choice((1, 1, 1, 2, 3, 4, 8))
    return text[:at] + random.choice(_CHARACTERS) * times + text[at:]


def _delete_characters(text: str, random: Random) -> str:
    start, end = _range(len(text), random, 4)
    return text[:start] + text[end:]


def _replace_character(text: str, random: Random) -> str:
    start, end = _range(len(text), random, 1)
    return text[:start] + random.choice(_CHARACTERS) + text[end:]


def _repeat_characters(text: str, random: Random) -> str:
    start, end = _range(len(text), random, 20)
    return text[:end] + text[start:end] * random.choice((1, 2, 5)) + text[end:]


def _change_bytes(text: str, random: Random) -> str:
    """Change bytes of the UTF-8 form; what is no longer UTF-8 becomes surrogates."""
    data = bytearray(text.encode("utf-8", "surrogatepass"))
    for _ in range(random.randint(1, 3) if data else 0):
        data[random.randrange(len(data))] = random.randrange(256)
    return data.decode("utf-8", "surrogateescape")


def _truncate(text: str, random: Random) -> str:
    at = random.randint(0, len(text))
    return random.choice((text[:at], text[at:]))


def _delete_lines(text: str, random: Random) -> str:
    lines = lines_of(text)
    start, end = _range(len(lines), random, 3)
    return "".join(lines[:start] + lines[end:])


def _repeat_lines(text: str, random: Random) -> str:
    lines = lines_of(text)
    start, end = _range(len(lines), random, 6)
    times = random.choice((1, 1, 2, 10))
    return "".join(lines[:end] + lines[start:end] * times + lines[end:])


def _move_lines(text: str, random: Random) -> str:
    lines = lines_of(text)
    start, end = _range(len(lines), random, 4)
    moved, rest = lines[start:end], lines[:start] + lines[end:]
    at = random.randint(0, len(rest))
    return "".join(rest[:at] + moved + rest[at:])


def _insert_line(text: str, random: Random) -> str:
    lines = lines_of(text)
    at = random.randint(0, len(lines))
    return "".join([*lines[:at], random.choice(_LINES) + "\n", *lines[at:]])


def _prefix_lines(text: str, random: Random) -> str:
    """Put a mark before some lines, or a list marker and then its indent."""
    lines = lines_of(text)
    start, end = _range(len(lines), random, random.choice((1, 4, 100)))
    first = random.choice(_PREFIXES)
    rest = random.choice((first, " " * len(first)))
    marks = [first] + [rest] * (end - start)
    changed = [mark + line for mark, line in zip(marks, lines[start:end], strict=False)]
    return "".join(lines[:start] + changed + lines[end:])


def _outdent_lines(text: str, random: Random) -> str:
    lines = lines_of(text)
    start, end = _range(len(lines), random, 4)
    columns = random.choice((1, 1, 2, 4))
    changed = [
        line[columns:] if line[:1] in " \t>" else line for line in lines[start:end]
    ]
    return "".join(lines[:start] + changed + lines[end:])


def _join_lines(text: str, random: Random) -> str:
    lines = lines_of(text)
    if not lines:
        return text
    at = random.randrange(len(lines))
    lines[at] = lines[at].rstrip("\r\n")
    return "".join(lines)


def _change_line_ends(text: str, random: Random) -> str:
    if random.random() < 0.7:
        return text.replace("\r\n", "\n").replace(
            "\n", random.choice(("\r\n", "\r", "\n"))
        )
    ends = ("\n", "\r\n", "\r", "\n\n")
    return "".join(line.rstrip("\r\n") + random.choice(ends) for line in lines_of(text))


def _spaces_to_tabs(text: str, random: Random) -> str:
    width = random.choice((1, 2, 4))
    return text.replace(" " * width, "\t", random.randint(1, 4))


CHANGES: tuple[Change, ...] = (
    _insert_character, _insert_character, _delete_characters, _replace_character,
    _repeat_characters, _change_bytes, _truncate, _delete_lines, _delete_lines,
    _repeat_lines, _move_lines, _insert_line, _insert_line, _prefix_lines, _prefix_lines,
    _outdent_lines, _join_lines, _change_line_ends, _spaces_to_tabs,
)  # fmt: skip


class Mutator:
    """Makes new texts out of known ones.

    Args:
        seeds: The known texts, each as its lines.
        random: The source of randomness.
        changes: What can happen to a text.
    """

    def __init__(
        self,
        seeds: Sequence[Sequence[str]],
        random: Random,
        changes: Sequence[Change] = CHANGES,
    ) -> None:
        self._seeds = seeds
        self._random = random
        self._changes = changes

    def document(self) -> str:
        """Return pieces of one or a few seeds after a few changes."""
        count = self._random.choice((1, 1, 2, 3, 4))
        gap = self._random.choice(("\n", "\n", ""))
        return self.change(gap.join("".join(self._piece()) for _ in range(count)))

    def change(self, text: str) -> str:
        """Return a text after a few changes."""
        random = self._random
        for _ in range(random.choice((1, 1, 2, 3, 5, 8))):
            if random.random() < 0.12:
                text = self._splice(text)
            else:
                text = random.choice(self._changes)(text, random)
        return text

    def _piece(self) -> Sequence[str]:
        """Return a run of lines of a seed, mostly a short one."""
        random = self._random
        lines = random.choice(self._seeds)
        most = 200 if random.random() < 0.01 else random.choice((5, 10, 10, 20, 40))
        start = random.randint(0, max(0, len(lines) - most))
        return lines[start : start + most]

    def _splice(self, text: str) -> str:
        """Put a piece of another seed into a text, or at its cut end."""
        random = self._random
        lines, other = lines_of(text), list(self._piece())
        at = random.randint(0, len(lines))
        start, end = _range(len(other), random, 10)
        rest = lines[at:] if random.random() < 0.6 else []
        return "".join(lines[:at] + other[start:end] + rest)
