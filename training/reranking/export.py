"""Write a trained network as the file that the package reads.

    python -m training.reranking.export TRAINED.npz --rows FOLDER --out reranker.npz

Normalisation weights are multiplied into
the layers after them. Learned rows are rounded to 8 bits, everything else to 16.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Arrays = dict[str, Floats]
HEADS = 4


class Trained:
    """The arrays of a trained network, by name."""

    def __init__(self, file: Path) -> None:
        loaded = np.load(file)
        self.arrays = {
            name.removeprefix("network."): loaded[name].astype(np.float32)
            for name in loaded.files
        }

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
    halves = _halves(trained)
    return out | {name: array.astype(np.float16) for name, array in halves.items()}


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
    parser.add_argument("trained", type=Path)
    parser.add_argument("--rows", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    rows = np.load(given.rows / "rows.npy").astype(np.float32)
    strengths = np.linalg.norm(rows, axis=1) * np.load(given.rows / "scales.npy")
    arrays = export(Trained(given.trained), float(strengths.mean()))
    np.savez(given.out, **arrays)
    print(f"{given.out}: {given.out.stat().st_size / 2**20:.2f} MiB")


if __name__ == "__main__":
    main()
