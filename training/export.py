"""Write trained rows as the files that the package ships.

    python -m training.export weights vocabulary.json --out src/outcrop/providers/weights

Each row becomes 256 integers of 8 bits and a scale.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LARGEST = 127


def read_merges(vocabulary: Path) -> NDArray[np.uint16]:
    """Return the merges of a tokenizer's file: two tokens each, in their order."""
    model = json.loads(vocabulary.read_text())["model"]
    numbers = model["vocab"]
    merges = [(numbers[left], numbers[right]) for left, right in model["merges"]]
    return np.asarray(merges, np.uint16)


def main() -> None:
    """Round the rows, and write the merges of the vocabulary."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("weights", type=Path)
    parser.add_argument("vocabulary", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    rows = np.load(given.weights / "rows.npy").astype(np.float32)
    scales = np.maximum(np.abs(rows).max(axis=1), 1e-8) / _LARGEST
    given.out.mkdir(parents=True, exist_ok=True)
    np.save(given.out / "rows.npy", np.round(rows / scales[:, None]).astype(np.int8))
    np.save(given.out / "scales.npy", scales.astype(np.float32))
    np.save(given.out / "merges.npy", read_merges(given.vocabulary))


if __name__ == "__main__":
    main()
