"""Facts are kept as bytes; their shape leaves places and documentation aside."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import zlib

import pytest

from outcrop.codegraph.parse import parse_file
from outcrop.codegraph.parsed import keep_facts, load_facts

PYTHON = '''\
import os


class Pot:
    """A pot."""

    def pour(self, cup):
        for a, b, c, d in cup:
            x = y = z = a
        return os.fspath(cup)


@app.get("/pots")
def serve(pots):
    return [pot.pour(1) for pot in pots]
'''
JAVA = "package a;\nclass K {\n  int x, y;\n  int m() { return n(x); }\n  int n(int z) { return z; }\n}\n"
SOURCES = {"python": PYTHON, "java": JAVA}


def parse(lang: str, text: str):
    return parse_file("a", lang, text.encode())


def shape(lang: str, text: str) -> str:
    return keep_facts(parse(lang, text)).shape


@pytest.mark.parametrize("lang", SOURCES)
def test_facts_come_back_without_their_text(lang):
    facts = parse(lang, SOURCES[lang])
    kept = keep_facts(facts)
    assert kept.digest == facts.digest
    assert load_facts(kept.data) == facts._replace(text="")


@pytest.mark.parametrize(
    ("lang", "old", "new"),
    [
        ("python", "import os\n", "# The pots.\nimport os\n"),
        ("python", "A pot.", "A pot of tea."),
        ("python", "return os", "\n        # Fill it.\n        return os"),
        ("java", "class K", "/** A class. */\nclass K"),
        ("java", "return z;", "return z; /* same */"),
    ],
)
def test_comments_documentation_and_layout_keep_the_shape(lang, old, new):
    source = SOURCES[lang]
    changed = source.replace(old, new)
    assert changed != source
    assert shape(lang, changed) == shape(lang, source)


@pytest.mark.parametrize(
    ("lang", "old", "new"),
    [
        ("python", "pot.pour(1)", "pot.fill(1)"),
        ("python", "def pour", "def fill"),
        ("python", "(self, cup)", "(self, cup, *more)"),
        ("python", '"/pots"', '"/cups"'),
        ("python", "import os", "import sys as os"),
        ("python", "class Pot", "class Pot(dict)"),
        ("java", "n(x)", "n(y)"),
        ("java", "package a", "package b"),
        ("java", "int n(int z)", "int n(long z)"),
    ],
)
def test_names_calls_and_routes_are_part_of_the_shape(lang, old, new):
    source = SOURCES[lang]
    assert shape(lang, source.replace(old, new)) != shape(lang, source)


def test_the_shape_is_the_same_in_every_process():
    script = (
        "import sys; from outcrop.codegraph.parsed import keep_facts;"
        "from outcrop.codegraph.parse import parse_file;"
        "print(keep_facts(parse_file('a', 'python', sys.stdin.buffer.read())).shape)"
    )
    shapes = {
        subprocess.run(
            [sys.executable, "-c", script],
            input=PYTHON.encode(),
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in range(4)
    }
    assert len(shapes) == 1


def test_bytes_that_name_code_to_run_are_refused():
    data = zlib.compress(pickle.dumps(os.system))
    with pytest.raises(pickle.UnpicklingError, match="plain values"):
        load_facts(data)
