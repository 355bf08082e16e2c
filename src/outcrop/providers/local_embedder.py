"""The default embedder: a table of rows, one per token, that comes with the package.

A text's vector is the sum of the rows of its tokens, scaled to unit length; a token
that occurs n times counts as the square root of n. No network, no download, thousands
of texts a second on one core. `training/` in the repository made the table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.providers.registry import LOCAL_MODEL
from outcrop.providers.token_table import load_token_table, sum_tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

_DIMENSION = 256

# A cosine below this means nothing: less than 1 % of the answers to judged questions are
# as far away; see docs/concepts/search.md.
_MIN_COSINE = 0.25
# Mean letters per token, below which a text in Latin letters is made of unknown words.
_MIN_PIECE = 3
_MAX_UNKNOWN_WORDS = 2


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
