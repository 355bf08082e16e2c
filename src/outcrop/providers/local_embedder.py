"""The default embedder: a table of rows, one per token, that comes with the package.

The local reranker reads the table too. A text's vector is the sum of the rows of its tokens, scaled to unit length; a token
that occurs n times counts as the square root of n. No network, no download, thousands
of texts a second on one core. `training/` in the repository made the table.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from outcrop.errors import EmbeddingError, MissingExtraError
from outcrop.providers.registry import LOCAL_MODEL
from outcrop.providers.word_tokens import WordTokens, load_vocabulary
from outcrop.text.native import NATIVE

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray


# Rows summed at once: 4 MB, whatever the length of the text.
_MAX_ROWS_AT_ONCE = 4096
FOLDER = Path(__file__).with_name("weights")
_DIMENSION = 256

# A cosine below this means nothing: less than 1 % of the answers to judged questions are
# as far away; see docs/concepts/search.md.
_MIN_COSINE = 0.25
# Mean letters per token, below which a text in Latin letters is made of unknown words.
_MIN_PIECE = 3
_MAX_UNKNOWN_WORDS = 2


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
    """Put the sum of the rows of the tokens of each text into a row of `sums`.

    Texts are given as `WordTokens.count_packed` returns them. A token that occurs n times
    counts as the square root of n. Rows are added one after the other, so that the sums
    are the same in C and in Python.
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


class LocalEmbedder:
    """Embeds texts with the bundled table.

    The table is mapped into memory on first use and shared by all embedders of a
    process. The vector of a text depends on the text alone, not on what is embedded
    with it.
    """

    name = LOCAL_MODEL
    dimension = _DIMENSION
    is_local = True

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed texts; see `Embedder`.

        Texts without a letter or a digit all get the same vector, which is near to no
        other text.
        """
        table = load_token_table()  # first, because it names the extra that is missing
        import numpy as np

        vectors = np.empty((len(texts), _DIMENSION), dtype=np.float32)
        # Scaled to unit length, sum and mean are the same.
        sum_tokens(table, list(map(table.tokens.count_packed, texts)), vectors)
        vectors[~vectors.any(axis=1)] = 1.0
        vectors /= np.sqrt(np.einsum("ij,ij->i", vectors, vectors))[:, None]
        return vectors

    def min_cosine(self, text: str) -> float:
        """Return the lowest cosine with a text that means something.

        A word or two that the vocabulary does not know fall into pieces of one or two
        letters, whose sum means nothing.
        """
        if not text.isascii() or len(text.split()) > _MAX_UNKNOWN_WORDS:
            return _MIN_COSINE
        pieces = sum(1 for _ in load_token_table().tokens.of(text))
        letters = sum(char.isalnum() for char in text)
        return _MIN_COSINE if letters >= _MIN_PIECE * pieces else 1.0

    def __repr__(self) -> str:
        return "LocalEmbedder()"
