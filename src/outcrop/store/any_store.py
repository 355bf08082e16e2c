"""The store of an index, in one database or in several."""

from outcrop.store.sharded_store import ShardedStore
from outcrop.store.store import PostgresStore

AnyStore = PostgresStore | ShardedStore
