"""Mistakes of callers are answered by errors that say what to do."""

from __future__ import annotations

import pytest

from outcrop.errors import InputError, StorageError
from outcrop.indexing.index import Index


@pytest.mark.parametrize("paths", [5, [5], ["docs", None]])
def test_what_is_not_a_path_is_refused(index, paths):
    with pytest.raises(InputError, match="is not a path"):
        index.index(paths)


def test_a_url_of_another_database_is_not_taken_for_a_folder():
    with pytest.raises(InputError, match="starts with postgresql://"):
        Index.open("mysql://localhost/docs")


def test_a_closed_index_says_so(project):
    (project / "guide.md").write_text("# Guide\n\nHeat the water.\n")
    with Index.open(project) as index:
        index.index(["guide.md"])
    with pytest.raises(StorageError, match="the index is closed"):
        index.search("water")
