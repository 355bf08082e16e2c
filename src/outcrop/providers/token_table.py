"""The bundled table: a row per token, which the local embedder and reranker share."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from outcrop.errors import EmbeddingError, MissingExtraError
from outcrop.providers.byte_pairs import load_vocabulary
from outcrop.providers.word_tokens import WordTokens
from outcrop.text.native import NATIVE

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

# Rows summed at once: 4 MB, whatever the length of the text.
_MAX_ROWS_AT_ONCE = 4096
FOLDER = Path(__file__).with_name("weights")


class TokenTable(NamedTuple):
    """Rows as small integers, and what each is multiplied by."""

    tokens: WordTokens
    rows: NDArray[np.int8]
    scales: NDArray[np.float32]


@cache
def load_token_table() -> TokenTable:
    """Open the bundled files, once per process."""
    try:
        import numpy as np
    except ImportError as error:
        raise MissingExtraError("the local embedder", "embed") from error
    try:
        merges = np.load(FOLDER / "merges.npy")
        rows = np.load(FOLDER / "rows.npy", mmap_mode="r")
        scales = np.load(FOLDER / "scales.npy")
    except (OSError, EOFError, ValueError) as error:
        raise EmbeddingError(
            f"the files of the local embedder in {FOLDER} cannot be read: {error};"
            " install outcrop again",
            stage="embed",
        ) from error
    return TokenTable(WordTokens(load_vocabulary(merges)), np.asarray(rows), scales)


def sum_tokens(
    table: TokenTable,
    texts: Sequence[tuple[bytes, bytes]],
    sums: NDArray[np.float32],
) -> None:
    """Sum the rows of the tokens of each text.

    A token that occurs n times counts as the square root of n. Rows are added one after
    the other, so that the sums are the same in C and in Python.

    Args:
        table: The rows.
        texts: Ids and counts of each text, as `WordTokens.count_packed` returns them.
        sums: Where the sums are put, one row per text.
    """
    if NATIVE is not None:
        NATIVE.sum_rows(table.rows, table.scales, list(texts), sums)
        return
    for at, (ids, counts) in enumerate(texts):
        sums[at] = _sum_rows(table, ids, counts)


def _sum_rows(table: TokenTable, ids: bytes, counts: bytes) -> NDArray[np.float32]:
    import numpy as np

    tokens = np.frombuffer(ids, np.uint32)
    roots = np.sqrt(np.frombuffer(counts, np.uint32).astype(np.float32))
    weights = (roots * table.scales[tokens])[:, None]
    summed: NDArray[np.float32] = np.zeros((1, table.rows.shape[1]), np.float32)
    for start in range(0, len(tokens), _MAX_ROWS_AT_ONCE):
        part = slice(start, start + _MAX_ROWS_AT_ONCE)
        rows = weights[part] * table.rows[tokens[part]]
        summed = np.concatenate([summed, rows]).sum(axis=0, keepdims=True)
    return summed.reshape(-1)
