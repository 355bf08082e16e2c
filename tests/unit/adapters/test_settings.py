from __future__ import annotations

import ast
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from outcrop import ChunkConfig
from outcrop.adapters import nodes
from outcrop.adapters.nodes import chunk_config
from outcrop.errors import ChunkConfigError

GIVEN = {
    "chunk_size": 100, "chunk_overlap": 0, "min_chunk_size": None, "strategy": None,
    "oversize_blocks": "keep",
}  # fmt: skip


def test_settings_become_a_configuration():
    config = chunk_config(**{**GIVEN, "chunk_overlap": 7, "strategy": "structural"})
    assert (config.max_chunk_size, config.overlap_size) == (100, 7)
    assert config.strategy == "structural"


def test_tokens_are_counted_on_request():
    config = chunk_config(**GIVEN, encoding="cl100k_base")
    assert config.length
    assert config.length("one two three") == 3


# What the frameworks call a setting -> its field.
WORDS = {
    "chunk_size": "max_chunk_size",
    "chunk_overlap": "overlap_size",
    "encoding": "length",
    "length_function": "length",
}


# Settings of the adapters that are none of the chunker.
OWN = {"hierarchy", "repeat_context", "uuid_ids"}


def _settings(adapter: str) -> set[str]:
    """The fields that an adapter passes on, read from its source."""
    source = Path(nodes.__file__).with_name(f"{adapter}.py").read_text("utf-8")
    tree = ast.parse(source)
    (call,) = (
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "NodeMaker.of"
    )
    given = {keyword.arg: ast.unparse(keyword.value) for keyword in call.keywords}
    match given.get(None, ""):
        case "self._settings":  # a dictionary of all parameters
            kept = next(node for node in ast.walk(tree) if isinstance(node, ast.Dict))
            given = {
                ast.literal_eval(name): ast.unparse(value)
                for name, value in zip(kept.keys, kept.values, strict=True)
            }
        case listed if listed:  # the fields of the class
            (made,) = (
                node
                for node in tree.body
                if isinstance(node, ast.ClassDef) and node.name == "OutcropNodeParser"
            )
            declared = [node for node in made.body if isinstance(node, ast.AnnAssign)]
            names = {ast.unparse(node.target) for node in declared}
            # The framework's own, and a private attribute.
            given = {name: name for name in names - {"id_func", "_maker"}}
    assert all(name in {value, "length"} for name, value in given.items())
    assert given.keys() >= OWN
    return {WORDS.get(name, name) for name in given.keys() - OWN}


@pytest.mark.parametrize("adapter", ["haystack", "langchain", "llamaindex"])
def test_row_1_38_every_setting_of_the_chunker_is_one_of_the_adapter(adapter):
    assert _settings(adapter) == {field.name for field in fields(ChunkConfig)}


def test_a_mistake_is_named_in_the_words_of_the_adapters():
    with pytest.raises(
        ChunkConfigError, match=r"^chunk_overlap is 100, .*chunk_size"
    ) as e:
        chunk_config(**{**GIVEN, "chunk_overlap": 100})
    assert e.value.field == "chunk_overlap"
    assert "max_chunk_size" not in str(e.value)


@pytest.mark.parametrize(
    ("extra", "package"),
    [
        ("haystack", "haystack"),
        ("langchain", "langchain_core"),
        ("llamaindex", "llama_index"),
    ],
)
def test_a_framework_that_is_missing_is_named_with_its_install_line(extra, package):
    script = (
        f"import sys; sys.modules[{package!r}] = None\nimport outcrop.adapters.{extra}"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("outcrop.errors.MissingExtraError: the ")
    assert last.endswith(f"adapter needs an extra: pip install 'outcrop[{extra}]'")


def test_what_the_adapters_share_needs_no_framework():
    script = (
        "import sys\n"
        "import outcrop.adapters.code, outcrop.adapters.fields, outcrop.adapters.nodes\n"
        "print(*{name.partition('.')[0] for name in sys.modules})"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    heavy = {
        "haystack",
        "langchain_core",
        "llama_index",
        "numpy",
        "psycopg",
        "pydantic",
    }
    assert not heavy & set(done.stdout.split())
