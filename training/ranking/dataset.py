"""The values of all signals for all candidates of all questions, as arrays."""

from __future__ import annotations

import pickle
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

from outcrop.search.passages import MAX_PARTS
from outcrop.search.question import QuestionKind
from outcrop.search.signals.structure import unwanted_kinds
from outcrop.search.signals.table import SIGNALS

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from outcrop.model.candidate import Candidate
    from outcrop.search.signals.signal import Embed, Pool
    from training.ranking.recorded import Recorded

NAMES = tuple(signal.name for signal in SIGNALS)
KINDS = tuple(QuestionKind)
# Half of these ask for the file: every chunk of it answers.
_ABOUT_FILES = frozenset(
    {"doc_comment", "asked", "change", "report", "traceback", "mention"}
)


@dataclass(frozen=True)
class Example:
    """One question: its candidates are the rows.

    Attributes:
        group: The index that was asked; questions of one index are never divided.
        kind: How the question was made.
        row: The row of the table of weights for documents; that for code follows.
        values: The value of each signal.
        lowered: Whether each candidate is of each kind of file that ranks lower.
        is_code: Whether each candidate is code.
        is_answer: Whether each candidate answers.
        section: The section of each candidate, numbered: its parts are one hit.
        document: The document of each candidate, numbered.
        is_mixed: Whether documents and code were asked together.
    """

    group: str
    kind: str
    row: int
    values: NDArray[np.float64]
    lowered: NDArray[np.float64]
    is_code: NDArray[np.intp]
    is_answer: NDArray[np.bool_]
    section: NDArray[np.intp]
    document: NDArray[np.intp]
    is_mixed: bool


def read_pools(
    folders: Iterable[Path], embed: Embed
) -> Iterator[tuple[Recorded, Pool]]:
    """Yield all recorded questions, with the pool that is learned from.

    Half of the questions are asked as if the index had only documents, or only code.
    """
    for folder in folders:
        for recorded in pickle.loads((folder / "pools.pickle").read_bytes()):
            recorded.package = f"{folder.parent.name}/{folder.name}"
            pool = replace(recorded.pool, embed=embed)
            yield recorded, pool


def make_example(recorded: Recorded, pool: Pool) -> Example:
    """Compute the values of all signals."""
    keep = _kept(recorded)
    is_answer = np.array(recorded.is_answer)[keep]
    pool = replace(pool, candidates=[pool.candidates[at] for at in keep])
    candidates = pool.candidates
    kind = recorded.kind.rstrip("~")
    document = _number([c.document_id for c in candidates])
    if kind in _ABOUT_FILES and _drawn(recorded)[1] % 2:
        kind += " (file)"
        is_answer = np.isin(document, document[is_answer])
    return Example(
        group=recorded.package,
        kind=kind,
        row=2 * KINDS.index(pool.question.kind),
        values=np.array([signal.score(pool) for signal in SIGNALS]).T,
        lowered=np.array(unwanted_kinds(pool), dtype=float),
        is_code=np.array(pool.is_code, dtype=np.intp),
        is_answer=is_answer,
        section=_number([_section(c) for c in candidates]),
        document=document,
        is_mixed=pool.is_mixed,
    )


def _kept(recorded: Recorded) -> list[int]:
    candidates = recorded.pool.candidates
    everything = list(range(len(candidates)))
    kinds = {
        c.is_code
        for c, is_answer in zip(candidates, recorded.is_answer, strict=True)
        if is_answer
    }
    if _drawn(recorded)[0] % 2 or len(kinds) != 1:
        return everything
    return [at for at in everything if candidates[at].is_code in kinds]


def _drawn(recorded: Recorded) -> bytes:
    """Return random bytes, the same in every run."""
    text = recorded.pool.question.text + recorded.kind
    return blake2b(text.encode()).digest()


def _section(candidate: Candidate) -> Hashable:
    is_merged = candidate.parts is not None and candidate.parts <= MAX_PARTS
    return candidate.section if is_merged else candidate.id


def _number(keys: Sequence[Hashable]) -> NDArray[np.intp]:
    numbers: dict[Hashable, int] = {}
    return np.array(
        [numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.intp
    )
