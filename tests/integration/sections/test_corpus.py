"""The promises of sections on real documents."""

from pathlib import Path

import pytest

from outcrop.sections import IndexingConfig, MarkdownSplitter

CORPUS = Path(__file__).parents[4] / "shared" / "corpus" / "markdown"
DOCUMENTS = sorted(CORPUS.rglob("*.md"))


@pytest.mark.skipif(not DOCUMENTS, reason="needs the corpus of real Markdown")
@pytest.mark.parametrize("scope", ["own", "subtree"])
def test_every_document_keeps_all_its_text_once(scope):
    splitter = MarkdownSplitter(IndexingConfig(10**9, content_scope=scope))
    for path in DOCUMENTS:
        text = path.read_bytes().decode(errors="replace")
        sections = splitter.split(text, path.name, "")
        assert len({section.id for section in sections}) == len(sections), path
        for section in sections:
            start, end = section.start_offset, section.end_offset
            assert text[start:end] == section.content, path
        if scope == "own":
            assert "".join(section.content for section in sections) == text, path
