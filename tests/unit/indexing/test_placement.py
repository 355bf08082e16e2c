"""Documents are placed in one of several databases by rendezvous hashing."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from outcrop.indexing.files.discover import SourceFile
from outcrop.indexing.shards import Placement

_PATHS = [f"docs/{number}.md" for number in range(4_000)]
_NAMES = st.lists(
    st.text("abcdef0123456789:/", min_size=1), min_size=1, max_size=6, unique=True
)


def _file(path: str, kind: str) -> SourceFile:
    return SourceFile(path=path, file=Path(path), kind=kind, size=1, modified_ns=0)


@given(_NAMES, st.text(), st.text())
def test_a_document_has_one_owner_whatever_the_order_of_the_databases(
    names, project, path
):
    owner = Placement(project, names).owner(path)
    assert owner in names
    assert Placement(project, names[::-1]).owner(path) == owner


@given(_NAMES, st.text())
def test_a_new_database_takes_documents_and_nothing_moves_between_the_others(
    names, path
):
    before = Placement("p", names[:-1] or names).owner(path)
    after = Placement("p", names).owner(path)
    assert after in {before, names[-1]}


def test_databases_get_equal_shares_and_a_new_one_its_own():
    names = [f"postgresql://host:5432/shard{number}" for number in range(5)]
    four, five = Placement("p", names[:4]), Placement("p", names)
    shares = Counter(four.owner(path) for path in _PATHS)
    assert all(900 < share < 1_100 for share in shares.values())
    moved = [path for path in _PATHS if four.owner(path) != five.owner(path)]
    assert 700 < len(moved) < 900
    assert {five.owner(path) for path in moved} == {names[4]}


def test_projects_are_spread_independently():
    names = ["a", "b", "c", "d"]
    owners = {Placement(f"p{number}", names).owner("README.md") for number in range(50)}
    assert owners == set(names)


def test_all_code_of_a_project_is_in_one_database():
    names = ["a", "b", "c", "d"]
    placement = Placement("p", names)
    for path in ("a.py", "b/c.py", "d.go"):
        owners = [
            name for name in names if placement.is_owner(name, _file(path, "code"))
        ]
        assert owners == [placement.owner("")]
