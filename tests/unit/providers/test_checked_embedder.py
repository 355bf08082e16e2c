"""What an embedder of the caller's own returns is checked before it is used."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from outcrop.errors import ConfigError, EmbeddingError
from outcrop.providers.embedder import (
    CheckedEmbedder,
    check_embedder,
    embed_question,
    is_local,
    min_cosine,
)
from outcrop.providers.local_embedder import LocalEmbedder

TEXTS = ["one", "two", "three"]
ROWS = [[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]]


class OwnEmbedder:
    name = "own"
    dimension = 2

    def __init__(self, answer=None, **members):
        self.answer = ROWS if answer is None else answer
        for name, value in members.items():
            setattr(self, name, value)

    def embed(self, texts):
        assert list(texts) == TEXTS
        return self.answer


@pytest.mark.parametrize(
    "answer",
    [ROWS, tuple(map(tuple, ROWS)), np.array(ROWS), list(np.array(ROWS))],
    ids=["lists", "tuples", "array of 64 bits", "list of arrays"],
)
def test_rows_of_any_kind_become_an_array(answer):
    rows = check_embedder(OwnEmbedder(answer)).embed(TEXTS)
    assert rows.dtype == np.float32
    assert np.array_equal(rows, np.array(ROWS, np.float32))


def test_rows_get_the_length_of_one_unless_they_are_zero():
    longer = [[3.0, 4.0], [0.0, 0.0], [0.0, -2.0]]
    rows = check_embedder(OwnEmbedder(longer)).embed(TEXTS)
    expected = np.array([[0.6, 0.8], [0, 0], [0, -1]], np.float32)
    assert np.array_equal(rows, expected)


def test_rounding_of_rows_of_length_one_is_left_as_it_is():
    rounded = np.array([[1.0001, 0.0], [0.0, 0.9999], [0.6, 0.8]], np.float32)
    assert np.array_equal(check_embedder(OwnEmbedder(rounded)).embed(TEXTS), rounded)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (ROWS[:2], "gave 2 x 2 numbers for 3 texts; it must give one vector of 2"),
        ([row * 2 for row in ROWS], "gave 3 x 4 numbers for 3 texts"),
        (ROWS[0], "gave 2 numbers for 3 texts"),
        ((row for row in ROWS), "gave a generator for 3 texts"),
        ([[1.0], [0.0, 1.0], [1.0]], "gave a list for 3 texts"),
        ([[np.nan, 0.0], *ROWS[1:]], "not finite"),
        ([[np.inf, 0.0], *ROWS[1:]], "not finite"),
    ],
    ids=["too few", "too long", "one", "generator", "uneven", "nan", "infinite"],
)
def test_other_answers_are_refused(answer, said):
    with pytest.raises(EmbeddingError, match=said):
        check_embedder(OwnEmbedder(answer)).embed(TEXTS)


def test_the_vector_of_a_question_is_checked_too():
    asking = OwnEmbedder(embed_question=lambda text: [0.0, 5.0], is_local=True)
    checked = check_embedder(asking)
    assert embed_question(checked, "why?").tolist() == [0.0, 1.0]
    assert is_local(checked)
    assert min_cosine(checked, "why?") == -1.0
    asking.embed_question = lambda text: [0.0]
    with pytest.raises(EmbeddingError, match="gave 1 x 1 numbers for 1 text;"):
        embed_question(checked, "why?")


@pytest.mark.parametrize("dimension", [0, -1, "2", 2.0, True])
def test_a_dimension_is_a_positive_whole_number(dimension):
    checked = check_embedder(OwnEmbedder(dimension=dimension))
    with pytest.raises(ConfigError, match="must be a positive whole number"):
        _ = checked.dimension


@pytest.mark.parametrize("name", ["", None, 5])
def test_a_name_is_a_text(name):
    with pytest.raises(ConfigError, match="the name of the embedder is"):
        check_embedder(OwnEmbedder(name=name))


def test_what_is_no_embedder_is_refused():
    with pytest.raises(
        ConfigError, match="of type int, without name and dimension and embed"
    ):
        check_embedder(5)


def test_a_checked_and_a_bundled_embedder_are_taken_as_they_are():
    checked = check_embedder(OwnEmbedder())
    assert check_embedder(checked) is checked
    local = LocalEmbedder()
    assert check_embedder(local) is local


def test_a_checked_embedder_can_be_sent_to_other_processes():
    checked = pickle.loads(pickle.dumps(CheckedEmbedder(OwnEmbedder())))  # noqa: S301 - our own
    assert np.array_equal(checked.embed(TEXTS), np.array(ROWS, np.float32))
