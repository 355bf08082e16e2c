"""Take the pictures of the page that the documentation shows.

    python tests/browser/make_screenshots.py docs/images

The project's own documents and code are indexed in a folder of their own. Where Pillow
is installed the files become a third as large.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import httpx
import numpy as np

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests"))

# ruff: noqa: E402 - the tests' own folder has to be found first
from browser.driven import Browser, find_programs, start_browser
from integration.http.served import Served, make_folder, remove_project, serving

SEARCH = "/?q=how+are+headings+repeated"
DOCUMENT = "/documents/docs/concepts/chunking.md"
READING = f"{DOCUMENT}?view=read"
DOCUMENTS = "/documents"
CODE = "/code/outcrop.chunking.chunker.MarkdownChunker.chunk"
WIDTH, HEIGHT = 1280, 800
SETTLE_SECONDS = 1.5


def take(browser: Browser, target: Path) -> None:
    """Take a picture of what is there."""
    time.sleep(SETTLE_SECONDS)
    browser.driver.save_screenshot(str(target))
    with suppress(ImportError):
        shrink(target)


def shrink(file: Path) -> None:
    """Leave a picture 256 colours: the most frequent and the most vivid as they are.

    By frequency alone, what is coloured would turn grey: there is little of it.
    """
    from PIL import Image

    with Image.open(file) as picture:
        pixels = np.asarray(picture.convert("RGB"))
    colours, places, counts = np.unique(
        pixels.reshape(-1, 3), axis=0, return_inverse=True, return_counts=True
    )
    often = colours[np.argsort(-counts)[:64]]
    vividness = (colours.max(axis=1) - colours.min(axis=1)) * np.sqrt(counts)
    vivid = colours[np.argsort(-vividness)[:64]]
    each_once = Image.fromarray(colours[None, :, :])
    palette = each_once.quantize(128).getpalette() or []
    kept = np.concatenate([often, vivid, np.array(palette, np.uint8).reshape(-1, 3)])
    apart = colours[:, None, :].astype(int) - kept[None, :, :].astype(int)
    nearest = (apart**2).sum(axis=2).argmin(axis=1).astype(np.uint8)
    few = Image.fromarray(nearest[places.reshape(pixels.shape[:2])], "P")
    few.putpalette(kept.ravel().tolist())
    few.save(file, optimize=True)


def take_all(browser: Browser, served: Served, folder: Path) -> None:
    for _ in range(3):  # what is asked first is slow
        browser.open(served.url + SEARCH)
    for name, dark in (("view-search", False), ("view-search-dark", True)):
        browser.resize(WIDTH, HEIGHT, dark=dark)
        browser.open(served.url + SEARCH)
        take(browser, folder / f"{name}.png")
    browser.resize(WIDTH, HEIGHT)
    browser.open(served.url + DOCUMENT)
    browser.slide("[name=size]", 600)
    browser.slide("[name=overlap]", 60)
    take(browser, folder / "view-document.png")
    for name, path in (
        ("view-reading", READING),
        ("view-documents", DOCUMENTS),
        ("view-code", CODE),
    ):
        browser.open(served.url + path)
        take(browser, folder / f"{name}.png")


def take_runs(browser: Browser, served: Served, target: Path) -> None:
    """Take a picture of a run that is under way."""
    command = [sys.executable, "-m", "outcrop", "build", "src"]
    with subprocess.Popen(
        command, cwd=served.project, stdout=subprocess.DEVNULL
    ) as build:
        while build.poll() is None and not is_under_way(served):
            time.sleep(0.1)
        browser.resize(WIDTH, HEIGHT)
        browser.open(served.url + "/runs")
        take(browser, target)
        build.wait()


def is_under_way(served: Served) -> bool:
    run = httpx.get(f"{served.url}/v1/runs?limit=1", timeout=60).json()["items"][0]
    stages = run["statistics"].get("stages", {})
    is_begun = any(stage["done"] < stage["total"] for stage in stages.values())
    return run["state"] == "running" and len(stages) > 1 and is_begun


def fill(project: Path) -> None:
    """Copy the project's own text."""
    for name in ("docs", "src"):
        shutil.copytree(ROOT / name, project / name)
    (project / "docs" / "scan.md").write_bytes(b"\0")


def index(served: Served, *paths: str) -> None:
    """Let the server index some of it, as a run."""
    with httpx.Client(base_url=served.url, timeout=60) as client:
        run = client.post("/v1/index", json={"paths": paths}).json()
        while run["state"] == "running":
            time.sleep(0.5)
            run = client.get(f"/v1/runs/{run['id']}").json()


def main() -> None:
    programs = find_programs()
    if programs is None:
        sys.exit("there is no Chromium with its driver here: make setup-browser")
    around = make_folder()
    project = around / "outcrop"
    project.mkdir()
    fill(project)
    driver = start_browser(programs)
    try:
        with serving(project) as served:
            browser, folder = Browser(driver), Path(sys.argv[1])
            index(served, "docs")
            take_runs(browser, served, folder / "view-runs.png")
            index(served, "docs", "src")
            take_all(browser, served, folder)
    finally:
        driver.quit()
    remove_project(around)


if __name__ == "__main__":
    main()
