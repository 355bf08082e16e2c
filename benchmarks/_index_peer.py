"""LangChain's splitter and Chroma on the same files, in the environment that has them.

    python benchmarks/_index_peer.py FOLDER STATE < questions.json

Chunks of at most 180 tokens by a quarter of the characters, the same embedder, Chroma
on disk with its defaults. Prints seconds, chunks, latencies and the size on disk.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import chromadb
from langchain_text_splitters import RecursiveCharacterTextSplitter

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))

from outcrop.providers.local_embedder import LocalEmbedder

CHARACTERS = 720
BATCH = 2000


def main() -> None:
    folder, state = Path(sys.argv[1]), Path(sys.argv[2])
    questions = json.load(sys.stdin)
    embedder = LocalEmbedder()
    settings = chromadb.Settings(anonymized_telemetry=False)
    client = chromadb.PersistentClient(str(state), settings=settings)
    collection = client.create_collection("docs", metadata={"hnsw:space": "cosine"})
    splitter = RecursiveCharacterTextSplitter(chunk_size=CHARACTERS, chunk_overlap=0)
    started = time.perf_counter()
    number = 0
    texts: list[str] = []

    def flush() -> None:
        nonlocal number, texts
        if texts:
            ids = [str(number + at) for at in range(len(texts))]
            collection.add(ids=ids, embeddings=embedder.embed(texts), documents=texts)
            number += len(texts)
            texts = []

    for file in sorted(folder.rglob("*.md")):
        texts += splitter.split_text(file.read_text())
        if len(texts) >= BATCH:
            flush()
    flush()
    seconds = time.perf_counter() - started
    times = []
    for question in questions:
        asked = time.perf_counter()
        collection.query(query_embeddings=embedder.embed([question]), n_results=10)
        times.append(time.perf_counter() - asked)
    times = sorted(times[20:])
    size = sum(f.stat().st_size for f in state.rglob("*") if f.is_file())
    found = {
        "seconds": seconds,
        "chunks": number,
        "p50": times[len(times) // 2],
        "p99": times[int(len(times) * 0.99)],
        "disk_mb": size / 1e6,
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
