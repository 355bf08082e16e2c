"""A small set of lists, as the training of the reranker reads them."""

import gzip
import json
import sys

from training.reranking import encode

from outcrop.providers.local_embedder import FOLDER


def write_documents(folder, monkeypatch):
    """Write the data of 40 sections and return its folder."""
    texts = [
        f"Part {at} says what a unit of that number does, and when it is wanted."
        for at in range(40)
    ]
    rows = [
        ["p", "section", f"Guide > Part {at} > Unit{at}", text]
        for at, text in enumerate(texts)
    ]
    rows += [
        ["p", "section_link", f"See how unit {at} is used.", text]
        for at, text in enumerate(texts)
    ]
    with gzip.open(folder / "pairs.jsonl.gz", "wt") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    command = f"encode {folder}/pairs.jsonl.gz --rows {FOLDER} --out {folder}/data"
    monkeypatch.setattr(sys, "argv", command.split())
    encode.main()
    return folder / "data"
