"""A small project of code, builds of it, and what they leave in the store."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from integration.pipeline.planned import QUICK
from outcrop.indexing.code.build import Builder
from outcrop.indexing.code.build_options import BuildOptions
from outcrop.indexing.config import IndexConfig
from outcrop.pipeline.jobs.open_worker import open_worker
from outcrop.providers.local_embedder import LocalEmbedder

if TYPE_CHECKING:
    from pathlib import Path

    from outcrop.indexing.code.build import CodeBuild
    from outcrop.pipeline.jobs.settings import WorkerSettings
    from outcrop.pipeline.jobs.worker import Worker
    from outcrop.store.database import Database

FILES = {
    "tea/pot.py": '''\
"""Pots of tea."""

from tea.cup import check_cup

LIMIT = 3


class Pot:
    """A pot of tea."""

    def pour(self, cup):
        """Fill a cup."""
        check_cup(cup, LIMIT)
        return steep(cup)


def steep(cup):
    # Three minutes are enough.
    return cup
''',
    "tea/cup.py": '''\
def check_cup(cup, limit):
    if cup.size > limit:
        raise ValueError(cup)
    return cup


def wash(cup):
    """Wash a cup."""
    return check_cup(cup, 9)
''',
    "web/style.css": """\
.pot { width: 3px; }

.cup { color: brown; }
""",
    "web/brew.ts": """\
export function brew(leaves: string[]): string {
  return leaves.map((leaf) => heat(leaf)).join("");
}

export function heat(leaf: string): string {
  return leaf + "!";
}
""",
}
_CHUNKS = """
SELECT d.path, c.chunk_id, c.source, c.kind, c.lang_detected, c.content, c.content_raw,
    c.prefix, c.suffix, c.content_hash, c.search_hash, c.token_count,
    c.span_lines::text, c.span_chars::text, c.title, c.section_path, c.uses_md,
    c.used_by_md, c.embed_model, c.emb::text, c.explain_md, c.explain_quality,
    c.relations, c.used_objects, c.indexable, c.pipeline -> 'stages' AS stages,
    c.pipeline -> 'done' AS done, l.len, l.tsv::text
FROM chunks c JOIN documents d ON d.id = c.document_id
    LEFT JOIN chunk_lex l ON l.chunk_id = c.id
ORDER BY d.path, c.chunk_id
"""
_FREQUENCIES = """
SELECT term, sum(df) FROM (
    SELECT term, df FROM lex_df UNION ALL SELECT term, df FROM lex_delta
) both_tables GROUP BY term HAVING sum(df) <> 0 ORDER BY term
"""


def write_project(folder: Path) -> Path:
    """Write the project's files."""
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def builder(database: Database, project: Path) -> Builder:
    return Builder(database, LocalEmbedder(), project, IndexConfig(workers=1))


def start(database: Database, project: Path, **options: Any) -> CodeBuild:
    """Plan the project, in batches of a few chunks."""
    options.setdefault("batch_size", 3)
    options.setdefault("application", "tea")
    return builder(database, project).start([project], BuildOptions(**options))


def real_worker(
    database: Database,
    project: Path | None = None,
    settings: WorkerSettings = QUICK,
    **given: Any,
) -> Worker:
    """Return a worker for the real stages, near the files where it is told of them."""
    replan = None if project is None else builder(database, project).replan
    return open_worker(
        database, LocalEmbedder(), settings, folder=project, replan=replan, **given
    )


def build(database: Database, project: Path, **options: Any) -> int:
    """Build the project from its files; return the run."""
    run_id = start(database, project, **options).run_id
    real_worker(database, project).run(run_id=run_id)
    return run_id


def contents(database: Database) -> list[dict[str, Any]]:
    """Return all that is kept of all chunks, but when and by whom it was written."""
    with database.read() as connection:
        cursor = connection.execute(_CHUNKS)
        names = [column.name for column in cursor.description or ()]
        return [dict(zip(names, row, strict=True)) for row in cursor]


def frequencies(database: Database) -> list[Any]:
    """Return in how many chunks each word is."""
    with database.read() as connection:
        return connection.execute(_FREQUENCIES).fetchall()


def is_finished(chunk: dict[str, Any]) -> bool:
    """Say whether a chunk went through each of its stages once."""
    return json.dumps(chunk["done"]) == json.dumps(chunk["stages"])
