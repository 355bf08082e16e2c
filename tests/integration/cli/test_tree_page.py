"""The section tree of the page of `--format html`: complete, linked, and inert."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from urllib.parse import quote

import pytest

from outcrop import ChunkConfig, MarkdownChunker
from outcrop.presentation.document import ChunkedDocument
from outcrop.presentation.document_page import build_page

GUIDE = """\
Before.

# Guide

## Setup

Install it.

### Linux

Use the package.

## Use

Run it.

# Guide

Again.
"""
HOSTILE = """\
# `</a></li></ul></details><script>document.title='pwned'</script>`

<img src=x onerror="document.title='pwned'">

## <svg onload=alert(1)> "quoted' &amp; &lt;b&gt; \x1b[31m \u202e

text
"""


class _Tree(HTMLParser):
    """The items of the tree with their depth in the page, and every element."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.items: list[dict[str, str | None]] = []
        self.names: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self._groups = 0
        self._is_name = False
        self.feed(source)
        self.close()

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.elements.append((tag, attributes))
        role = attributes.get("role")
        self._groups += role in {"tree", "group"}
        if role == "treeitem":
            self.items.append({**attributes, "depth": str(self._groups)})
        if attributes.get("class") == "name":
            self.names.append("")
            self._is_name = True

    def handle_endtag(self, tag):
        self._groups -= tag == "ul"
        self._is_name = self._is_name and tag != "span"

    def handle_data(self, data):
        if self._is_name:
            self.names[-1] += data

    @property
    def outline(self) -> list[str]:
        levels = (int(item["aria-level"] or 0) for item in self.items)
        return [
            "  " * (level - 1) + name
            for level, name in zip(levels, self.names, strict=True)
        ]


def _flat(text: str, path: str = "a.md", size: int = 200) -> ChunkedDocument:
    config = ChunkConfig(max_chunk_size=size)
    chunks = MarkdownChunker(config).chunk(text)
    return ChunkedDocument(path=path, text=text, chunks=chunks, limit=config.limit)


def _treed(text: str, path: str = "a.md", size: int = 200) -> ChunkedDocument:
    config = ChunkConfig(max_chunk_size=size)
    tree = MarkdownChunker(config).chunk_hierarchical(text)
    return ChunkedDocument(
        path=path,
        text=text,
        chunks=tree.get_flat_chunks(),
        limit=config.limit,
        tree=tree,
    )


def _data(source: str) -> dict[str, list[dict[str, object]]]:
    found = re.search(r'id="data">(.*?)</script>', source, re.DOTALL)
    assert found
    return json.loads(found[1])


def test_without_a_tree_the_sections_of_the_document_are_shown():
    page = _Tree(build_page([_flat(GUIDE)]))
    assert page.outline == [
        "a.md",
        "  Guide",
        "    Setup",
        "      Linux",
        "    Use",
        "  Guide",
    ]


def test_the_nodes_of_a_tree_are_shown_with_their_leaves():
    page = _Tree(build_page([_treed(GUIDE)]))
    tree = _treed(GUIDE).tree
    assert tree
    depths = [len(tree.get_ancestors(node.chunk_id)) for node in tree.chunks]
    assert [int(item["aria-level"] or 0) - 1 for item in page.items] == depths
    assert [name.strip() for name in page.outline].count("(its own text)") == 1


@pytest.mark.parametrize("make", [_flat, _treed])
def test_lists_are_nested_as_deep_as_the_levels_say(make):
    page = _Tree(build_page([make(GUIDE), make(GUIDE, "b.md")]))
    assert [item["depth"] for item in page.items] == [
        item["aria-level"] for item in page.items
    ]
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    for item in page.items:
        assert str(item["href"]).removeprefix("#") in ids
        assert item.get("aria-owns", item["id"]) in ids
        assert ("aria-owns" in item) == (item.get("aria-expanded") == "true")


def test_a_node_covers_the_lines_of_its_section():
    nodes = _data(build_page([_flat(GUIDE)]))["nodes"]
    places = [(node["title"], node["from"], node["to"]) for node in nodes]
    assert places == [
        ("a.md", 1, 19),
        ("Guide", 3, 15),
        ("Setup", 5, 11),
        ("Linux", 9, 11),
        ("Use", 13, 15),
        ("Guide", 17, 19),
    ]


def test_a_node_of_a_tree_carries_what_it_says_and_its_metadata():
    document = _treed(GUIDE)
    assert document.tree
    nodes = _data(build_page([document]))["nodes"]
    inner = [node for node in nodes if not node["isLeaf"]]
    expected = [c for c in document.tree.chunks if not c.metadata["is_leaf"]]
    assert [node["content"] for node in inner] == [c.content for c in expected]
    assert [node["metadata"] for node in inner] == [c.metadata for c in expected]


@pytest.mark.parametrize("make", [_flat, _treed])
def test_every_chunk_names_the_node_that_stands_for_it(make):
    documents = [make(GUIDE, size=60), make(GUIDE, "b.md", 60)]
    page = build_page(documents)
    data, names = _data(page), _Tree(page).names
    for value in data["chunks"]:
        node = data["nodes"][int(str(value["node"]))]
        headers = value["metadata"]["headers"]  # type: ignore[index]
        if node["isLeaf"]:
            assert data["chunks"][int(str(node["chunk"]))] == value
        else:
            assert node["path"] == value["path"]
            assert node["headers"] == headers
            assert names[int(str(value["node"]))] == [value["path"], *headers][-1]


def test_the_text_of_equal_sections_belongs_to_the_right_one():
    text = "# A\n\nfirst\n\n# A\n\nsecond\n\n# A\n\nthird\n"
    data = _data(build_page([_flat(text, size=12)]))
    assert [value["node"] for value in data["chunks"]] == [1, 2, 3]


def test_a_document_without_headings_has_no_sections_to_show():
    assert "<details" not in build_page([_flat("Only text.\n")])
    assert _Tree(build_page([_treed("Only text.\n")])).outline == [
        "Document",
        "  (no heading)",
    ]
    assert _Tree(build_page([_flat("")])).items == []


@pytest.mark.parametrize("make", [_flat, _treed])
def test_a_hostile_title_adds_no_element_and_no_attribute(make):
    name = "\"><script>document.title='pwned'</script>.md"
    tame = _Tree(build_page([make("# A\n\n<b>\n\n## B\n\ntext\n")]))
    hostile = _Tree(build_page([make(HOSTILE, name)]))
    assert {tag for tag, _ in hostile.elements} <= {tag for tag, _ in tame.elements}
    assert len(hostile.items) == len(tame.items)
    for tag, attributes in hostile.elements:
        assert not [name for name in attributes if name.startswith("on")], tag
        assert (attributes.get("href") or "#").startswith("#")
    assert any("<script>document.title='pwned'" in name for name in hostile.names)


@pytest.fixture(scope="session")
def chromium() -> str:
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        pytest.skip("needs chromium to run the page's script")
    return found


def test_a_browser_marks_the_section_asked_for_and_runs_nothing_else(
    chromium, tmp_path
):
    page = tmp_path / "page.html"
    page.write_text(build_page([_treed(HOSTILE + GUIDE)]), encoding="utf-8")
    nodes = _data(page.read_text(encoding="utf-8"))["nodes"]
    asked = next(at for at, node in enumerate(nodes) if node.get("title") == "Setup")
    done = subprocess.run(
        [
            *(chromium, "--headless", "--no-sandbox", "--disable-gpu"),
            *("--no-first-run", "--disable-sync", "--disable-background-networking"),
            *("--disable-component-update", f"--user-data-dir={tmp_path / 'profile'}"),
            *("--dump-dom", f"file://{quote(str(page))}#t{asked}"),
        ],
        capture_output=True,
        text=True,
        timeout=50,
        check=True,
    )
    shown = done.stdout
    marked = [int(n) for n in re.findall(r'class="l[^"]* in" data-n="(\d+)"', shown)]
    assert marked[0] == nodes[asked]["from"]
    assert marked[-1] == nodes[asked]["to"]
    current = re.findall(r'<a role="treeitem" id="n(\d+)"[^>]*aria-current', shown)
    assert current == [str(asked)]
    assert "<title>pwned" not in shown
