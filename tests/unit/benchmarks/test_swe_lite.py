"""How the benchmark of issues scores hits."""

from __future__ import annotations

import pytest

pytest.importorskip("numpy")

import swe_lite

FUNCTION = {"path": "a.py", "name": "read", "start": 10, "end": 19}


def test_files_are_ranked_by_the_first_of_their_hits():
    hits = [("b.py", 1, 9), ("b.py", 10, 20), ("a.py", 1, 5)]
    found = swe_lite.score_files(["a.py"], hits)
    assert (found["file@1"], found["file@3"], found["MRR"]) == (0.0, 1.0, 0.5)


@pytest.mark.parametrize(
    ("hit", "expected"),
    [
        (("a.py", 10, 19), 1.0),
        (("a.py", 1, 14), 1.0),
        (("a.py", 1, 13), 0.0),
        (("a.py", 12, 13), 1.0),
        (("b.py", 10, 19), 0.0),
    ],
)
def test_a_hit_stands_for_functions_it_overlaps_by_half(hit, expected):
    assert swe_lite.score_functions([FUNCTION], [hit])["function@5"] == expected


def test_tests_are_not_searched(tmp_path):
    for path in ("src/read.py", "src/tests/read.py", "test_read.py", "src/notes.md"):
        file = tmp_path / "tree" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("x = 1\n")
    swe_lite.copy_code(tmp_path / "tree", tmp_path / "copy")
    copied = [file for file in (tmp_path / "copy").rglob("*") if file.is_file()]
    assert copied == [tmp_path / "copy/src/read.py"]


def test_the_share_of_functions_found_is_counted():
    other = {"path": "a.py", "name": "write", "start": 30, "end": 39}
    found = swe_lite.score_functions([FUNCTION, other], [("a.py", 10, 19)])
    assert (found["function@10"], found["function recall@10"]) == (0.0, 0.5)


def test_functions_are_looked_up_by_name_with_their_decorators(tmp_path):
    (tmp_path / "a.py").write_text(
        "class Reader:\n    @property\n    def read(self):\n        return 1\n"
    )
    row = FUNCTION | {"name": "Reader.read"}
    located = swe_lite.locate_functions([row], tmp_path)
    assert located == [row | {"start": 2, "end": 4}]


@pytest.mark.parametrize("path", ["a.py", "missing.py"])
def test_a_function_that_is_not_in_the_tree_is_left_out(path, tmp_path):
    (tmp_path / "a.py").write_text("x = 1\n")
    row = FUNCTION | {"path": path}
    assert swe_lite.locate_functions([row], tmp_path) is None
