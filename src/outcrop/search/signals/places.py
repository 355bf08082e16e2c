"""Places in files that a question names: paths, and the frames of a traceback."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from outcrop.search.signals.signal import Pool

# A longer run of their letters is no path, and would take quadratic time.
_MAX_PATH_CHARS = 300
_PATH_LETTERS = re.compile(r"[\w.@+/-]+")
_PATH = re.compile(
    r"(?:[\w@+-][\w.@+-]*/|\.{0,2}/)*[\w@+-][\w.@+-]*\.[A-Za-z]\w{0,4}\b"
)
_FRAME = re.compile(r'File "([^"\n]+)", line \d+, in (\w+)')
# Of a Go program: the call, and the place on the next line; the innermost comes first.
_GO_FRAME = re.compile(r"^([^\n]+)\n\t([^\s:]+\.go):\d+", re.MULTILINE)
_MAX_PLACES = 30
# A file name alone may be that of another file.
_NAME_ALONE = 0.7
# Only the end of a path agrees: the file is installed elsewhere, or is another one.
_END_ALONE = (0.5, 0.75, 1.0)


class _Frame(NamedTuple):
    path: Sequence[str]
    name: str


def score_path(pool: Pool) -> list[float]:
    """Score candidates by whether the question names their file."""
    text = pool.question.text
    named = {path.strip("./") for path in islice(_find_paths(text), _MAX_PLACES)}
    paths = [path.split("/") for path in sorted(named) if path]
    if not paths:
        return [0.0] * len(pool.candidates)
    known: dict[str, float] = {}
    for candidate in pool.candidates:
        path = candidate.path
        if path not in known:
            own = path.split("/")
            known[path] = max(_path_strength(named, own) for named in paths)
    return [known[candidate.path] for candidate in pool.candidates]


def _find_paths(text: str) -> Iterator[str]:
    for run in _PATH_LETTERS.findall(text):
        if len(run) <= _MAX_PATH_CHARS:
            yield from _PATH.findall(run)


def _path_strength(named: Sequence[str], own: Sequence[str]) -> float:
    common = _common_end(named, own)
    if not common:
        return 0.0
    if common == len(named):
        return _NAME_ALONE if common == 1 else 1.0
    return _END_ALONE[min(common, len(_END_ALONE)) - 1]


def _common_end(left: Sequence[str], right: Sequence[str]) -> int:
    """Return how many parts two paths have in common, from the end."""
    common = 0
    for mine, other in zip(reversed(left), reversed(right), strict=False):
        if mine != other:
            break
        common += 1
    return common


def score_line(pool: Pool) -> list[float]:
    """Score candidates by whether they are at the line that is all of the question."""
    return [float(candidate.id in pool.at_line) for candidate in pool.candidates]


def score_frame(pool: Pool) -> list[float]:
    """Score candidates that a traceback went through; the last frame counts most."""
    frames = _find_frames(pool.question.text)
    if not frames:
        return [0.0] * len(pool.candidates)
    return [
        max(
            (
                1.0 / place
                for place, frame in enumerate(frames, 1)
                if frame.name == candidate.name
                and _common_end(frame.path, candidate.path.split("/"))
                == len(frame.path)
            ),
            default=0.0,
        )
        for candidate in pool.candidates
    ]


def _find_frames(text: str) -> list[_Frame]:
    """Return the frames of a traceback, the innermost first."""
    found = _FRAME.findall(text)[: -_MAX_PLACES - 1 : -1]
    if not found:
        calls = _GO_FRAME.findall(text)[:_MAX_PLACES]
        found = [
            (path, call.rpartition("(")[0].rpartition(".")[2]) for call, path in calls
        ]
    return [_Frame(path.split("/")[-2:], name) for path, name in found]
