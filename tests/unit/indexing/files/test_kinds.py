"""What a file is read as, judged by its name."""

from __future__ import annotations

import pytest

from outcrop.indexing.files.kinds import (
    GENERATED,
    MAX_CODE_BYTES,
    MAX_DATA_BYTES,
    is_minified,
    kind_of,
)


@pytest.mark.parametrize(
    ("name", "kind", "lang", "has_grammar"),
    [
        ("README.md", "markdown", None, False),
        ("notes.RST", "text", None, False),
        ("guide.adoc", "text", None, False),
        ("guide.RST.txt", "text", None, False),
        ("guide.md.txt", "markdown", None, False),
        ("index.html.txt", "text", None, False),
        ("md.txt", "text", None, False),
        ("guide.org", "text", None, False),
        ("Tides.ipynb", "notebook", None, False),
        ("index.html", "html", None, False),
        ("app.py", "code", "python", True),
        ("App.KT", "code", "kotlin", True),
        ("style.scss", "code", "scss", False),
        ("Dockerfile", "code", "dockerfile", False),
        ("CMakeLists.txt", "code", "cmake", False),
        ("go.mod", "code", "go-mod", False),
        ("jquery.min.js", GENERATED, None, False),
        ("package-lock.json", GENERATED, None, False),
        ("api_pb2.py", GENERATED, None, False),
    ],
)
def test_a_name_says_what_a_file_is(name, kind, lang, has_grammar):
    assert kind_of(name) == (kind, lang, has_grammar)


@pytest.mark.parametrize("name", ["logo.png", "LICENSE", "data.csv", ".py.swp", "x."])
def test_other_files_are_not_read(name):
    assert kind_of(name) is None


def test_data_may_be_smaller_than_code(tmp_path):
    sizes = [kind_of(name).max_bytes for name in ("a.json", "a.py", "a.md")]
    assert sizes == [MAX_DATA_BYTES, MAX_CODE_BYTES, None]


def test_long_lines_make_a_large_file_minified():
    assert is_minified(b"var a=1;" * 1000)
    assert not is_minified(b"var a=1;" * 100)
    assert not is_minified(b"var a = 1;\n" * 10_000)
