"""The documentation site: its links, its search, and what it asks the network for."""

from __future__ import annotations

import json
import re
from urllib.parse import urlsplit

import pytest
import yaml
from doc_pages import page_name, page_paths
from selenium.webdriver.common.keys import Keys

from docsite.built import ROOT, build_site, copy_project

pytestmark = pytest.mark.timeout(180)


def _index(site):
    return json.loads((site / "assets" / "search-index.json").read_text())


def _pages_found(browser) -> list[str]:
    links = [link.get_attribute("href") for link in browser.all(".outcrop-hits a")]
    return [urlsplit(link).path.lstrip("/") for link in links]


def test_every_page_of_the_project_is_on_the_site(site):
    pages = [page_name(path) for path in page_paths()]
    html = [re.sub("README", "index", page).replace(".md", ".html") for page in pages]
    assert [page for page in html if not (site / page).is_file()] == []


def test_every_page_of_the_docs_is_in_the_navigation():
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    listed = set(re.findall(r": ([\w/.-]+\.md)$", text, re.MULTILINE))
    pages = {page_name(path) for path in page_paths()}
    assert listed == pages - {"docs/examples/tide-gauge.md"}
    assert yaml.safe_load(text)["strict"] is True


def test_a_broken_link_fails_the_build(tmp_path):
    project = copy_project(tmp_path)
    with (project / "docs" / "glossary.md").open("a", encoding="utf-8") as page:
        page.write("\n[nowhere](nowhere.md) and [no part](quickstart.md#no-part)\n")
    done = build_site(project)
    assert done.returncode == 1
    assert "nowhere.md" in done.stderr
    assert "no-part" in done.stderr


def test_every_place_in_the_search_index_exists(site):
    for url, title, text in _index(site)["chunks"]:
        page, _, anchor = url.partition("#")
        html = (site / page).read_text(encoding="utf-8")
        assert not anchor or f'id="{anchor}"' in html, url
        assert title
        assert text


def test_the_index_holds_the_words_as_the_command_analyses_them(site):
    index = _index(site)
    # A plural and its singular are one term, and so find the same chunks.
    assert index["words"]["chunk"] == index["words"]["chunks"]
    assert "tide" in index["words"]


@pytest.mark.parametrize(
    ("question", "page"),
    [
        ("exit codes", "docs/reference/cli.html"),
        ("dangling headings", "docs/concepts/chunking.html"),
        ("several projects in one database", "docs/howto/postgresql.html"),
        ("what may a cloned folder do", "SECURITY.html"),
    ],
)
def test_a_question_finds_its_page(browser, served_site, question, page):
    browser.open(f"{served_site}/docs/quickstart.html")
    field = browser.find(".outcrop-search input")
    field.send_keys(question)
    browser.until(lambda: page in _pages_found(browser)[:5])


def test_a_hit_is_opened_with_the_keyboard(browser, served_site):
    browser.open(served_site)
    browser.press("/")
    browser.press("when tables and code blocks are cut")
    browser.until(lambda: browser.all(".outcrop-hits mark"))
    browser.press(Keys.ENTER)
    browser.until(lambda: "chunking.html" in browser.driver.current_url)
    assert browser.driver.current_url.endswith("#when-tables-and-code-blocks-are-cut")


def test_the_beginning_of_a_word_finds_it(browser, served_site):
    browser.open(served_site)
    browser.find(".outcrop-search input").send_keys("glossa")
    browser.until_there(".outcrop-hits a", "Glossary")


def test_what_is_typed_is_shown_as_text(browser, served_site):
    browser.open(served_site)
    browser.find(".outcrop-search input").send_keys("<img src=x onerror=alert(1)>")
    browser.until(lambda: not browser.find(".outcrop-hits").get_property("hidden"))
    assert browser.all(".outcrop-hits img") == []


def test_the_site_asks_no_other_host_and_reports_no_error(browser, served_site):
    browser.open(served_site)
    browser.find(".outcrop-search input").send_keys("chunk")
    browser.until(lambda: browser.all(".outcrop-hits a"))
    assert browser.hosts() == {urlsplit(served_site).netloc}
    assert browser.complaints() == []
