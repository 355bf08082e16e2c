"""An index in several databases has what an index in one has."""

from __future__ import annotations

import inspect

from outcrop.indexing.index import Index
from outcrop.indexing.sharded import ShardedIndex
from outcrop.store.sharded_store import ShardedStore
from outcrop.store.store import PostgresStore

# Another database is another project here, and a graph alone is built in one.
OF_ONE_DATABASE = {
    "build_graph",
    "database",
    "has_own_folder",
    "run_config",
    "space",
    "update",
}


def _methods(kind: type) -> dict[str, object]:
    return {name: each for name, each in inspect.getmembers(kind) if name[0] != "_"}


def test_what_an_index_offers_is_defined_for_several_databases():
    missing = _methods(Index).keys() - _methods(ShardedIndex).keys() - OF_ONE_DATABASE
    assert not missing, "define them in indexing/sharded.py for several databases"


def test_the_store_of_several_databases_takes_what_that_of_one_takes():
    of_one = _methods(PostgresStore)
    for name, method in _methods(ShardedStore).items():
        given = set(inspect.signature(method).parameters)
        known = set(inspect.signature(of_one[name]).parameters)
        assert given - {"given"} <= known, name
