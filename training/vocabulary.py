"""Learn which pieces words are made of.

    python -m training.vocabulary PAIRS... --size 60000 --out vocabulary.json

All words of the pairs count: parts of identifiers, and the languages of translations.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from multiprocessing import Pool
from pathlib import Path

from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from outcrop.providers.word_tokens import normalize_word, split_words
from training.pair_files import read_chunks

MAX_PASSAGE_WORDS = 150


def count_words(lines: list[str]) -> Counter[str]:
    """Count the words of some pairs, in the parts that the vocabulary sees."""
    raw: Counter[str] = Counter()
    for line in lines:
        _, _, query, passage = json.loads(line)
        raw.update(split_words(query))
        raw.update(split_words(passage)[:MAX_PASSAGE_WORDS])
    counts: Counter[str] = Counter()
    for word, number in raw.items():
        for part in normalize_word(word):
            counts[part] += number
    return counts


def train_vocabulary(counts: Counter[str], size: int) -> Tokenizer:
    """Learn which pieces words are made of."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(
        add_prefix_space=False, use_regex=False
    )
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        min_frequency=3,
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    # Frequent words need not be counted a million times to be learned.
    words = [word for word in sorted(counts) for _ in range(min(counts[word], 200))]
    random.Random(1).shuffle(words)
    tokenizer.train_from_iterator(words, trainer)
    return tokenizer


def main() -> None:
    """Count the words of all pairs and write a tokenizer."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pairs", type=Path, nargs="+")
    parser.add_argument("--size", type=int, default=60_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    counts: Counter[str] = Counter()
    with Pool(given.workers) as pool:
        for part in pool.imap(count_words, read_chunks(given.pairs)):
            counts.update(part)
    print(f"{len(counts):,} different words", flush=True)
    train_vocabulary(counts, given.size).save(str(given.out))


if __name__ == "__main__":
    main()
