"""The same content gives the same ranking, however it got into the index."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from outcrop.indexing.config import IndexConfig
from outcrop.indexing.index import Index
from outcrop.providers.local_embedder import LocalEmbedder
from outcrop.store import vectors
from outcrop.store.database import Database

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from outcrop.model.hit import Hit

COMMITS = 10
MODES = [("text", None), ("vector", None), ("hybrid", None), ("hybrid", "all")]
CONSONANTS, VOWELS = "bdfglmnprstvz", "aeiou"
# The first are in nearly every section, the last in one or two.
WORDS = [a + b + c + d for a in CONSONANTS for b in "ae" for c in "lrn" for d in VOWELS]
FREQUENCIES = [1 / (rank + 1) for rank in range(len(WORDS))]


class Author:
    """Writes, changes, renames and deletes the files of a project, at random."""

    def __init__(self, project: Path, seed: int) -> None:
        self.project = project
        self.random = random.Random(seed)  # noqa: S311 - reproducible, not secret

    def commit(self, number: int) -> None:
        """Make one commit's changes; later ones write longer sections."""
        files = sorted(self.project.rglob("*.*"))
        for file in self.random.sample(files, min(len(files), 6)):
            self._edit(file, number)
        for _ in range(25 if number == 0 else 4):
            self._add(number)

    def _add(self, number: int) -> None:
        name = f"{self.random.choice(WORDS)}-{self.random.randrange(1000)}"
        is_code = self.random.random() < 0.3
        suffix = "py" if is_code else "md"
        file = self.project / self.random.choice(["a", "b/c", "."]) / f"{name}.{suffix}"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(self._code() if is_code else self._document(number))

    def _edit(self, file: Path, number: int) -> None:
        kind = self.random.choice(["rewrite", "append", "rename", "copy", "delete"])
        other = file.with_name(f"{kind}{self.random.randrange(1000)}{file.suffix}")
        if kind == "rewrite":
            is_code = file.suffix == ".py"
            file.write_text(self._code() if is_code else self._document(number))
        elif kind == "append":
            text = f"\n# {self._words(3)}" if file.suffix == ".py" else self._section(9)
            file.write_text(f"{file.read_text()}{text}\n")
        elif kind == "rename":
            file.rename(other)
        elif kind == "copy":
            other.write_text(file.read_text())
        else:
            file.unlink()

    def _document(self, number: int) -> str:
        sections = [self._section(5 + number) for _ in range(self.random.randint(2, 9))]
        return f"# {self._words(3)}\n\n{self._words(8)}\n" + "".join(sections)

    def _section(self, length: int) -> str:
        words = self._words(self.random.randint(length, 4 * length))
        return f"\n## {self._words(2)}\n\n{words} `{self.random.choice(WORDS)}`\n"

    def _code(self) -> str:
        return "\n\n".join(
            f'def {name}():\n    """{self._words(6)}."""\n    return {other}()\n'
            for name, other in zip(
                self.random.sample(WORDS, 4), self.random.sample(WORDS, 4), strict=True
            )
        )

    def _words(self, number: int) -> str:
        return " ".join(self.random.choices(WORDS, FREQUENCIES, k=number))

    def questions(self) -> Iterator[str]:
        """Yield names, words and sentences."""
        yield from self.random.sample(WORDS, 4)
        for _ in range(10):
            yield self._words(self.random.randint(2, 7))
        yield self._words(200)


def open_index(server_url: str, schema: str, project: Path) -> Index:
    database = Database.open(server_url, schema=schema)
    config = IndexConfig(max_tokens=60, workers=1)
    return Index(database, project, embedder=LocalEmbedder(), config=config)


def assert_same_answers(one: Index, other: Index, question: str, limit: int) -> None:
    """Compare hits, their order and their scores, in every mode."""
    for mode, expand in MODES:
        hits, expected = (
            index.search(question, limit, mode=mode, expand=expand)
            for index in (one, other)
        )
        where = (question, mode, expand, limit)
        assert [places(hit) for hit in hits] == [places(hit) for hit in expected], where
        for hit, fresh in zip(hits, expected, strict=True):
            assert hit.score == pytest.approx(fresh.score, rel=1e-6), where
            assert hit.scores == pytest.approx(fresh.scores, abs=1e-6), where


def places(hit: Hit) -> tuple[object, ...]:
    return hit.id, hit.path, hit.start_offset, hit.end_offset, hit.parts


@pytest.mark.parametrize("seed", [1, 2])
def test_an_index_brought_forward_answers_like_a_fresh_one(
    server_url, tmp_path, seed, monkeypatch
):
    # So that words are looked for in two scans, as in a large index.
    monkeypatch.setattr("outcrop.store.lexical.query._MIN_CANDIDATES", 10)
    monkeypatch.setattr("outcrop.store.lexical.query.MAX_CANDIDATES", 60)
    author = Author(tmp_path, seed)
    with (
        open_index(server_url, f"forward_{seed}", tmp_path) as forward,
        open_index(server_url, f"fresh_{seed}", tmp_path) as fresh,
    ):
        for number in range(COMMITS):
            author.commit(number)
            forward.index()
        fresh.index()
        for question in author.questions():
            assert_same_answers(forward, fresh, question, author.random.randint(1, 12))
        assert forward.context(question) == fresh.context(question)


def test_an_index_that_shrank_answers_like_a_small_one(
    server_url, tmp_path, monkeypatch
):
    monkeypatch.setattr(vectors, "_MIN_COMPARED", 10)
    author = Author(tmp_path, 3)
    with (
        open_index(server_url, "shrunk", tmp_path) as shrunk,
        open_index(server_url, "small", tmp_path) as small,
    ):
        author.commit(0)
        shrunk.index()
        for file in sorted(tmp_path.rglob("*.*"))[6:]:
            file.unlink()
        shrunk.index()
        small.index()
        assert 0 < small.store.status().indexable < 60
        for question in author.questions():
            assert_same_answers(shrunk, small, question, 5)
