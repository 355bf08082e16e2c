"""The bundled table: a row per token, which the local embedder and reranker share."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from outcrop.errors import EmbeddingError, MissingExtraError
from outcrop.providers.byte_pairs import load_vocabulary
from outcrop.providers.word_tokens import WordTokens

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

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
