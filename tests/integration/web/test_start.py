"""What an index offers before anything is asked."""

from __future__ import annotations

from integration.http.served import make_project, remove_project
from outcrop.indexing.config import IndexConfig
from outcrop.indexing.index import Index

FILES = {
    "a.md": "# One\n\n## Short\n\ntext\n\n## How to moor a long boat\n\ntext\n",
    "b.md": "# Two\n\n## 1.2.3 of 2024-01-02 yanked\n\ntext\n\n## Fees of the harbour\n\nx\n",
    "c.py": "def low():\n    pass\n\n\ndef one():\n    low()\n\n\ndef two():\n    low()\n    one()\n",
}


def test_headings_recent_documents_and_called_symbols():
    project = make_project()
    for path, text in FILES.items():
        (project / path).write_text(text, encoding="utf-8")
    with Index.open(project, config=IndexConfig(workers=1)) as index:
        index.index(["."])
        headings = index.store.some_headings()
        assert headings == ["How to moor a long boat", "Fees of the harbour"]
        assert len(index.store.recent_documents(2)) == 2
        (project / "a.md").write_text(FILES["a.md"] + "more\n", encoding="utf-8")
        index.index(["."])
        assert index.store.recent_documents()[0].path == "a.md"
        called = index.store.most_called()
        assert [(node.name, callers) for node, callers in called] == [
            ("low", 2),
            ("one", 1),
        ]
    remove_project(project)
