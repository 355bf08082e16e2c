"""Write the package's file as a network that training can go on from.

    python -m training.reranking.restore reranker.npz --out trained.npz

The reverse of `export.py`, up to its rounding. Layers that stand for two are taken apart
by their singular values, and all normalisation weights are 1.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from outcrop.providers.reranker_weights import HEADS

if TYPE_CHECKING:
    from collections.abc import Mapping

Floats = NDArray[np.float32]
# How much BM25 counted beside the network when it was trained; the file does not say.
WORDS = 1.76


def restore(arrays: Mapping[str, NDArray[Any]]) -> dict[str, Floats]:
    """Return the weights of the network by their names in training."""
    exact = _exact(arrays)
    width = len(exact["first"])
    rows = exact["learned"] * exact["learned_scales"][:, None]
    out = {
        "tokens.project.weight": exact["project"].T,
        "tokens.learned": np.vstack([rows, exact["unlearned"]]),
        "first": exact["first"],
        "near.weight": exact["near"].T[:, None, :],
        "near.bias": exact["near_bias"],
    }
    for side in ("query", "passage"):
        out[f"tokens.place_{side}"] = exact[f"place_{side}"]
        out |= _linear(f"tokens.marks_{side}", exact[f"marks_{side}"], np.zeros(width))
    names = {"inner.up": "up", "inner.down": "down"}
    names |= {"head.inner": "head", "head.last": "last"}
    scales = ["scale_near", "scale_inner", "scale_memory", "head.scale"]
    at = 0
    while f"{at}_ask" in exact:
        out |= _reading(exact, at)
        scales += [
            f"scales.{at}",
            f"blocks.{at}.scale_read",
            f"blocks.{at}.scale_inner",
        ]
        names[f"blocks.{at}.read.out"] = f"{at}_own_out"
        names |= {
            f"blocks.{at}.inner.{part}": f"{at}_{part}" for part in ("up", "down")
        }
        at += 1
    for name, source in names.items():
        out |= _linear(name, exact[source], exact[f"{source}_bias"])
    out |= {f"{name}.weight": np.ones(width) for name in scales}
    restored = {f"network.{name}": array for name, array in out.items()}
    return restored | {"beside": np.array([exact["cosine_weight"], WORDS])}


def _exact(arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[np.float64]]:
    exact = {name: array.astype(np.float64) for name, array in arrays.items()}
    for name in [n for n in exact if f"{n}_steps" in exact]:
        exact[name] = exact[name] * exact[f"{name}_steps"]
    return exact


def _linear(name: str, matrix: Any, bias: Any) -> dict[str, Any]:
    return {f"{name}.weight": matrix.T, f"{name}.bias": bias}


def _reading(exact: Mapping[str, NDArray[np.float64]], at: int) -> dict[str, Any]:
    """Return how the query reads a passage and itself."""
    width = len(exact["first"])
    inner = width // HEADS
    root = inner**0.5  # by which training divides
    asks, keys, biases = [], [], []
    for head in np.split(exact[f"{at}_ask"], HEADS, axis=1):
        left, right = _factors(head, inner)
        asks.append(left * root)
        keys.append(right.T)
    for bias, key in zip(np.split(exact[f"{at}_ask_bias"], HEADS), keys, strict=True):
        biases.append(bias @ np.linalg.pinv(key.T) * root)
    parts = np.split(exact[f"{at}_out"], HEADS, axis=0)
    values, outs = zip(*(_factors(head, inner) for head in parts), strict=True)
    own, own_bias = exact[f"{at}_own"], exact[f"{at}_own_bias"]
    none = np.zeros(2 * width)
    return {
        **_linear(f"reads.{at}.ask", np.hstack(asks), np.concatenate(biases)),
        **_linear(f"reads.{at}.answer", np.hstack([*keys, *values]), none),
        **_linear(f"reads.{at}.out", np.vstack(outs), exact[f"{at}_out_bias"]),
        **_linear(
            f"blocks.{at}.read.ask", own[:, :width] * root, own_bias[:width] * root
        ),
        **_linear(f"blocks.{at}.read.answer", own[:, width:], own_bias[width:]),
    }


def _factors(
    matrix: NDArray[np.float64], inner: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return two matrices of rank `inner` whose product is nearest to a matrix."""
    left, sizes, right = np.linalg.svd(matrix, full_matrices=False)
    roots = np.sqrt(sizes[:inner])
    return left[:, :inner] * roots, roots[:, None] * right[:inner]


def main() -> None:
    """Read, convert and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    with np.load(given.file) as arrays:
        restored = restore(dict(arrays))
    np.savez(
        given.out,
        **{name: array.astype(np.float32) for name, array in restored.items()},
    )


if __name__ == "__main__":
    main()
