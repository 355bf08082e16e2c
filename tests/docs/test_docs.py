"""Every command, every piece of code and every link on the project's pages works."""

from __future__ import annotations

import json
import tomllib
from urllib.parse import unquote

import pytest
from doc_pages import ROOT, Block, page_name, page_paths, read_page
from doc_session import RUN, Session, console_commands, is_run, matches

PAGES = pytest.mark.parametrize("path", page_paths(), ids=page_name)
# tests/release follows the README, in an environment that only has the wheel.
FOLLOWED_ELSEWHERE = {"README.md"}
RUN_PAGES = pytest.mark.parametrize(
    "path",
    [
        path
        for path in page_paths()
        if page_name(path) not in FOLLOWED_ELSEWHERE
        if any(is_run(block) for block in read_page(path).blocks)
    ],
    ids=page_name,
)

# Languages that are shown, not run.
SHOWN = {"json", "make", "markdown", "sql", "text", "toml", "yaml"}
LEAST_REASON = 15

# Pages whose code needs a framework: they run in the environment that has it.
FRAMEWORKS = {
    "docs/howto/haystack.md": "haystack",
    "docs/howto/langchain.md": "langchain_core",
    "docs/howto/llamaindex.md": "llama_index",
}


@pytest.mark.timeout(180)  # some pages index the project's own documents
@RUN_PAGES
def test_every_block_works_as_shown(path, session):
    if framework := FRAMEWORKS.get(page_name(path)):
        pytest.importorskip(framework, reason="make test-frameworks runs this page")
    for block in filter(is_run, read_page(path).blocks):
        session.run(block)


@PAGES
def test_every_block_names_a_language_that_is_run_or_shown(path):
    unknown = [
        f"{block}: {block.language!r}"
        for block in read_page(path).blocks
        if block.language not in RUN | SHOWN
    ]
    assert unknown == []


@PAGES
def test_every_block_that_is_not_run_says_why(path):
    blocks = [block for block in read_page(path).blocks if block.reason is not None]
    assert [str(b) for b in blocks if len(b.reason or "") < LEAST_REASON] == []
    assert [str(b) for b in blocks if b.language not in RUN] == []


@PAGES
def test_every_block_of_data_can_be_read(path):
    for block in read_page(path).blocks:
        if block.language == "json":
            json.loads(block.source)
        elif block.language == "toml":
            tomllib.loads(block.source)


@PAGES
def test_every_relative_link_resolves(path):
    broken = []
    for link in read_page(path).links:
        address, _, anchor = unquote(link).partition("#")
        if ":" in address:
            continue  # another site
        target = (path.parent / address).resolve() if address else path
        is_there = target.exists() and target.is_relative_to(ROOT)
        if not is_there or (anchor and anchor not in read_page(target).anchors):
            broken.append(link)
    assert broken == []


def test_the_pages_are_found():
    names = {page_name(path) for path in page_paths()}
    assert {"README.md", "docs/index.md", "docs/reference/cli.md"} <= names


@pytest.mark.parametrize(
    ("expected", "printed", "same"),
    [
        ("a\nb\n", "a\nb\n", True),
        ("a\n", "a  \n", True),
        ("a\n...\nd\n", "a\nb\nc\nd\n", True),
        ("a\n...\n", "a\n", True),
        ("a\n", "a\nb\n", False),
        ("a.c\n", "abc\n", False),
    ],
)
def test_an_output_is_compared_line_by_line(expected, printed, same):
    assert matches(expected, printed) is same


def test_a_console_block_is_commands_with_their_output():
    source = "$ one \\\n  two\nout\n$ three\n"
    assert console_commands(source) == [("one \\\n  two", "out\n"), ("three", "")]


@pytest.fixture
def small_session(tmp_path):
    """Runs blocks in an empty folder."""
    with Session(tmp_path, tmp_path) as opened:
        yield opened


@pytest.mark.parametrize(
    ("language", "source"),
    [
        ("python", "raise SystemExit(1)"),
        ("python", "assert 1 == 2"),
        ("console", "$ false"),
        ("console", "$ echo one\ntwo"),
        ("sh", "false\ntrue"),
    ],
)
def test_a_block_that_does_not_work_is_noticed(small_session, language, source):
    with pytest.raises(AssertionError):
        small_session.run(Block(ROOT / "README.md", 1, language, source))


def test_an_output_that_is_not_as_shown_is_noticed(small_session):
    block = Block(ROOT / "README.md", 1, "python", "print(1)", output="2\n")
    with pytest.raises(AssertionError, match="shown:\n2"):
        small_session.run(block)


def test_python_blocks_of_a_page_share_their_names(small_session):
    small_session.run(Block(ROOT / "README.md", 1, "python", "x = 1"))
    small_session.run(Block(ROOT / "README.md", 3, "python", "print(x)", output="1\n"))
