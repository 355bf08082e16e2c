"""How the rows are learned."""

import pytest

torch = pytest.importorskip("torch", reason="training needs torch")

from training.model import (  # noqa: E402 - needs torch
    Table,
    contrast,
    reciprocal_rank,
)


def tokens(texts):
    """Return the tokens of texts, each said once, as the table reads them."""
    ids = torch.tensor([token for text in texts for token in text], dtype=torch.int32)
    lengths = torch.tensor([len(text) for text in texts])
    offsets = (torch.cumsum(lengths, 0) - lengths).int()
    return ids, torch.ones(len(ids)), offsets


def test_a_text_is_the_sum_of_its_tokens_at_unit_length():
    rows = torch.tensor([[3.0, 0.0], [0.0, 4.0], [1.0, 0.0]])
    found = Table.encode(rows, tokens([[0, 1], [2]]))
    assert found.tolist() == [pytest.approx([0.6, 0.8]), pytest.approx([1.0, 0.0])]


def test_pairs_with_the_same_passage_do_not_count_against_each_other():
    query = torch.eye(2)
    passage = torch.tensor([[1.0, 0.0], [1.0, 0.0]])
    scale = torch.tensor(5.0)
    apart = contrast(query, passage, torch.tensor([[0, 2], [1, 3]]), scale)
    alike = contrast(query, passage, torch.tensor([[0, 2], [1, 2]]), scale)
    assert alike == pytest.approx(0.0)
    assert apart > 1


def test_learning_brings_a_question_to_its_answer():
    torch.manual_seed(1)
    table = Table(torch.full((6,), 1e-5), 4)
    optimizer = torch.optim.Adam(table.parameters(), lr=0.05)
    queries, passages = tokens([[0], [1], [2]]), tokens([[3], [4], [5]])
    texts = torch.tensor([[0, 3], [1, 4], [2, 5]])
    for _ in range(60):
        rows = table.rows()
        query, passage = Table.encode(rows, queries), Table.encode(rows, passages)
        loss = contrast(query, passage, texts, table.scale.exp())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert reciprocal_rank(query, passage, texts[:, 1]) == 1


def test_an_equal_passage_counts_as_the_right_one():
    query = torch.eye(3)
    passage = query[[1, 0, 2]]
    assert reciprocal_rank(query, passage, torch.tensor([1, 2, 3])) < 1
    assert reciprocal_rank(query, passage, torch.tensor([1, 1, 3])) == 1
