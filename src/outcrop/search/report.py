"""Reports: long questions, most of which is evidence and not the question itself.

The first line of an issue says what it is about. The rest describes it, and its logs,
tracebacks and example code repeat words many times, few of which matter. So words count
by where they are, and a word that is repeated counts little more than once.

The numbers were chosen on issues of Python projects; `training/ranking/README.md` has the
figures.
"""

from __future__ import annotations

import re
from collections import defaultdict
from math import log
from typing import TYPE_CHECKING, NamedTuple

from outcrop.text.analysis import count_terms

if TYPE_CHECKING:
    from collections.abc import Mapping

# What a word counts in the title (which is prose too), in the other lines, and in code.
_TITLE_COUNT = 12
_PROSE_COUNT = 4
_CODE_COUNT = 2
_FENCES = ("```", "~~~")
_CODE_STARTS = ("    ", "\t", ">>> ")
_TRACEBACK_STARTS = ("Traceback (", "File ", "Caused by", "Exception in ")
# The name of a part, as templates of issues have it: "## Expected behaviour".
_PART_NAME = re.compile(r"#{2,}\s|\*\*[^*]+\*\*:?\s*$")
# A line with fewer is a greeting, or says nothing.
_MIN_TITLE_TERMS = 2


class Report(NamedTuple):
    """The parts of a report.

    Attributes:
        title: Its first line; empty if that is code, a traceback, the name of a part or a
            single word.
        prose: The lines that are not code, the first included.
        code: The lines of code and of output.
    """

    title: str
    prose: str
    code: str


def read_report(text: str) -> Report:
    """Tell the title, the prose and the code of a report apart.

    The lines around a block of code, with the name of its language, are neither.
    """
    prose: list[str] = []
    code: list[str] = []
    fence = ""
    lines = text.strip("\n").split("\n")
    for line in lines:
        mark = line.lstrip()[:3]
        # A line that opens and closes a block is code within a sentence.
        if mark in _FENCES and line.count(mark) % 2 and fence in {"", mark}:
            fence = "" if fence else mark
        elif fence or line.startswith(_CODE_STARTS):
            code.append(line)
        else:
            prose.append(line)
    title = lines[0] if prose[:1] == lines[:1] and _is_title(lines[0]) else ""
    return Report(title, "\n".join(prose), "\n".join(code))


def _is_title(line: str) -> bool:
    is_trace = line.lstrip().startswith(_TRACEBACK_STARTS)
    if is_trace or _PART_NAME.match(line):
        return False
    return len(count_terms(line)) >= _MIN_TITLE_TERMS


def weigh_report(report: Report) -> Mapping[str, int]:
    """Return what each term of a report counts."""
    weights: defaultdict[str, float] = defaultdict(float)
    for count, text in (
        (_TITLE_COUNT, report.title),
        (_PROSE_COUNT, report.prose),
        (_CODE_COUNT, report.code),
    ):
        for term, times in count_terms(text).items():
            weights[term] += count * (1 + log(times))
    return {term: round(weight) for term, weight in weights.items()}
