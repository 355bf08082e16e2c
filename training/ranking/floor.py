"""Measure from which cosine on a question that shares no word with an index is answered.

    python -m training.ranking.floor GROUPS

GROUPS is what `make_questions` writes. Each question is asked by its vector alone, as if
the index had none of its words: what counts is how near its nearest chunk is, and whether
the answer is among the ten nearest. Made-up words are asked beside them. A floor loses
the answers of the questions whose nearest chunk is below it.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from outcrop.indexing.index import Index

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

NEAREST = 10
FLOORS = (0.0, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5)
MADE_UP_PER_GROUP = 200
_CONSONANTS, _VOWELS = "bcdfghjklmnpqrstvwxz", "aeiouy"
_MAX_WORDS = 2
_CHUNKS = """
SELECT d.path, lower(c.span_chars), upper(c.span_chars), c.emb::text
FROM chunks c JOIN documents d ON d.id = c.document_id
WHERE c.indexable AND c.emb IS NOT NULL
"""


class Asked(NamedTuple):
    """A question.

    Attributes:
        text: The question.
        cosine: That of its nearest chunk.
        answer: That of its answer, which is the nearest chunk of a small index.
        limit: The cosine that the embedder demands of it.
        is_answered: Whether the answer is among the ten nearest.
        knows_no_word: Whether the index has none of its words.
    """

    text: str
    cosine: float
    answer: float
    limit: float
    is_answered: bool
    knows_no_word: bool


def ask(folder: Path, random: Random) -> tuple[list[Asked], list[Asked]]:
    """Index a group unless that is done; ask its questions and made-up words."""
    with Index.open(folder / "files") as index:
        index.index(["."])
        places, vectors = _read_chunks(index)
        rows = map(json.loads, (folder / "questions.jsonl").open(encoding="utf-8"))
        questions = [_ask(index, places, vectors, row) for row in rows]
        made_up = [
            _ask(index, places, vectors, {"q": text, "answers": ()})
            for text in make_up(MADE_UP_PER_GROUP, random)
        ]
    return questions, [asked for asked in made_up if asked.knows_no_word]


def _read_chunks(
    index: Index,
) -> tuple[list[tuple[str, int, int]], NDArray[np.float32]]:
    rows = index.store._fetch(_CHUNKS)  # noqa: SLF001 - vectors are not public
    vectors = [np.fromstring(vector[1:-1], np.float32, sep=",") for *_, vector in rows]
    return [(path, start, end) for path, start, end, _ in rows], np.asarray(vectors)


def _ask(
    index: Index,
    places: list[tuple[str, int, int]],
    vectors: NDArray[np.float32],
    row: dict[str, Any],
) -> Asked:
    text = row["q"]
    cosines = vectors @ index.embedder.embed([text])[0]
    nearest = np.argsort(-cosines)[:NEAREST]
    answers = [
        float(cosines[at])
        for at in nearest
        if any(_overlaps(places[at], *answer) for answer in row["answers"])
    ]
    return Asked(
        text=text,
        cosine=float(cosines[nearest[0]]),
        answer=max(answers, default=0.0),
        limit=index.embedder.min_cosine(text),  # type: ignore[attr-defined]  # the local one
        is_answered=any(
            _overlaps(places[at], *answer)
            for at in nearest
            for answer in row["answers"]
        ),
        knows_no_word=not index.search(text, 1, mode="text"),
    )


def _overlaps(chunk: tuple[str, int, int], path: str, start: int, end: int) -> bool:
    """Return whether a chunk and an answer overlap by half of the shorter one."""
    at, first, last = chunk
    shorter = min(last - first, end - start)
    return at == path and min(last, end) - max(first, start) >= 0.5 * shorter > 0


def make_up(number: int, random: Random) -> Iterator[str]:
    """Yield made-up words: half of them can be pronounced, half are typed at random."""
    for at in range(number):
        words = [_word(random, is_spoken=at % 2 == 0) for _ in range(1 + at // 2 % 2)]
        yield " ".join(words)


def _word(random: Random, *, is_spoken: bool) -> str:
    if not is_spoken:
        letters = _CONSONANTS + _VOWELS
        return "".join(random.choices(letters, k=random.randint(6, 11)))
    parts = random.randint(2, 4)
    return "".join(
        random.choice(_CONSONANTS) + random.choice(_VOWELS) for _ in range(parts)
    ) + random.choice(_CONSONANTS)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("groups", type=Path)
    given = parser.parse_args()
    random = Random(0)
    questions: list[Asked] = []
    made_up: list[Asked] = []
    for folder in sorted(given.groups.iterdir()):
        more, words = ask(folder, random)
        questions += more
        made_up += words
    report(questions, made_up)


def report(questions: list[Asked], made_up: list[Asked]) -> None:
    """Print what each floor loses, and how many made-up words it silences."""
    answered = [asked for asked in questions if asked.is_answered]
    short = [asked for asked in answered if len(asked.text.split()) <= _MAX_WORDS]
    refused = [asked for asked in questions if asked.knows_no_word]
    print(f"{len(questions)} questions, {len(answered)} answered by vectors alone,")
    print(f"{len(short)} of those with one or two words; {len(made_up)} made-up words")
    print(f"{len(refused)} questions share no word with their index")
    print("floor | answers lost, % | in a small index, % | made-up words silenced, %")
    for floor in FLOORS:
        print(f"{floor:.2f} | {_row(answered, made_up, floor)}")
    print(f"in use | {_row(answered, made_up)}")
    print(f"in use, one or two words | {_row(short, made_up)}")
    lost = [each for each in refused if each.is_answered and each.cosine < each.limit]
    print(f"lost in a search, which knows words as well: {len(lost)} answers")


def _row(
    answered: list[Asked], made_up: list[Asked], floor: float | None = None
) -> str:
    def percent(asked: list[Asked], cosines: list[float]) -> str:
        limits = [each.limit if floor is None else floor for each in asked]
        return f"{100 * np.mean(np.less(cosines, limits)):.1f}"

    lost = percent(answered, [each.cosine for each in answered])
    lost_in_small = percent(answered, [each.answer for each in answered])
    silenced = percent(made_up, [each.cosine for each in made_up])
    return f"{lost} | {lost_in_small} | {silenced}"


if __name__ == "__main__":
    main()
