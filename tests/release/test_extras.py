"""Each extra brings what it promises, and a missing one names itself."""

from __future__ import annotations

import re
import tomllib
from functools import cache

import pytest
from packaging.requirements import Requirement

from release.environment import ROOT, FreshEnvironment, can_link, declared_by

# The first test of an environment also waits until it is made.
pytestmark = pytest.mark.timeout(180)

EXAMPLE = "docs/examples/tide-gauge.md"
MODULES = """
import importlib, pkgutil, sys
for name in sys.argv[1:]:
    package = importlib.import_module(name)
    for module in pkgutil.walk_packages(getattr(package, "__path__", ()), name + "."):
        importlib.import_module(module.name)
"""
# What must be importable with an extra alone.
PACKAGES = {
    "arrow": ["outcrop.sections.table"],
    "code": ["outcrop.codegraph"],
    "http": ["outcrop.http", "outcrop.web"],
    "jobs": ["outcrop.pipeline"],
    "mcp": ["outcrop.mcp.server", "outcrop.mcp.tools"],
    "store": ["outcrop.store", "outcrop.search", "outcrop.indexing.index"],
}
# What must work with an extra alone.
COMMANDS = {
    "arrow": ["sections", EXAMPLE, "--out", "{tmp}/tide-gauge.parquet"],
    "code": ["graph", "show", "MarkdownChunker.chunk", "src/outcrop/chunking"],
    "embed": ["sections", EXAMPLE, "--embed", "local"],
    "embed,store": ["index", EXAMPLE, "--project", "{tmp}"],
    "languages": ["graph", "show", "MarkdownChunker.chunk", "src/outcrop/chunking"],
    "tokens": ["sections", EXAMPLE],
}
# Without any extra: the command, and the extra that its error has to name.
MISSING = [
    (["index", "docs"], "store"),
    (["search", "tide"], "store"),
    (["related", "tide"], "store"),
    (["show", "0000"], "store"),
    (["status"], "store"),
    (["reembed", "--embedder", "local"], "store"),
    (["runs"], "store"),
    (["projects"], "store"),
    (["serve"], "http"),
    (["build", "src"], "jobs"),
    (["worker"], "jobs"),
    (["mcp"], "mcp"),
    (["graph", "show", "MarkdownChunker.chunk", "src/outcrop/chunking"], "code"),
    (["graph", "export", "src/outcrop/chunking"], "code"),
    (["graph", "build", "src/outcrop/chunking"], "store"),
    (["sections", EXAMPLE, "--embed", "local"], "embed"),
    (["sections", EXAMPLE, "--embed", "openai:any"], "openai"),
    (["sections", EXAMPLE, "--out", "sections.parquet"], "arrow"),
    (["sections", EXAMPLE, "--summaries", "extractive"], "embed"),
    (["eval", "questions.jsonl"], "store"),
    (["export", "--to", "jsonl", "chunks.jsonl"], "store"),
]
ADAPTERS = ["haystack", "langchain", "llamaindex"]


@pytest.fixture(scope="module")
def environment(archives, tmp_path_factory):
    """Make environments by the extras they have, each once."""

    @cache
    def make(extras: str) -> FreshEnvironment:
        requirement = f"outcrop[{extras}]" if extras else "outcrop"
        needed = declared_by(archives, extras)
        if not can_link(needed):
            pytest.skip(f"not everything that {requirement} needs is installed here")
        folder = tmp_path_factory.mktemp("environment")
        made = FreshEnvironment(folder, needed)
        made.install(archives, requirement)
        return made

    return make


def _declared() -> dict[str, list[str]]:
    with (ROOT / "pyproject.toml").open("rb") as opened:
        return tomllib.load(opened)["project"]["optional-dependencies"]


def test_a_plain_installation_cuts_markdown(environment):
    done = environment("").run("outcrop", "chunk", EXAMPLE, "--max-size", "400")
    assert done.returncode == 0, done.stderr
    assert "7 chunks of 1,537 characters" in done.stdout


@pytest.mark.parametrize("extra", PACKAGES)
def test_an_extra_brings_everything_its_modules_import(environment, extra):
    made = environment(extra)
    done = made.run(str(made.python), "-c", MODULES, *PACKAGES[extra])
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("extras", COMMANDS)
def test_an_extra_is_enough_for_its_command(environment, extras, tmp_path):
    command = [part.format(tmp=tmp_path) for part in COMMANDS[extras]]
    done = environment(extras).run("outcrop", *command)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("command", "extra"), MISSING, ids=lambda value: str(value[0])[:9]
)
def test_a_command_without_its_extra_names_it(environment, command, extra):
    done = environment("").run("outcrop", *command)
    assert done.returncode == 3, done.stdout + done.stderr
    assert f"pip install 'outcrop[{extra}]'" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_doctor_without_any_extra_lists_what_is_missing(environment):
    done = environment("").run("outcrop", "doctor")
    assert done.returncode == 1, done.stdout + done.stderr
    for extra in ("store", "embed", "tokens"):
        assert f"pip install 'outcrop[{extra}]'" in done.stdout


def test_estimated_tokens_are_a_line_of_warning(environment):
    done = environment("").run("outcrop", "sections", EXAMPLE)
    assert done.returncode == 0, done.stderr
    (line,) = done.stderr.splitlines()
    assert line.startswith(
        "warning: tokens are estimated as a quarter of the characters"
    )


@pytest.mark.parametrize("name", ADAPTERS)
def test_an_adapter_without_its_framework_names_its_extra(environment, name):
    made = environment("")
    done = made.run(str(made.python), "-c", f"import outcrop.adapters.{name}")
    assert f"pip install 'outcrop[{name}]'" in done.stderr


def test_the_readme_lists_every_extra():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    table = readme.partition("## Extras")[2].partition("\n## ")[0]
    cells = re.findall(r"^\| (`[^|]+) \|", table, re.MULTILINE)
    listed = [name for cell in cells for name in re.findall("`([a-z0-9-]+)`", cell)]
    assert sorted(listed) == sorted(_declared())


def test_all_holds_every_extra_but_the_heavy_ones():
    declared = _declared()
    (everything,) = [Requirement(text) for text in declared["all"]]
    heavy = {"chroma", "cluster", "lance", "qdrant"}
    models = {"fastembed", "model2vec", "sentence-transformers"}
    assert everything.extras == set(declared) - {"all", *ADAPTERS, *heavy, *models}
