"""The values of all signals for all candidates of all questions, as arrays."""

from __future__ import annotations

import pickle
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Literal

import numpy as np

from outcrop.search.passages import MAX_PARTS
from outcrop.search.question import QuestionKind
from outcrop.search.signals import SIGNALS
from outcrop.search.signals.structure import unwanted_kinds

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from outcrop.model.candidate import Candidate
    from outcrop.search.signals.signal import Embed, Pool
    from training.ranking.recorded import Recorded

NAMES = tuple(signal.name for signal in SIGNALS)
KINDS = tuple(QuestionKind)
# Vectors of the same text and embedder may differ by this much in a number.
_MAX_ROUNDING = 1e-3
Side = Literal["documents", "code", "both"]
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
        side: Which of them the answers are.
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
    side: Side


def read_pools(
    folders: Iterable[Path], embed: Embed
) -> Iterator[tuple[Recorded, Pool]]:
    """Yield all recorded questions, with the pool that is learned from."""
    for folder in folders:
        for recorded in pickle.loads((folder / "pools.pickle").read_bytes()):
            recorded.package = f"{folder.parent.name}/{folder.name}"
            pool = replace(recorded.pool, embed=embed)
            _check_embedder(folder, pool)
            yield recorded, pool


def _check_embedder(folder: Path, pool: Pool) -> None:
    """Refuse pools whose vectors are of another embedder: they would be noise.

    The vector of a report is that of its title as well, so other questions tell.
    """
    if pool.embed is None or pool.vector is None or pool.question.title:
        return
    (vector,) = pool.embed([pool.question.text])
    if not np.allclose(vector, pool.vector, atol=_MAX_ROUNDING):
        raise SystemExit(
            f"{folder / 'pools.pickle'} was recorded with another embedder; "
            "delete it and run training.ranking.extract again"
        )


def make_examples(recorded: Recorded, pool: Pool) -> list[Example]:
    """Compute the values of all signals.

    A question with documents and code among its candidates is also asked as if the
    index had only what answers it, documents or code.
    """
    candidates, is_answer = pool.candidates, np.array(recorded.is_answer)
    answered = {candidates[at].is_code for at in np.flatnonzero(is_answer)}
    side: Side = "both"
    if len(answered) == 1:
        side = "code" if True in answered else "documents"
    kept = [np.arange(len(candidates))]
    if pool.is_mixed and side != "both":
        kept.append(np.flatnonzero(np.array(pool.is_code) == (side == "code")))
    return [
        _make_example(
            recorded,
            replace(pool, candidates=[candidates[at] for at in keep]),
            is_answer[keep],
            side,
        )
        for keep in kept
    ]


def _make_example(
    recorded: Recorded, pool: Pool, is_answer: NDArray[np.bool_], side: Side
) -> Example:
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
        side=side,
    )


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
