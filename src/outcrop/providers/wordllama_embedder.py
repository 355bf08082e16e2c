"""The embedder of earlier releases: the weights that come with wordllama.

A text's vector is the mean of the vectors of its tokens, scaled to unit length: no
network, no download, thousands of texts a second on one core. wordllama's own loader
looks for its tokenizer in the wrong folder, and importing the package configures
logging, so neither is used; the two files are found beside it and opened.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from outcrop.errors import EmbeddingError, MissingExtraError
from outcrop.providers.registry import WORDLLAMA_MODEL
from outcrop.text.tokens import replace_surrogates

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

_DIMENSION = 256
_TOKENIZER = Path("tokenizers", "l2_supercat_tokenizer_config.json")
_WEIGHTS = Path("weights", "l2_supercat_256.safetensors")
_WEIGHTS_KEY = "embedding.weight"

# Token vectors summed at once: 4 MB, for a text of any length.
_MAX_TOKENS_AT_ONCE = 4096

_SPACE = "\u2581"  # how the vocabulary writes a space
_RAISED = "\u00b2\u00b3\u00b9"  # digits that the vocabulary takes for signs
_LETTERS = rf"[^\W\d_{_RAISED}]+"
_SIGNS = rf"(?:[^\w {_SPACE}\n]|[_{_RAISED}])+"
_PIECES = re.compile(rf"[ {_SPACE}]*(?:{_LETTERS}|{_SIGNS})|[ {_SPACE}]+|\d|\n+")
_MAX_CACHED_CHARS = 40  # longer ones are data (keys, base64), not words
_MAX_CACHED = 50_000


class WordllamaEmbedder:
    """Embeds texts with the bundled wordllama model.

    The model is loaded on first use and shared by all embedders of a process. The
    vector of a text depends on the text alone, not on what is embedded with it.
    """

    name = WORDLLAMA_MODEL
    dimension = _DIMENSION
    is_local = True

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed texts; see `Embedder`.

        A text without a single token, which is only the empty one, gets the vector
        of a space.
        """
        model = _load_model()  # first, because it names the extra that is missing
        import numpy as np

        vectors = np.empty((len(texts), _DIMENSION), dtype=np.float32)
        for row, text in enumerate(texts):
            _sum_tokens(model, _token_ids(model, text), vectors[row])
        vectors /= np.sqrt(np.einsum("ij,ij->i", vectors, vectors))[:, None]
        return vectors

    def __repr__(self) -> str:
        return "WordllamaEmbedder()"


class _Model(NamedTuple):
    token_ids: TokenIds
    weights: NDArray[np.float32]
    space: NDArray[np.float32]


@cache
def _load_model() -> _Model:
    """Open the bundled files, once per process."""
    spec = find_spec("wordllama")
    try:
        import numpy as np
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer
    except ImportError as error:
        raise MissingExtraError("the wordllama embedder", "embed") from error
    if spec is None or not spec.submodule_search_locations:
        raise MissingExtraError("the wordllama embedder", "embed")
    folder = Path(next(iter(spec.submodule_search_locations)))
    try:
        tokenizer = Tokenizer.from_file(str(folder / _TOKENIZER))
        weights = load_file(folder / _WEIGHTS)[_WEIGHTS_KEY].astype(np.float32)
    except Exception as error:  # tokenizers raises plain Exception
        raise EmbeddingError(
            f"the files of wordllama in {folder} cannot be read: {error}", stage="embed"
        ) from error
    space = weights[tokenizer.token_to_id("\u2581")]
    return _Model(TokenIds(tokenizer), weights, space)


def _token_ids(model: _Model, text: str) -> list[int]:
    try:
        return model.token_ids.of(text)
    except UnicodeEncodeError:  # the text holds a lone surrogate
        return model.token_ids.of(replace_surrogates(text))


def _sum_tokens(model: _Model, ids: list[int], out: NDArray[np.float32]) -> None:
    """Sum the vectors of tokens; scaled to unit length, sum and mean are the same."""
    out[:] = model.weights[ids[:_MAX_TOKENS_AT_ONCE]].sum(axis=0)
    for start in range(_MAX_TOKENS_AT_ONCE, len(ids), _MAX_TOKENS_AT_ONCE):
        out += model.weights[ids[start : start + _MAX_TOKENS_AT_ONCE]].sum(axis=0)
    if not out.any():
        out[:] = model.space


class TokenIds(dict[str, tuple[int, ...]]):
    """The ids of pieces seen so far, with the spaces before them."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        """Use the vocabulary of a tokenizer."""
        super().__init__()
        self._model = tokenizer.model

    def of(self, text: str) -> list[int]:
        """Return the ids of a text's tokens.

        Raises:
            UnicodeEncodeError: The text holds a lone surrogate.
        """
        if not text:
            return []
        # The model begins every text with a space.
        pieces: Iterable[str] = _PIECES.findall(f" {text}")
        return list(chain.from_iterable(map(self.__getitem__, pieces)))

    def __missing__(self, piece: str) -> tuple[int, ...]:
        tokens = self._model.tokenize(piece.replace(" ", _SPACE))
        ids = tuple(token.id for token in tokens)
        if len(piece) <= _MAX_CACHED_CHARS:
            if len(self) >= _MAX_CACHED:
                self.clear()
            self[piece] = ids
        return ids
