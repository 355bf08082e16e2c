"""Whether two revisions store the same rows and give the same answers.

A revision is recorded by indexing the evaluation sets and any source trees, hashing the
rows of every table and keeping the results of every question. Another revision is then
compared with that record:

    python benchmarks/compare_results.py --data ../shared/eval --write before.json
    python benchmarks/compare_results.py --data ../shared/eval --against before.json

The sources to measure are those on PYTHONPATH. Times, sequence numbers and the times of
files are left out of the hashes: they differ between two runs of one revision too.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from hashlib import blake2b
from pathlib import Path
from typing import Any

from _retrieval_sets import load_sets

from outcrop import Index
from outcrop.search.question import Mode
from outcrop.store.database import Database

SETS = ("docs_xref", "chroma", "anthropic_code")
TREE_QUESTIONS = (
    "When is a table or a code block cut?",
    "How do I summarise sections with a language model?",
    "What does exit code 3 mean?",
    "where is an identifier cut at changes of case",
    "MarkdownChunker",
    "store.replace_documents",
)
MODES = ("hybrid", "text", "vector")
HITS = 10
TABLES = (
    "applications", "documents", "chunks", "chunk_lex", "lex_df", "nodes", "edges",
)  # fmt: skip
LEFT_OUT = {"modified_ns", "created_at", "updated_at", "embed_ts", "freshness_at"}

Record = dict[str, Any]


def record_folder(folder: Path, questions: list[str]) -> Record:
    """Index a folder and return the digests of its rows and the answers."""
    with Index.open(folder) as index:
        index.index(".")
        answers = {
            mode: {text: _ask(index, text, mode) for text in questions}
            for mode in MODES
        }
        context = {text: _digest(str(index.context(text))) for text in questions[:50]}
    return {"tables": _hash_tables(folder), "answers": answers, "context": context}


def _ask(index: Index, text: str, mode: str) -> list[list[object]]:
    return [
        [hit.id, hit.path, hit.start_offset, hit.end_offset, round(hit.score, 6)]
        for hit in index.search(text, HITS, mode=Mode(mode))
    ]


def _hash_tables(folder: Path) -> Record:
    found: Record = {}
    with Database.open(folder) as database, database.read() as connection:
        for table in TABLES:
            columns = [
                name
                for (name,) in connection.execute(
                    "SELECT column_name FROM information_schema.columns"
                    " WHERE table_name = %s ORDER BY column_name",
                    (table,),
                )
                if name not in LEFT_OUT
            ]
            listed = ", ".join(f'"{name}"' for name in dict.fromkeys(columns))
            rows = connection.execute(
                f"SELECT md5(row({listed})::text) FROM {table} ORDER BY 1"  # noqa: S608 - names from the catalogue
            ).fetchall()
            found[table] = [len(rows), _digest("".join(row[0] for row in rows))]
    return found


def _digest(text: str) -> str:
    return blake2b(text.encode(), digest_size=8).hexdigest()


def record_all(data: Path | None, sets: list[str], trees: list[Path]) -> Record:
    """Return the record of all sets and trees."""
    found: Record = {}
    with tempfile.TemporaryDirectory() as name:
        for each in load_sets(data, sets) if data else []:
            folder = Path(name) / each.name
            for path, text in each.texts.items():
                file = folder / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(text.encode())
            questions = list(dict.fromkeys(q.text for q in each.questions))
            found[each.name] = record_folder(folder, questions)
            print(each.name, found[each.name]["tables"], flush=True)
        for tree in trees:
            folder = Path(name) / tree.name
            ignored = shutil.ignore_patterns(".git", ".venv*", ".outcrop", "build")
            shutil.copytree(tree, folder, ignore=ignored)
            found[tree.name] = record_folder(folder, list(TREE_QUESTIONS))
            print(tree.name, found[tree.name]["tables"], flush=True)
    return found


def differences(before: Record, after: Record) -> list[str]:
    """Return one line for each thing that differs."""
    found: list[str] = []
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name), after.get(name)
        if old is None or new is None:
            found.append(f"{name}: in one record only")
            continue
        for table, rows in old["tables"].items():
            if new["tables"].get(table) != rows:
                found.append(f"{name}: {table} {rows} -> {new['tables'].get(table)}")
        for mode, answers in old["answers"].items():
            changed = [q for q in answers if new["answers"][mode].get(q) != answers[q]]
            if changed:
                found.append(
                    f"{name}: {len(changed)} of {len(answers)} answers differ in mode "
                    f"{mode}, such as {changed[0]!r}"
                )
        changed = [
            q for q in old["context"] if new["context"].get(q) != old["context"][q]
        ]
        if changed:
            found.append(f"{name}: {len(changed)} contexts differ, {changed[0]!r}")
    return found


def main() -> None:
    """Record a revision, or compare it with a record."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="folder of evaluation sets")
    parser.add_argument("--set", action="append", dest="sets", help="name of a set")
    parser.add_argument("--tree", action="append", type=Path, default=[])
    parser.add_argument("--write", type=Path, help="file to record this revision in")
    parser.add_argument("--against", type=Path, help="record of another revision")
    given = parser.parse_args()
    record = record_all(given.data, given.sets or list(SETS), given.tree)
    if given.write:
        given.write.write_text(json.dumps(record))
    if given.against:
        lines = differences(json.loads(given.against.read_text()), record)
        print("\n".join(lines) or "equal")
        sys.exit(1 if lines else 0)


if __name__ == "__main__":
    main()
