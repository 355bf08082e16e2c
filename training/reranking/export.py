"""Write a trained network as the file that the package reads.

    python -m training.reranking.export TRAINED.npz... --rows FOLDER --out reranker.npz

Of several networks, each trained on from another, the mean is written, with `--shares`.
Normalisation weights are multiplied into the layers after them. Learned rows and layers are rounded to 8 bits, everything else to
16; `outcrop/providers/reranker_weights.py` says why.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from outcrop.providers.reranker_weights import (
    HEADS,
    MAX_INTEGER,
    PARTS_OF_READING,
    VECTORS,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Floats = NDArray[np.float32]
Arrays = dict[str, Floats]


class Trained:
    """The arrays of a trained network, by name; of several, their mean."""

    def __init__(self, *files: Path, shares: Sequence[float] = (1.0,)) -> None:
        self.arrays: Arrays = {}
        for file, share in zip(files, shares, strict=True):
            loaded = np.load(file)
            for name in loaded.files:
                part = np.float32(share) * loaded[name].astype(np.float32)
                key = name.removeprefix("network.")
                self.arrays[key] = self.arrays.get(key, np.float32(0)) + part

    def __getitem__(self, name: str) -> Floats:
        return self.arrays[name]

    def linear(self, name: str, scale: str | None = None) -> tuple[Floats, Floats]:
        """Return a layer as matrix and offset, with the normalisation before it."""
        matrix = self[f"{name}.weight"].T
        if scale is not None:
            weight = self[f"{scale}.weight"]
            repeats = len(matrix) // len(weight)
            matrix = matrix * np.tile(weight, repeats)[:, None]
        return matrix, self[f"{name}.bias"]


def export(trained: Trained, mean_strength: float) -> dict[str, NDArray[Any]]:
    """Return the arrays of the package's file."""
    rows = trained["tokens.learned"]
    scales = np.abs(rows[:-1]).max(axis=1) / 127
    quantized = np.rint(rows[:-1] / np.maximum(scales, 1e-12)[:, None])
    out: dict[str, NDArray[Any]] = {
        "learned": quantized.astype(np.int8),
        "learned_scales": scales.astype(np.float32),
        "mean_strength": np.float32(mean_strength),
        "cosine_weight": np.float32(trained["beside"][0]),
    }
    halves = {
        name: array.astype(np.float16) for name, array in _halves(trained).items()
    }
    return out | round_layers(halves)


def round_layers(halves: Mapping[str, NDArray[np.float16]]) -> dict[str, NDArray[Any]]:
    """Return the vectors as they are, and layers as integers with steps and a bias."""
    exact = {name: array.astype(np.float64) for name, array in halves.items()}
    exact["project_bias"] = np.zeros(exact["project"].shape[1])
    names = ["project", "up", "down", "head", "last"]
    at = 0
    while f"{at}_read_ask" in exact:
        exact |= _joined(exact, at)
        names += [f"{at}_{part}" for part in PARTS_OF_READING]
        at += 1
    rounded: dict[str, NDArray[Any]] = {
        name: np.ascontiguousarray(halves[name]) for name in VECTORS
    }
    for name in names:
        steps = np.maximum(np.abs(exact[name]).max(axis=0), 1e-20) / float(MAX_INTEGER)
        rounded[name] = np.rint(exact[name] / steps).astype(np.int8, order="C")
        rounded[f"{name}_steps"] = steps.astype(np.float32)
        rounded[f"{name}_bias"] = exact[f"{name}_bias"].astype(np.float32)
    return rounded


def _joined(
    exact: Mapping[str, NDArray[np.float64]], at: int
) -> dict[str, NDArray[np.float64]]:
    """Return layers that stand for several: those by which a passage is read."""
    ask, answer, out = (exact[f"{at}_read_{part}"] for part in ("ask", "answer", "out"))
    width = len(ask)
    keys, values = np.split(answer, 2, axis=1)
    # The bias of the keys adds the same to all scores of a token of the query.
    turned = _by_head(keys).transpose(0, 2, 1)
    ask_bias = exact[f"{at}_read_ask_bias"].reshape(HEADS, 1, -1)
    value_bias = exact[f"{at}_read_answer_bias"][width:]
    own = {
        f"{at}_own{end}": np.concatenate(
            [exact[f"{at}_own_{part}{end}"] for part in ("ask", "answer")], axis=-1
        )
        for end in ("", "_bias")
    }
    return own | {
        f"{at}_ask": np.hstack([*(_by_head(ask) @ turned)]),
        f"{at}_ask_bias": (ask_bias @ turned).reshape(-1),
        f"{at}_out": np.vstack([*(_by_head(values) @ out.reshape(HEADS, -1, width))]),
        f"{at}_out_bias": value_bias @ out + exact[f"{at}_read_out_bias"],
    }


def _by_head(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    return matrix.reshape(len(matrix), HEADS, -1).transpose(1, 0, 2)


def _halves(trained: Trained) -> Arrays:
    arrays: Arrays = {
        "project": trained["tokens.project.weight"].T,
        "unlearned": trained["tokens.learned"][-1],
        "first": trained["first"],
        "near": trained["near.weight"][:, 0].T * trained["scale_near.weight"],
        "near_bias": trained["near.bias"],
    }
    for side in ("query", "passage"):
        matrix, offset = trained.linear(f"tokens.marks_{side}")
        arrays[f"marks_{side}"] = matrix
        arrays[f"place_{side}"] = trained[f"tokens.place_{side}"] + offset
    layers = {"up": ("inner.up", "scale_inner"), "down": ("inner.down", None)}
    layers |= {"head": ("head.inner", "head.scale"), "last": ("head.last", None)}
    at = 0
    while f"reads.{at}.ask.weight" in trained.arrays:
        layers |= _layer(at)
        at += 1
    for name, (source, scale) in layers.items():
        arrays[name], arrays[f"{name}_bias"] = trained.linear(source, scale)
    per_head = (arrays["project"].shape[1] / HEADS) ** 0.5
    for name in [n for n in arrays if "ask" in n]:
        arrays[name] = arrays[name] / per_head
    return arrays


def _layer(at: int) -> dict[str, tuple[str, str | None]]:
    block = f"blocks.{at}"
    return {
        f"{at}_read_ask": (f"reads.{at}.ask", f"scales.{at}"),
        f"{at}_read_answer": (f"reads.{at}.answer", "scale_memory"),
        f"{at}_read_out": (f"reads.{at}.out", None),
        f"{at}_own_ask": (f"{block}.read.ask", f"{block}.scale_read"),
        f"{at}_own_answer": (f"{block}.read.answer", f"{block}.scale_read"),
        f"{at}_own_out": (f"{block}.read.out", None),
        f"{at}_up": (f"{block}.inner.up", f"{block}.scale_inner"),
        f"{at}_down": (f"{block}.inner.down", None),
    }


def main() -> None:
    """Read, convert and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trained", type=Path, nargs="+")
    parser.add_argument("--shares", type=float, nargs="+", default=[1.0])
    parser.add_argument("--rows", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    rows = np.load(given.rows / "rows.npy").astype(np.float32)
    strengths = np.linalg.norm(rows, axis=1) * np.load(given.rows / "scales.npy")
    arrays = export(
        Trained(*given.trained, shares=given.shares), float(strengths.mean())
    )
    np.savez(given.out, **arrays)
    print(f"{given.out}: {given.out.stat().st_size / 2**20:.2f} MiB")


if __name__ == "__main__":
    main()
