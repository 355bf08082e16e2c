"""Making a failing case small: fewer files, lines and characters, plainer settings.

What is left still breaks the same promise, and leaving out any one line or character
would mend it, unless time ran out before.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from fuzz.mutate import lines_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fuzz.cases import Case

_NEEDED = ("view", "max_chunk_size", "max_depth", "limit", "level")


class Shrinker:
    """Shrinks one case.

    Args:
        fails: Whether a case breaks the promise in question.
        seconds: Time that shrinking may take.
    """

    def __init__(self, fails: Callable[[Case], bool], seconds: float = 10.0) -> None:
        self._fails = fails
        self._deadline = time.monotonic() + seconds

    def shrink(self, case: Case) -> Case:
        """Return the smallest case found."""
        case = self._without_files(case)
        for name in case.files:
            for _ in range(3):
                before = case
                for cut in (lines_of, list):
                    case = self._without_pieces(case, name, cut)
                if case == before:
                    break
            case = self._with_plain_letters(case, name)
        return self._without_settings(case)

    def _still(self, case: Case) -> bool:
        return time.monotonic() < self._deadline and self._fails(case)

    def _without_files(self, case: Case) -> Case:
        for name in list(case.files):
            rest = {other: text for other, text in case.files.items() if other != name}
            if rest and self._still(smaller := replace(case, files=rest)):
                case = smaller
        return case

    def _without_pieces(
        self, case: Case, name: str, cut: Callable[[str], Sequence[str]]
    ) -> Case:
        """Leave out runs of lines or characters, long ones first."""
        pieces = list(cut(case.files[name]))
        size = max(1, len(pieces) // 2)
        while True:
            at, done = 0, True
            while at < len(pieces):
                fewer = pieces[:at] + pieces[at + size :]
                if self._still(smaller := _with(case, name, "".join(fewer))):
                    case, pieces, done = smaller, fewer, False
                else:
                    at += size
            if size == 1 and (done or time.monotonic() >= self._deadline):
                return case
            size = max(1, size // 2)

    def _with_plain_letters(self, case: Case, name: str) -> Case:
        """Replace letters and digits by an `a` where it makes no difference."""
        for at, character in enumerate(case.files[name]):
            text = case.files[name]
            plain = _with(case, name, f"{text[:at]}a{text[at + 1 :]}")
            if character != "a" and not character.isspace() and self._still(plain):
                case = plain
        return case

    def _without_settings(self, case: Case) -> Case:
        for key in [key for key in case.settings if key not in _NEEDED]:
            rest = {
                other: case.settings[other] for other in case.settings if other != key
            }
            if self._still(plainer := replace(case, settings=rest)):
                case = plainer
        return case


def _with(case: Case, name: str, text: str) -> Case:
    return replace(case, files={**case.files, name: text})
