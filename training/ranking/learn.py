"""Learn the weights of the ranking, with the figures of a cross-validation.

    python -m training.ranking.learn GROUPS... --out src/outcrop/search/weights.json

Needs scipy. GROUPS are folders that `training.ranking.extract` has filled. Four times,
the weights are learned from three quarters of the indexes and measured on
the others; printed is MRR@10, and what the ranking loses without each part.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from outcrop.providers.registry import DEFAULT_EMBEDDER, open_embedder
from outcrop.search.fusion import read_weights
from outcrop.search.signals.structure import FILE_KINDS
from training.ranking.dataset import KINDS, NAMES, Example, make_examples, read_pools
from training.ranking.measure import by_kind, by_side, interval, reciprocal_rank
from training.ranking.model import Model, Settings, hand_weighted, learn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

FOLDS = 4
PENALTIES = (1e-4, 3e-4, 1e-3)
DIGITS = 3


def learn_kinds(
    examples: Sequence[Example],
    settings: Settings,
    start: Model,
    learned: Sequence[str],
) -> Model:
    """Return a model with learned weights for some kinds of questions alone.

    The others keep those of the start, and so do the factors of kinds of files, which
    apply to all questions, unless all kinds are learned.
    """
    model = learn(examples, settings, start)
    if set(map(str, KINDS)) <= set(learned):
        return model
    weights, document = start.weights.copy(), start.document.copy()
    for at, kind in enumerate(KINDS):
        if str(kind) in learned:
            rows = slice(2 * at, 2 * at + 2)
            scale = 1 / model.weights[rows, NAMES.index("lexical")].mean()
            weights[rows] = scale * model.weights[rows]
            document[at] = scale * model.document[at]
    return Model(weights, document, start.lowering)


def learn_folds(
    examples: Sequence[Example],
    settings: Settings,
    start: Model,
    learned: Sequence[str],
) -> dict[str, Model]:
    """Return, for each group, a model learned without its questions."""
    groups = sorted({example.group for example in examples})
    np.random.default_rng(0).shuffle(groups)
    models: dict[str, Model] = {}
    for number in range(FOLDS):
        held_out = set(groups[number::FOLDS])
        others = [e for e in examples if e.group not in held_out]
        model = learn_kinds(others, settings, start, learned)
        models |= dict.fromkeys(held_out, model)
    return models


def reciprocal_ranks(
    examples: Sequence[Example], models: dict[str, Model]
) -> NDArray[np.float64]:
    """Return the reciprocal rank of each question."""
    return np.array([reciprocal_rank(e, models[e.group].score(e)) for e in examples])


def ablations(model: Model) -> dict[str, Model]:
    """Return models without one part each, by the name of the part."""
    found = {}
    for at, name in enumerate(NAMES):
        weights = model.weights.copy()
        weights[:, at] = 0.0
        found[name] = replace(model, weights=weights)
    del found["lexical"]
    found["document"] = replace(model, document=np.zeros_like(model.document))
    lowering = np.zeros_like(model.lowering)
    found["lower tests and the like"] = replace(model, lowering=lowering)
    mean = np.tile(
        np.stack([model.weights[0::2].mean(axis=0), model.weights[1::2].mean(axis=0)]),
        (len(KINDS), 1),
    )
    found["weights by kind of question"] = replace(model, weights=mean)
    return found


def export(model: Model, provenance: dict[str, Any]) -> dict[str, Any]:
    """Return the table for `weights.json`, scaled so that words count about 1."""
    scale = 1 / model.weights[2 * len(KINDS) - 2 :, NAMES.index("lexical")].mean()

    def rounded(value: float) -> float:
        return round(float(value), DIGITS)

    return {
        "provenance": provenance,
        "signals": {
            str(kind): {
                name: {
                    "documents": rounded(scale * model.weights[2 * at, column]),
                    "code": rounded(scale * model.weights[2 * at + 1, column]),
                }
                for column, name in enumerate(NAMES)
            }
            for at, kind in enumerate(KINDS)
        },
        "document": {
            str(kind): rounded(scale * model.document[at])
            for at, kind in enumerate(KINDS)
        },
        "factors": {
            name: rounded(np.exp(-model.lowering[at]))
            for at, name in enumerate(FILE_KINDS)
        },
    }


def digest(folders: Sequence[Path]) -> str:
    """Return a digest of all questions and answers."""
    hashed = blake2b(digest_size=16)
    for folder in folders:
        hashed.update((folder / "questions.jsonl").read_bytes())
    return hashed.hexdigest()


def choose_settings(
    examples: Sequence[Example], start: Model, learned: Sequence[str]
) -> tuple[Settings, dict[str, Model], NDArray[np.float64]]:
    """Return the penalties that do best in the cross-validation."""
    found = []
    for penalty in PENALTIES:
        settings = Settings(penalty=penalty, difference_penalty=3 * penalty)
        models = learn_folds(examples, settings, start, learned)
        values = reciprocal_ranks(examples, models)
        mean = float(np.mean(list(by_kind(examples, values).values())))
        print(
            f"penalty {penalty:g}: MRR@10 {values.mean():.4f}, mean of kinds {mean:.4f}",
            flush=True,
        )
        found.append((mean, settings, models, values))
    _, settings, models, values = max(found, key=lambda item: item[0])
    return settings, models, values


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("groups", nargs="+", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument(
        "--start",
        type=Path,
        help="weights to stay close to and to compare with, instead of those by hand",
    )
    parser.add_argument(
        "--only",
        nargs="*",
        default=list(map(str, KINDS)),
        help="kinds of questions that get learned weights; others keep those of the start",
    )
    given = parser.parse_args()
    start, learned_kinds = hand_weighted(), set(given.only)
    if given.start:
        table = json.loads(given.start.read_text(encoding="utf-8"))
        start = Model.of_weights(read_weights(table))
        learned_kinds |= {*table["provenance"]["learned_kinds"]}
    folders = sorted(f.parent for g in given.groups for f in g.glob("*/pools.pickle"))
    embedder = open_embedder(DEFAULT_EMBEDDER)
    asked, examples = 0, []
    for recorded, pool in read_pools(folders, embedder.embed):
        asked += 1
        if any(recorded.is_answer):
            examples += make_examples(recorded, pool)
    print(
        f"{asked} questions of {len(folders)} indexes; with an answer among the candidates, alone and beside the other side: {len(examples)}",
        flush=True,
    )
    settings, models, values = choose_settings(examples, start, given.only)
    words = np.array([reciprocal_rank(e, e.values[:, 0]) for e in examples])
    before = np.array([reciprocal_rank(e, start.score(e)) for e in examples])
    print("words alone:", _row(examples, words))
    print("weights of the start:", _row(examples, before))
    print("learned:", _row(examples, values), flush=True)
    for title, chosen in by_side(examples).items():
        change = interval(
            [examples[at] for at in chosen], values[chosen], before[chosen]
        )
        print("{}: {:+.4f} [{:+.4f}, {:+.4f}]".format(title, *change), flush=True)
    table = export(
        learn_kinds(examples, settings, start, given.only),
        {
            "command": " ".join(
                [
                    "python -m training.ranking.learn",
                    *(group.name for group in given.groups),
                    *("--only", *given.only),
                ]
            ),
            "embedder": embedder.name,
            "questions": asked,
            "questions_with_candidate": len(examples),
            "indexes": len(folders),
            "digest_of_questions": digest(folders),
            "penalty": settings.penalty,
            "mrr_at_10_cross_validated": round(float(values.mean()), 4),
            "mrr_at_10_of_words_alone": round(float(words.mean()), 4),
            "mrr_at_10_of_the_start": round(float(before.mean()), 4),
            "learned_kinds": sorted(learned_kinds),
            "mrr_at_10_by_kind": {
                k: round(v, 3) for k, v in by_kind(examples, values).items()
            },
        },
    )
    given.out.write_text(json.dumps(table, indent=2) + "\n", encoding="utf-8")
    parts = {group: ablations(model) for group, model in models.items()}
    for title in ablations(hand_weighted()):
        without = {group: found[title] for group, found in parts.items()}
        change = interval(examples, values, reciprocal_ranks(examples, without))
        print("| {} | {:+.4f} [{:+.4f}, {:+.4f}] |".format(title, *change), flush=True)


def _row(examples: Sequence[Example], values: NDArray[np.float64]) -> str:
    kinds = " ".join(f"{k} {v:.3f}" for k, v in by_kind(examples, values).items())
    mixed = np.array([e.is_mixed for e in examples])
    return f"{values.mean():.4f} (mixed {values[mixed].mean():.4f}, one kind {values[~mixed].mean():.4f}) {kinds}"


if __name__ == "__main__":
    main()
