"""An index in several databases has what an index in one has."""

from __future__ import annotations

from outcrop.indexing.reader import IndexReader
from outcrop.indexing.sharded import ShardedIndex

# Commands and servers that need these open one database.
OF_ONE_DATABASE = {"run", "runs", "symbol", "symbols"}


def test_what_reads_the_store_is_defined_for_several_databases():
    methods = {name for name in vars(IndexReader) if not name.startswith("_")}
    missing = methods - OF_ONE_DATABASE - vars(ShardedIndex).keys()
    assert not missing, "define them in indexing/sharded.py for several databases"
