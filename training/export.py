"""Write trained rows as the files that the package ships.

    python -m training.export weights vocabulary.json --out src/outcrop/providers/weights

Each row becomes 256 integers of 8 bits and a scale.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

_LARGEST = 127


def main() -> None:
    """Round the rows and write the vocabulary without what only training needs."""
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
    vocabulary = json.loads(given.vocabulary.read_text())
    text = json.dumps(vocabulary, ensure_ascii=False, separators=(",", ":"))
    (given.out / "vocabulary.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
