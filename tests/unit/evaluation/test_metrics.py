"""Scores of rankings, by hand."""

from __future__ import annotations

from math import log2

import numpy as np
import pytest

from outcrop.evaluation.evaluate import (
    Difference,
    RankedHit,
    first_relevant,
    paired_interval,
    score_rankings,
)
from outcrop.evaluation.questions import KnownQuestion

ASKED = KnownQuestion(query="q", path="a.md", spans=((100, 200),))
ELSEWHERE = RankedHit("b.md", 100, 200, 10)
BARELY = RankedHit("a.md", 0, 140, 10)  # 40 of 100
HALF = RankedHit("a.md", 50, 150, 10)


def test_a_hit_counts_if_it_overlaps_by_half_of_the_shorter():
    assert first_relevant(ASKED, [ELSEWHERE, BARELY]) == 0
    assert first_relevant(ASKED, [ELSEWHERE, BARELY, HALF]) == 3
    assert first_relevant(ASKED, [RankedHit("a.md", 110, 112, 1)]) == 1


def test_metrics_follow_the_rank_and_the_share_of_the_answer():
    scores = score_rankings([ASKED, ASKED], [[ELSEWHERE, HALF], [ELSEWHERE]])
    assert scores["MRR@10"].tolist() == [0.5, 0.0]
    assert scores["recall@5"].tolist() == [1.0, 0.0]
    assert scores["nDCG@10"].tolist() == [pytest.approx(1 / log2(3)), 0.0]
    assert scores["span recall@5"].tolist() == [0.5, 0.0]


def test_coverage_cuts_the_hit_that_exceeds_the_budget():
    long = RankedHit("a.md", 100, 200, 2000)
    scores = score_rankings([ASKED], [[long]])
    assert scores["cov@1000"].tolist() == [0.5]
    assert scores["cov@2000"].tolist() == [1.0]


def test_an_interval_is_of_differences_of_the_same_question():
    ours = np.array([1.0, 0.5, 0.5, 1.0] * 10)
    mean, low, high = paired_interval(ours, ours - 0.25)
    assert (mean, low, high) == pytest.approx((0.25, 0.25, 0.25))
    mean, low, high = paired_interval(ours, ours[::-1])
    assert low <= mean <= high


def test_a_difference_is_clear_if_its_interval_excludes_zero():
    assert Difference(mean=0.1, low=0.01, high=0.2).is_clear
    assert Difference(mean=-0.1, low=-0.2, high=-0.01).is_clear
    assert not Difference(mean=0.1, low=-0.01, high=0.2).is_clear
