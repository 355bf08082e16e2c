"""Long documents and long lists: links land at their place, and nothing is out of reach."""

from __future__ import annotations

import time

import pytest

from integration.http.served import make_project, remove_project, serving
from outcrop.indexing.config import IndexConfig
from outcrop.indexing.index import Index

DOCUMENTS = 520
SECTIONS = 400
STILL_SECONDS = 0.5  # without a movement, after which a page is at rest
pytestmark = pytest.mark.timeout(200)


def long_document():
    """Sections of very different heights, as release notes have."""
    return "# Notes\n\n" + "".join(
        f"## Release {number} of the harbour\n\n- Item {number}: "
        + "words that fill the line and more of it. " * (1 + number * 7 % 23)
        + "\n\n"
        for number in range(SECTIONS)
    )


@pytest.fixture(scope="module")
def large():
    project = make_project()
    (project / "docs").mkdir()
    (project / "notes.md").write_text(long_document(), encoding="utf-8")
    for number in range(DOCUMENTS):
        text = f"# Page {number}\n\nText.\n"
        (project / "docs" / f"page-{number:03}.md").write_text(text, encoding="utf-8")
    (project / "zoo.md").write_text(
        "# Rootless mode\n\nAt the end.\n", encoding="utf-8"
    )
    with Index.open(project, config=IndexConfig(workers=1)) as index:
        index.index(["."])
        chunks = [c for c in index.store.chunks_of("notes.md") if c.is_leaf]
        with serving(project) as started:
            yield started, chunks
    remove_project(project)


def top_of(browser, selector):
    return browser.run(
        "return document.querySelector(arguments[0]).getBoundingClientRect().top",
        selector,
    )


def comes_to_rest(browser, selector, end):
    """Wait for an element near the top; return whether it stays once nothing moves."""
    browser.until(lambda: 0 <= top_of(browser, selector) < end)
    since, before = time.monotonic(), None
    while time.monotonic() - since < STILL_SECONDS:
        if (top := top_of(browser, selector)) != before:
            since, before = time.monotonic(), top
    return 0 <= top < end


@pytest.mark.parametrize("width", [390, 1280])
def test_a_link_into_a_long_document_lands_at_the_chunk(browser, large, width):
    started, chunks = large
    browser.resize(width, 844)
    for share in (0.55, 0.9, 0.3):
        chunk = chunks[int(len(chunks) * share)]
        browser.open("about:blank")
        browser.open(f"{started.url}/documents/notes.md#{chunk.id}")
        browser.until_there(".chunk.on")
        assert comes_to_rest(browser, ".chunk.on", 250)
        assert browser.find(".chunk.on").get_attribute("data-id") == chunk.id


def test_a_link_to_a_line_and_into_the_reading_view_land_there_too(browser, large):
    started, chunks = large
    chunk = chunks[len(chunks) * 2 // 3]
    browser.open(f"{started.url}/documents/notes.md#L{chunk.start_line}")
    browser.until_there(".l.on")
    assert comes_to_rest(browser, ".l.on", 800)
    browser.open(f"{started.url}/documents/notes.md?view=read#{chunk.id}")
    assert comes_to_rest(browser, f'[id="{chunk.id}"]', 250)


def test_a_chunk_chosen_in_the_tree_stays_in_sight(browser, large):
    started, _ = large
    browser.open(f"{started.url}/documents/notes.md")
    item = browser.until_there(".tree a", f"Release {SECTIONS - 60} of")
    browser.run("arguments[0].click()", item)
    browser.until_there(".chunk.on")
    assert comes_to_rest(browser, ".chunk.on", 250)
    assert f"Release {SECTIONS - 60} of" in browser.find(".chunk.on").text


def test_typing_finds_documents_beyond_those_on_the_page(browser, large):
    started, _ = large
    browser.open(f"{started.url}/documents?sort=path")
    browser.find("[data-search]").send_keys("rootless")
    browser.until(lambda: len(browser.all("#list li")) == 1)
    assert "zoo.md" in browser.find("#list").text
    assert browser.driver.current_url.endswith("/documents?q=rootless")
    assert browser.driver.title == "rootless · Documents · Outcrop"
    browser.press("\ue007")  # Enter opens the only one
    browser.until(lambda: "/documents/zoo.md" in browser.driver.current_url)


def test_folders_open_and_are_walked_by_key(browser, large):
    started, _ = large
    browser.open(f"{started.url}/documents")
    folder = browser.until_there("#list summary", "docs/")
    row = browser.find("a[href='/documents/docs/page-001.md']")
    assert not row.is_displayed()
    folder.click()
    assert row.is_displayed()
    browser.find("[name=sort] [value=title]").click()
    browser.until(lambda: not browser.all("#list summary"))
    assert "sort=title" in browser.driver.current_url
