"""The page of `--format html`: complete, alone, and deaf to what documents say."""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
import subprocess
from html.parser import HTMLParser
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from outcrop import ChunkConfig, MarkdownChunker
from outcrop.presentation.document import ChunkedDocument
from outcrop.presentation.document_page import build_page

if TYPE_CHECKING:
    from pathlib import Path

HOSTILE = """\
# </script><script>document.title='pwned'</script>

<img src=x onerror="document.title='pwned'"> &amp; &lt;b&gt; "quoted" 'too'

## <svg onload=alert(1)> ]]> <!-- --> {{ }} ${title} $style

```html
</style></pre></template></noscript><script>document.title='pwned'</script>
```

[link](javascript:document.title='pwned') \u2028 \u202e \x1b[31m \x07
"""
NAME = "\"><script>document.title='pwned'</script>.md"


class _Page(HTMLParser):
    """What a browser would see: elements with attributes, and text by element."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self._open: list[str] = []
        self.feed(source)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in {"meta", "path", "line"}:
            self._open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def handle_data(self, data):
        if self._open:
            self.texts.setdefault(self._open[-1], []).append(data)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


def _document(text: str, path: str = "a.md", size: int = 200) -> ChunkedDocument:
    config = ChunkConfig(max_chunk_size=size)
    chunks = MarkdownChunker(config).chunk(text)
    return ChunkedDocument(path=path, text=text, chunks=chunks, limit=config.limit)


def _data(page: _Page) -> list[dict[str, object]]:
    return json.loads(page.texts["script"][0])["chunks"]


def test_a_hostile_document_adds_no_element_and_no_attribute():
    tame = _Page(build_page([_document("# A\n\nb\n", "a.md")]))
    hostile = _Page(build_page([_document(HOSTILE, NAME)]))
    assert {tag for tag, _ in hostile.elements} <= {tag for tag, _ in tame.elements}
    assert len(hostile.all("script")) == len(tame.all("script")) == 3
    for tag, attributes in hostile.elements:
        assert not [name for name in attributes if name.startswith("on")], tag
        for name in ("href", "src", "action"):
            assert (attributes.get(name) or "#").startswith("#")
        assert "style" not in attributes


def test_the_policy_allows_the_pages_own_scripts_and_style_alone():
    page = _Page(build_page([_document(HOSTILE, NAME)]))
    policy = next(
        attributes["content"]
        for attributes in page.all("meta")
        if attributes.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    _, *scripts = page.texts["script"]
    assert rules["script-src"] == " ".join(f"'{_digest(s)}'" for s in scripts)
    assert rules["style-src"] == f"'{_digest(page.texts['style'][0])}'"
    assert rules["base-uri"] == rules["form-action"] == "'none'"


def _digest(source: str) -> str:
    digest = hashlib.sha256(source.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def test_the_policy_comes_before_anything_it_governs():
    page = _Page(build_page([_document(HOSTILE)]))
    tags = [tag for tag, _ in page.elements]
    assert tags[:4] == ["html", "head", "meta", "meta"]
    assert tags.index("style") > 3


def test_the_page_needs_no_network():
    source = build_page([_document("# A\n\nb\n")])
    assert "http:" not in source
    assert "https:" not in source
    assert "@import" not in source


def test_every_visible_character_of_the_source_is_on_the_page_once():
    text = "# A\n\n" + "Some <b>words</b> & more. " * 30 + "\n\n```\ncode\n```\n"
    page = _Page(build_page([_document(text)]))
    own = [
        attributes
        for tag, attributes in page.elements
        if tag == "span" and "data-n" in attributes
    ]
    chunks = _document(text).chunks
    lines = sum(
        text[chunk.start_offset : chunk.end_offset].count("\n") + 1 for chunk in chunks
    )
    assert len(own) == lines
    shown = "".join("".join(page.texts["span"]).split())
    for line in text.split():
        assert line in shown


def test_lines_carry_their_numbers_in_the_source():
    text = "# A\r\n\r\none\rtwo\r\nthree\n"
    page = _Page(build_page([_document(text)]))
    numbers = [a["data-n"] for a in page.all("span") if "data-n" in a]
    assert numbers == ["1", "2", "3", "4", "5"]


def test_every_boundary_says_why_it_is_there():
    text = "# A\n\n" + "A sentence of a few words. " * 20
    source = build_page([_document(text)])
    chunks = _document(text).chunks
    assert len(chunks) > 2
    assert source.count("the document begins") == 2  # in the text, and in the data
    assert source.count('<span class="stage stage-split">size limit</span>') == (
        len(chunks) - 1
    )


def test_the_data_holds_the_metadata_and_what_is_repeated():
    text = "# A & B\n\n" + "A sentence of a few words. " * 20
    document = _document(text)
    values = _data(_Page(build_page([document])))
    assert [value["metadata"] for value in values] == [
        chunk.metadata for chunk in document.chunks
    ]
    assert [value["prefix"] for value in values][1] == "# A & B\n\n"
    assert [value["size"] for value in values] == [
        len(chunk.content) for chunk in document.chunks
    ]


def test_chunks_of_several_documents_have_ids_of_their_own():
    documents = [_document("# A\n\nb\n", name) for name in ("a.md", "b.md")]
    page = _Page(build_page([*documents, _document("", "blank.md")]))
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert {"c0", "c1", "d0", "d1", "d2"} <= set(ids)
    links = [attributes["href"] for attributes in page.all("a")]
    assert {str(link)[1:] for link in links} <= set(ids)


def test_no_readable_document_still_gives_a_page(outcrop):
    result = outcrop("chunk", "missing.md", "--format", "html")
    assert result.exit_code == 1
    assert "no documents" in result.stdout


@pytest.fixture(scope="session")
def chromium() -> str:
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        pytest.skip("needs chromium to run the page's script")
    return found


def _rendered(chromium: str, page: Path, tmp_path: Path, anchor: str = "") -> str:
    """The page's elements after its script has run."""
    flags = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--no-first-run",
        "--disable-sync",
    ]
    flags += ["--disable-background-networking", "--disable-component-update"]
    done = subprocess.run(
        [
            *(chromium, *flags, f"--user-data-dir={tmp_path / 'profile'}"),
            *("--dump-dom", f"file://{quote(str(page))}{anchor}"),
        ],
        capture_output=True,
        text=True,
        timeout=50,
        check=True,
    )
    return done.stdout


def test_a_browser_shows_the_chunk_asked_for_and_runs_nothing_else(chromium, tmp_path):
    page = tmp_path / "page.html"
    document = _document(HOSTILE, NAME)
    assert len(document.chunks) > 1
    page.write_text(build_page([document]), encoding="utf-8")
    shown = _rendered(chromium, page, tmp_path, "#c1")
    assert f"Chunk 2 of {len(document.chunks)}" in shown
    assert "<title>pwned" not in shown
