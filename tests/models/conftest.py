"""Small models, made on the spot."""

from __future__ import annotations

import json

import pytest

WORDS = ("[PAD]", "[UNK]", "parse", "dates", "send", "mail", "query", ":")
DIMENSION = 4


@pytest.fixture
def tokenizer():
    """A tokenizer that knows a few words."""
    tokenizers = pytest.importorskip("tokenizers", reason="needs the extra embed")
    from tokenizers import models, pre_tokenizers

    vocabulary = {word: at for at, word in enumerate(WORDS)}
    made = tokenizers.Tokenizer(models.WordLevel(vocabulary, unk_token=WORDS[1]))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    return made


@pytest.fixture
def rows():
    """A row per token; that of an unknown one is not zero."""
    np = pytest.importorskip("numpy", reason="needs the extra embed")
    made = np.random.default_rng(7).normal(size=(len(WORDS), DIMENSION))
    return made.astype(np.float32)


@pytest.fixture
def onnx_folder(tmp_path, tokenizer):
    """A folder to put an ONNX model into, with the files of its tokenizer."""
    folder = tmp_path / "onnx-model"
    folder.mkdir()
    tokenizer.save(str(folder / "tokenizer.json"))
    special = {"pad_token": "[PAD]", "unk_token": "[UNK]"}
    settings = {**special, "model_max_length": 64}
    for name, values in {
        "config.json": {"pad_token_id": 0},
        "tokenizer_config.json": settings,
        "special_tokens_map.json": special,
    }.items():
        (folder / name).write_text(json.dumps(values))
    return folder
