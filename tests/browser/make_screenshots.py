"""Take the pictures of the page that the documentation shows.

    python tests/browser/make_screenshots.py docs/images

The project's own documents and code are indexed in a folder of their own. Where Pillow
is installed the files become a third as large.
"""

from __future__ import annotations

import shutil
import sys
import time
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests"))

# ruff: noqa: E402 - the tests' own folder has to be found first
from browser.driven import Browser, find_programs, start_browser
from integration.http.served import make_project, remove_project, serving
from outcrop.indexing.index import Index

VIEWS = {
    "view-search": "/?q=how+are+headings+repeated",
    "view-document": "/documents/docs/concepts/chunking.md#c5",
    "view-code": "/code/outcrop.chunking.chunker.MarkdownChunker.chunk",
    "view-runs": "/runs",
}
WIDTH, HEIGHT = 1280, 800
SETTLE_SECONDS = 1.5


def take(browser: Browser, url: str, target: Path, *, dark: bool = False) -> None:
    browser.resize(WIDTH, HEIGHT, dark=dark)
    browser.open(url)
    time.sleep(SETTLE_SECONDS)
    browser.driver.save_screenshot(str(target))
    with suppress(ImportError):
        from PIL import Image

        with Image.open(target) as picture:
            picture.convert("RGB").quantize(128).save(target, optimize=True)


def fill(project: Path) -> None:
    """Index the project's own text, with one run that is done and one that is not."""
    for name in ("docs", "src"):
        shutil.copytree(ROOT / name, project / name)
    (project / "docs" / "scan.md").write_bytes(b"\0")
    stages = {
        "extract-snippet": {"done": 3110, "total": 3110, "failed": 0},
        "render-doc": {"done": 2480, "total": 3110, "failed": 2},
        "embed": {"done": 1210, "total": 3110, "failed": 0},
        "link-edges": {"done": 0, "total": 3110, "failed": 0},
    }
    with Index.open(project) as index:
        store = index.store
        report = index.index(["docs", "src"])
        done = store.create_run("index", parameters={"paths": ["docs", "src"]})
        count = {"done": len(report.added), "total": len(report.added) + 1, "failed": 1}
        errors = [
            {"path": problem.path, "error": problem.reason}
            for problem in report.problems
        ]
        store.update_run(done.id, stages={"documents": count}, errors=errors)
        counts = {"added": len(report.added), "chunks_inserted": report.chunks_inserted}
        store.finish_run(done.id, statistics=counts | {"embedded": report.embedded})
        running = store.create_run("chunk-build", strategy="adaptive")
        store.update_run(running.id, stages=stages)


def main() -> None:
    programs = find_programs()
    if programs is None:
        sys.exit("there is no Chromium with its driver here: make setup-browser")
    folder = Path(sys.argv[1])
    project = make_project()
    fill(project)
    driver = start_browser(programs)
    try:
        with serving(project) as served:
            browser = Browser(driver)
            for name, path in VIEWS.items():
                take(browser, served.url + path, folder / f"{name}.png")
            dark = folder / "view-search-dark.png"
            take(browser, served.url + VIEWS["view-search"], dark, dark=True)
    finally:
        driver.quit()
    remove_project(project)


if __name__ == "__main__":
    main()
