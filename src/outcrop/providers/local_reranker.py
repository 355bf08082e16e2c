"""The local reranker: a small network that comes with the package.

It needs no network connection, no download and no library but NumPy, and is computed in C
where that was built. It has learned beside the local embedder, from code and from
documents: a score is the cosine, weighted, and what the network adds to it. It counts
beside the score of the ranking, which sees names and rare words better.
"""

from __future__ import annotations

from functools import cache
from itertools import accumulate, islice
from typing import TYPE_CHECKING, NamedTuple

from outcrop.errors import EmbeddingError, MissingExtraError, RerankError
from outcrop.providers.local_embedder import FOLDER, LocalEmbedder, load_token_table
from outcrop.providers.registry import LOCAL_RERANKER

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from outcrop.providers.reranker_network import NativeNetwork, RerankerNetwork
    from outcrop.providers.reranker_weights import RerankerWeights

# How much a difference of 1 counts beside the score of the ranking. Chosen on packages
# that are in no evaluation set; see training/reranking/README.md.
_WEIGHT = 0.15
# Of a long text, the first tokens and those around the words of the question are read.
_HEAD_TOKENS = 24


class LocalReranker:
    """Scores passages with the bundled network.

    The score of a text depends on the question and the text alone, not on what is scored
    with it.
    """

    name = LOCAL_RERANKER
    code_weight = _WEIGHT

    def __init__(self, *, documents: bool = True) -> None:
        """Order code, and with `documents` sections of documents too."""
        self.document_weight = _WEIGHT if documents else None

    def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """Score texts; see `Reranker`.

        A text without a letter or a digit gets the lowest score of all. If the question
        has none, all texts get the same.
        """
        learned, network = _load_network()
        tokens = load_token_table().tokens
        query = list(islice(tokens.of(question), learned.max_query))
        weights = dict(zip(query, learned.strengths(query), strict=True))
        read = {
            at: ids
            for at, text in enumerate(texts)
            if (ids := _choose(list(tokens.of(text)), weights, learned.max_passage))
        }
        if not query or not read:
            return [0.0] * len(texts)
        vectors = LocalEmbedder().embed([question, *(texts[at] for at in read)])
        found = network.score(query, list(read.values()))
        found = found + learned.cosine_weight * (vectors[1:] @ vectors[0])
        scores = dict(zip(read, found.tolist(), strict=True))
        lowest = min(scores.values())
        return [scores.get(at, lowest) for at in range(len(texts))]

    def __repr__(self) -> str:
        return f"LocalReranker(documents={self.document_weight is not None})"


class _Loaded(NamedTuple):
    weights: RerankerWeights
    network: RerankerNetwork | NativeNetwork


@cache
def _load_network() -> _Loaded:
    """Open the bundled file, once per process."""
    try:
        import numpy as np
    except ImportError as error:
        raise MissingExtraError("the local reranker", "embed") from error
    # Loaded here, since NumPy needs them for the file, and a search may do without it.
    import zlib
    from zipfile import BadZipFile

    from outcrop.providers.reranker_network import (
        NATIVE,
        NativeNetwork,
        RerankerNetwork,
    )
    from outcrop.providers.reranker_weights import RerankerWeights

    damaged = (OSError, EOFError, ValueError, KeyError, BadZipFile, zlib.error)
    file = FOLDER / "reranker.npz"
    try:
        with file.open("rb") as opened, np.load(opened) as arrays:
            weights = RerankerWeights(dict(arrays), load_token_table())
        is_native = NATIVE is not None
        network = NativeNetwork(weights) if is_native else RerankerNetwork(weights)
        return _Loaded(weights, network)
    except (*damaged, EmbeddingError) as error:
        raise RerankError(
            f"the file of the local reranker {file} cannot be read: {error};"
            " install outcrop again",
            stage="rerank",
        ) from error


def _choose(tokens: list[int], weights: Mapping[int, float], most: int) -> list[int]:
    """Return the first tokens of a text and its best others, by those of the question."""
    if len(tokens) <= most:
        return tokens
    width = most - _HEAD_TOKENS
    found = (weights.get(token, 0.0) for token in tokens[_HEAD_TOKENS:])
    before = [0.0, *accumulate(found)]
    sums = [after - first for first, after in zip(before, before[width:], strict=False)]
    start = _HEAD_TOKENS + sums.index(max(sums))
    return tokens[:_HEAD_TOKENS] + tokens[start : start + width]
