"""Which questions the ranking is learned from, and how much each of them counts."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from training.ranking.dataset import make_examples, read_pools
from training.ranking.measure import by_side
from training.ranking.model import DOCUMENT_IMPORTANCE, question_weights
from training.ranking.recorded import Recorded

from outcrop.search.question import make_question
from outcrop.search.signals.signal import Pool
from outcrop.search.words import weigh_words
from unit.search.candidates import candidate, code


def recorded(kind: str, candidates, is_answer) -> Recorded:
    question = make_question("pour water over the leaves of green tea", limit=10)
    weights = dict.fromkeys(question.terms, 1.0)
    pool = Pool(
        question=question,
        words=weigh_words(question.terms, weights),
        candidates=candidates,
        term_weights=weights,
        vector=np.array([1.0, 0.0], dtype=np.float32),
    )
    return Recorded("group", "package", kind, pool, is_answer)


def examples(kind: str, candidates, is_answer):
    row = recorded(kind, candidates, is_answer)
    return make_examples(row, row.pool)


def test_a_question_is_asked_of_the_whole_index_and_of_one_side_alone():
    whole, alone = examples("link", [candidate("tea"), code("Pot")], [True, False])
    assert (whole.is_mixed, alone.is_mixed) == (True, False)
    assert whole.side == alone.side == "documents"
    assert alone.is_code.tolist() == [0]
    assert alone.is_answer.tolist() == [True]


def test_a_question_that_both_sides_answer_is_asked_once():
    (only,) = examples("link", [candidate("tea"), code("Pot")], [True, True])
    assert only.side == "both"


def test_a_question_about_one_kind_of_file_is_asked_once():
    (only,) = examples("link", [candidate("tea"), candidate("pot")], [True, False])
    assert (only.side, only.is_mixed) == ("documents", False)


def test_the_side_with_fewer_questions_counts_more_for_each():
    found = [candidate("tea"), code("Pot")]
    of_documents = examples("link", found, [True, False])[:1]
    of_code = examples("mention", found, [False, True])[:1] * 4
    first, *others = question_weights([*of_documents, *of_code])
    assert first == pytest.approx(DOCUMENT_IMPORTANCE * 2 * others[0])
    assert first + sum(others) == pytest.approx(1.0)


def test_questions_made_by_rules_count_less():
    found = [candidate("tea"), candidate("pot")]
    sentence = examples("link", found, [True, False])
    copied = examples("keywords", found, [True, False])
    by_people, by_rules = question_weights([*sentence, *copied])
    assert by_rules == pytest.approx(by_people / 4)


def test_questions_are_compared_by_shape_side_and_mixture():
    found = examples("link", [candidate("tea"), code("Pot")], [True, False])
    assert {title: at.tolist() for title, at in by_side(found).items()} == {
        "phrase, documents alone": [1],
        "phrase, documents beside the other": [0],
    }


def test_pools_of_another_embedder_are_refused(tmp_path):
    row = recorded("link", [candidate("tea")], [True])
    (tmp_path / "pools.pickle").write_bytes(pickle.dumps([row]))

    def same(texts):
        return np.tile(np.array([[1.0, 0.0]], dtype=np.float32), (len(texts), 1))

    def other(texts):
        return np.tile(np.array([[0.0, 1.0]], dtype=np.float32), (len(texts), 1))

    ((_, pool),) = read_pools([tmp_path], same)
    assert pool.embed is same
    with pytest.raises(SystemExit, match=r"another embedder.*extract again"):
        list(read_pools([tmp_path], other))
