"""Builds the site: the project's pages as they stand in the repository, and a search.

The pages keep their places, so that every relative link works in a clone, on a forge
and on the site alike.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

from website.search_index import SitePage, export

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "build" / "website"
SITE = ROOT / "build" / "site"
_PAGES = ("*.md", "docs/**/*.md", "benchmarks/README.md", "plugins/dify/*.md")
_FILES = ("LICENSE", "docs/images/*")
_ASSETS = ("website/assets/*",)
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


class BuildFailedError(RuntimeError):
    """The site has a broken link or another fault; the message lists them."""


def build() -> int:
    """Build the site, and return how many chunks its search holds.

    Raises:
        BuildFailedError: A link is broken, or the generator reports anything else.
    """
    for folder in (SOURCES, SITE):
        shutil.rmtree(folder, ignore_errors=True)
    pages = _stage(_PAGES)
    _stage(_FILES)
    for asset in _found(_ASSETS):
        _copy(asset, SOURCES / "assets" / asset.name)
    command = [sys.executable, "-m", "zensical", "build", "--strict", "--clean"]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False
    )
    said = _COLOURS.sub("", done.stdout + done.stderr).partition("Traceback")[0]
    if done.returncode or "warning" in said.lower():
        raise BuildFailedError(said)
    (SITE / "search.json").unlink(missing_ok=True)  # the theme's own, which is not used
    return export(
        [_site_page(page) for page in pages], SITE / "assets" / "search-index.json"
    )


def _found(patterns: tuple[str, ...]) -> list[Path]:
    return sorted({path for pattern in patterns for path in ROOT.glob(pattern)})


def _stage(patterns: tuple[str, ...]) -> list[Path]:
    """Copy files to the folder that the site is built from."""
    found = _found(patterns)
    for path in found:
        _copy(path, SOURCES / path.relative_to(ROOT))
    return found


def _copy(path: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, target)


def _site_page(path: Path) -> SitePage:
    place = path.relative_to(ROOT).as_posix()
    name = place.replace("README.md", "index.md")
    html = SITE / name.replace(".md", ".html")
    return SitePage(name, path.read_text(encoding="utf-8"), html)
